package release

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

func readJSON(t *testing.T, path string, into any) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, into); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

func command(t *testing.T, name string, args ...string) string {
	t.Helper()
	out, err := exec.Command(name, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %q: %v\n%s", name, args, err, out)
	}
	return string(out)
}

// The image runs as nobody, on a read-only root, without HOME, and has no shell.
func TestImage(t *testing.T) {
	file := one(t, "*_linux_"+runtime.GOARCH+".image.tar")
	layout, root := t.TempDir(), t.TempDir()
	command(t, "tar", "-xf", file, "-C", layout)
	var manifest []struct {
		Config string
		Layers []string
	}
	readJSON(t, filepath.Join(layout, "manifest.json"), &manifest)
	var config struct {
		Config struct {
			User, WorkingDir string
			Entrypoint       []string
		} `json:"config"`
	}
	readJSON(t, filepath.Join(layout, manifest[0].Config), &config)
	if c := config.Config; c.User != "65532:65532" || c.WorkingDir != "/work" || !slices.Equal(c.Entrypoint, []string{"/usr/bin/inferometer"}) {
		t.Errorf("the image's configuration: %+v", c)
	}
	for _, layer := range manifest[0].Layers {
		command(t, "gzip", "-t", filepath.Join(layout, layer))
		command(t, "tar", "--same-owner", "-xpf", filepath.Join(layout, layer), "-C", root)
	}
	if err := os.Chmod(root, 0o755); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(command(t, "cat", filepath.Join(root, "etc/ssl/certs/ca-certificates.crt")), "BEGIN CERTIFICATE"); n < 80 {
		t.Errorf("%d certificates of authorities", n)
	}
	notices := command(t, "cat", filepath.Join(root, "usr/share/doc/inferometer/THIRD-PARTY-NOTICES.txt"))
	for _, words := range []string{"Mozilla's list of certificate authorities (LICENSE-MPL-2.0.txt)", "certdata.txt", "uplot 1.6.32 (LICENSE)"} {
		if !strings.Contains(notices, words) {
			t.Errorf("the image's notices have no %s", words)
		}
	}
	if licence := command(t, "cat", filepath.Join(root, "usr/share/doc/inferometer/LICENSE")); !strings.Contains(licence, "Apache License") {
		t.Error("the image does not have our licence")
	}
	if _, err := os.Stat(filepath.Join(root, "bin/sh")); err == nil {
		t.Error("the image has a shell")
	}
	b := newBox(t, root, config.Config.Entrypoint[0])
	said, _ := b.run(t, "", "version")
	saysItsVersion(t, said)
	b.works(t)
}
