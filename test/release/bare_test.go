package release

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// The binary alone is enough: no C library, no shell, no HOME, no /proc, no /tmp.
func TestBareRoot(t *testing.T) {
	root := t.TempDir()
	b := newBox(t, root, "/inferometer")
	build := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", filepath.Join(root, "inferometer"), "../../cmd/inferometer")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if err := os.Mkdir(filepath.Join(root, "work"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(root, 0o755); err != nil {
		t.Fatal(err)
	}
	b.works(t)
}
