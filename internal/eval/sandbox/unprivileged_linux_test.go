//go:build linux && (amd64 || arm64)

package sandbox

import (
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestRealUnprivileged runs the hostile programs again as a user without rights, where this
// test has them: there the program's user can't be another one than ours.
func TestRealUnprivileged(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("this user has no rights: the other tests show it")
	}
	if testing.Short() {
		t.Skip("the hostile programs once more take a minute")
	}
	const python = "/usr/bin/python3"
	user := &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 12345, Gid: 12345}}
	try := exec.CommandContext(t.Context(), python, "-c", "")
	try.SysProcAttr = user
	if err := try.Run(); err != nil {
		t.Skipf("no Python that everybody may start: %v", err)
	}
	folder, err := os.MkdirTemp("/tmp", "inferometer-unprivileged-*")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	if err := os.Chmod(folder, 0o777); err != nil {
		t.Fatal(err)
	}
	own := copyProgram(t, folder)
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Minute)
	defer cancel()
	command := exec.CommandContext(ctx, own, "-test.run=^TestRealHostile$", "-test.v")
	command.Dir, command.SysProcAttr = folder, user
	command.Env = []string{"HOME=" + folder, "TMPDIR=" + folder, "PATH=/usr/bin:/bin", "INFEROMETER_CODE_PYTHON=" + python}
	out, err := command.CombinedOutput()
	switch {
	case strings.Contains(string(out), ErrMissing.Error()):
		t.Skipf("this kernel gives users without rights no namespaces:\n%s", out)
	case err != nil || !strings.Contains(string(out), "--- PASS: TestRealHostile/filtered/chroot_and_mounts"):
		t.Errorf("%v\n%s", err, out)
	}
}

// copyProgram puts this test's program where others may start it.
func copyProgram(t *testing.T, folder string) string {
	t.Helper()
	from, err := os.Open("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	defer from.Close()
	path := filepath.Join(folder, "sandbox.test")
	to, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE, 0o755)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(to, from); err != nil {
		t.Fatal(err)
	}
	if err := to.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}
