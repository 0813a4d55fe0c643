package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"time"
)

// nobody is the user of the image: a number, so that Kubernetes' runAsNonRoot can be held against it.
const nobody = 65532

// An imageFile is one entry of a layer.
type imageFile struct {
	path    string
	mode    int64
	owner   int
	content []byte // nil for a folder
}

func imageCommand(set *flag.FlagSet, args []string) ([]byte, error) {
	binary := set.String("binary", "", "the static Linux binary")
	arch := set.String("arch", "", "its processor, as Go calls it")
	version := set.String("version", "", "the release's version; the image's tag")
	certificates := set.String("certificates", "", "the certificates of the authorities that are trusted, PEM")
	licence := set.String("licence", "LICENSE", "our own licence")
	notices := set.String("notices", "", "the notices of all that others have in the image, the certificates among it")
	created := set.Int64("time", 0, "the commit's time, in seconds since 1970")
	if err := set.Parse(args); err != nil {
		return nil, err
	}
	if *binary == "" || *arch == "" || *version == "" || *certificates == "" || *notices == "" || *created == 0 {
		return nil, errors.New("say -binary, -arch, -version, -certificates, -notices and -time")
	}
	var c imageContent
	for path, into := range map[string]*[]byte{*binary: &c.program, *certificates: &c.certificates, *licence: &c.licence, *notices: &c.notices} {
		var err error
		if *into, err = os.ReadFile(path); err != nil {
			return nil, err
		}
	}
	if !bytes.Contains(c.certificates, []byte("BEGIN CERTIFICATE")) {
		return nil, fmt.Errorf("%s holds no certificates", *certificates)
	}
	return image(*arch, *version, time.Unix(*created, 0).UTC(), c.files())
}

// imageContent is what an image is made of.
type imageContent struct{ program, certificates, licence, notices []byte }

// files are all that the image has: the program, whom it trusts, under which licences, a name for
// its user, a /tmp, and the folder in which runs are written, where a volume is mounted.
func (c imageContent) files() []imageFile {
	passwd := fmt.Sprintf("root:x:0:0:root:/:/sbin/nologin\nnonroot:x:%d:%d:nonroot:/work:/sbin/nologin\n", nobody, nobody)
	return []imageFile{
		{"etc/", 0o755, 0, nil},
		{"etc/group", 0o644, 0, fmt.Appendf(nil, "root:x:0:\nnonroot:x:%d:\n", nobody)},
		{"etc/passwd", 0o644, 0, []byte(passwd)},
		{"etc/ssl/", 0o755, 0, nil},
		{"etc/ssl/certs/", 0o755, 0, nil},
		{"etc/ssl/certs/ca-certificates.crt", 0o644, 0, c.certificates},
		{"tmp/", 0o1777, 0, nil},
		{"usr/", 0o755, 0, nil},
		{"usr/bin/", 0o755, 0, nil},
		{"usr/bin/inferometer", 0o755, 0, c.program},
		{"usr/share/", 0o755, 0, nil},
		{"usr/share/doc/", 0o755, 0, nil},
		{"usr/share/doc/inferometer/", 0o755, 0, nil},
		{"usr/share/doc/inferometer/LICENSE", 0o644, 0, c.licence},
		{"usr/share/doc/inferometer/THIRD-PARTY-NOTICES.txt", 0o644, 0, c.notices},
		{"work/", 0o755, nobody, nil},
	}
}

// image is an archive of one image in the layout of OCI, with the file that docker load reads beside it.
func image(arch, version string, created time.Time, files []imageFile) ([]byte, error) {
	plain, err := archive(files, created)
	if err != nil {
		return nil, err
	}
	layer, err := packed(plain)
	if err != nil {
		return nil, err
	}
	config := encode(imageConfig(arch, version, created, plain))
	manifest := encode(map[string]any{
		"schemaVersion": 2,
		"mediaType":     "application/vnd.oci.image.manifest.v1+json",
		"config":        descriptor("application/vnd.oci.image.config.v1+json", config),
		"layers":        []any{descriptor("application/vnd.oci.image.layer.v1.tar+gzip", layer)},
	})
	named := descriptor("application/vnd.oci.image.manifest.v1+json", manifest)
	named["platform"] = map[string]any{"os": "linux", "architecture": arch}
	named["annotations"] = map[string]any{"org.opencontainers.image.ref.name": version}
	docker := []any{map[string]any{
		"Config": blob(config), "RepoTags": []string{"inferometer:" + version}, "Layers": []string{blob(layer)},
	}}
	return archive([]imageFile{
		{"blobs/", 0o755, 0, nil},
		{"blobs/sha256/", 0o755, 0, nil},
		{blob(config), 0o644, 0, config},
		{blob(layer), 0o644, 0, layer},
		{blob(manifest), 0o644, 0, manifest},
		{"index.json", 0o644, 0, encode(map[string]any{
			"schemaVersion": 2, "mediaType": "application/vnd.oci.image.index.v1+json", "manifests": []any{named},
		})},
		{"manifest.json", 0o644, 0, encode(docker)},
		{"oci-layout", 0o644, 0, encode(map[string]any{"imageLayoutVersion": "1.0.0"})},
	}, created)
}

// imageConfig names the layer by the hash of what it unpacks to.
func imageConfig(arch, version string, created time.Time, plain []byte) map[string]any {
	at := created.Format(time.RFC3339)
	return map[string]any{
		"created": at, "os": "linux", "architecture": arch,
		"config": map[string]any{
			"User": fmt.Sprintf("%d:%d", nobody, nobody), "WorkingDir": "/work",
			"Entrypoint": []string{"/usr/bin/inferometer"}, "Env": []string{"PATH=/usr/bin", "XDG_STATE_HOME=/work"},
			"Labels": map[string]string{
				"org.opencontainers.image.title":    "inferometer",
				"org.opencontainers.image.version":  version,
				"org.opencontainers.image.licenses": "Apache-2.0",
				"org.opencontainers.image.source":   "https://github.com/inferometer/inferometer",
			},
		},
		"rootfs":  map[string]any{"type": "layers", "diff_ids": []string{digest(plain)}},
		"history": []any{map[string]any{"created": at, "created_by": "packaging/pack image"}},
	}
}

func archive(files []imageFile, at time.Time) ([]byte, error) {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, f := range files {
		h := &tar.Header{Name: f.path, Mode: f.mode, Uid: f.owner, Gid: f.owner, Size: int64(len(f.content)), ModTime: at, Typeflag: tar.TypeReg}
		if f.content == nil {
			h.Typeflag = tar.TypeDir
		}
		if err := w.WriteHeader(h); err != nil {
			return nil, err
		}
		if _, err := w.Write(f.content); err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return b.Bytes(), err
}

// packed is a layer as registries keep it. The header holds no name and no time.
func packed(plain []byte) ([]byte, error) {
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(plain); err != nil {
		return nil, err
	}
	err = w.Close()
	return b.Bytes(), err
}

// encode gives JSON with sorted keys; maps of strings, numbers and lists can't fail.
func encode(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return text
}

func descriptor(mediaType string, content []byte) map[string]any {
	return map[string]any{"mediaType": mediaType, "digest": digest(content), "size": len(content)}
}

func digest(content []byte) string { return "sha256:" + hexSum(content) }

func blob(content []byte) string { return "blobs/sha256/" + hexSum(content) }

func hexSum(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}
