package main

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"
	"time"
)

func TestSBOM(t *testing.T) {
	info := &debug.BuildInfo{
		GoVersion: "go1.26.8", Main: debug.Module{Path: "example.org/program"},
		Deps: []*debug.Module{
			{Path: "example.org/z", Version: "v1.0.0", Sum: "h1:z"},
			{Path: "example.org/a", Version: "v2.0.0+incompatible", Replace: &debug.Module{Path: "example.org/b", Version: "v3.0.0"}},
		},
		Settings: []debug.BuildSetting{{Key: "vcs.time", Value: "2026-11-16T12:00:00Z"}, {Key: "GOOS", Value: "linux"}, {Key: "-ldflags", Value: "secret"}},
	}
	text, err := sbom("program", "1.2.3", sha256.Sum256([]byte("x")), info)
	if err != nil {
		t.Fatal(err)
	}
	var b bom
	if err := json.Unmarshal(text, &b); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, c := range b.Components {
		names = append(names, c.Purl)
	}
	want := "pkg:golang/std@1.26.8 pkg:golang/example.org/b@v3.0.0 pkg:golang/example.org/z@v1.0.0"
	if got := strings.Join(names, " "); got != want {
		t.Errorf("components %s, want %s", got, want)
	}
	if len(b.Dependencies[0].DependsOn) != 3 || b.Metadata.Timestamp != "2026-11-16T12:00:00Z" || bytes.Contains(text, []byte("secret")) {
		t.Errorf("%s", text)
	}
}

func TestNotices(t *testing.T) {
	folder := t.TempDir()
	write := func(name, text string) {
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("good/LICENSE.txt", "may be used\r\n")
	write("good/inner/COPYING", "taken from elsewhere")
	write("good/license.go", "package good")
	write("good/testdata/LICENSE", "not in the binary")
	write("bad/README", "no word about it")
	write("bad/inner/LICENSE", "only a part")
	text, err := notices([]work{{"good v1", filepath.Join(folder, "good"), false}})
	if err != nil {
		t.Fatal(err)
	}
	for word, want := range map[string]bool{"good v1 (LICENSE.txt)": true, "may be used\n": true, "taken from elsewhere": true, "package good": false, "not in the binary": false} {
		if strings.Contains(string(text), word) != want {
			t.Errorf("%q: want it %v in\n%s", word, want, text)
		}
	}
	for name, w := range map[string]work{
		"has no licence file": {"bad v1", filepath.Join(folder, "bad"), false},
		"go mod download":     {"absent v1", "", false},
	} {
		if _, err := notices([]work{w}); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", w.name, err)
		}
	}
}

func TestFormula(t *testing.T) {
	var sums strings.Builder
	for i, platform := range []string{"darwin_arm64", "darwin_amd64", "linux_arm64", "linux_amd64"} {
		sums.WriteString(strings.Repeat(string(rune('a'+i)), 64) + "  inferometer_1.2.3_" + platform + ".tar.gz\n")
	}
	text, err := formula("1.2.3", []byte(sums.String()))
	if err != nil {
		t.Fatal(err)
	}
	got := string(text)
	if strings.Count(got, "sha256 ") != 4 || strings.Count(got, " do\n") != strings.Count(got, "  end\n")-1 {
		t.Errorf("%s", got)
	}
	linux := got[strings.Index(got, "on_linux"):]
	if !strings.Contains(linux, "v1.2.3/inferometer_1.2.3_linux_arm64.tar.gz\"\n      sha256 \"cccc") {
		t.Errorf("%s", linux)
	}
	if _, err := formula("1.2.4", []byte(sums.String())); err == nil {
		t.Error("a version without its archives")
	}
	if _, err := formula(`1"; system("x`, nil); err == nil || !strings.Contains(err.Error(), "no version") {
		t.Errorf("a version that is Ruby: %v", err)
	}
}

// Each blob is called by its hash, and the layer's hash is the one that the configuration names.
func TestImage(t *testing.T) {
	at := time.Unix(1_790_000_000, 0).UTC()
	made, err := image("arm64", "1.2.3", at, imageFiles([]byte("program"), []byte("certificates")))
	if err != nil {
		t.Fatal(err)
	}
	again, err := image("arm64", "1.2.3", at, imageFiles([]byte("program"), []byte("certificates")))
	if err != nil || !bytes.Equal(made, again) {
		t.Errorf("a second image differs, %v", err)
	}
	blobs := map[string][]byte{}
	for r := tar.NewReader(bytes.NewReader(made)); ; {
		h, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		if name, isBlob := strings.CutPrefix(h.Name, "blobs/sha256/"); isBlob && name != "" {
			if sum := sha256.Sum256(content); hex.EncodeToString(sum[:]) != name {
				t.Errorf("%s has another hash", h.Name)
			}
		}
		blobs[h.Name] = content
	}
	var docker []struct {
		Config string
		Layers []string
	}
	if err := json.Unmarshal(blobs["manifest.json"], &docker); err != nil {
		t.Fatal(err)
	}
	layer := strings.TrimPrefix(docker[0].Layers[0], "blobs/sha256/")
	if !bytes.Contains(blobs[docker[0].Config], []byte(`"diff_ids":["sha256:`+layer+`"]`)) {
		t.Errorf("%s does not name the layer %s", blobs[docker[0].Config], layer)
	}
}
