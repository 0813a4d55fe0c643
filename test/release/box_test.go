// Package release tests what people install: the binary in a root with nothing else,
// the container image, the packages and the archives. `make test-release` builds them.
package release

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/inferometer/inferometer/internal/sim/subprocess"
)

// nobody is the user of the container image.
const nobody = 65532

// enter makes the root read-only, mounts a folder at /work if there is one, and runs the
// program there as nobody, without a variable of the environment. The mounts end with it.
const enter = `set -e
root=$1 work=$2; shift 2
mount --bind "$root" "$root"
mount -o remount,bind,ro "$root"
[ -z "$work" ] || mount --bind "$work" "$root/work"
exec env -i unshare --root="$root" --wd=/work --setgid 65532 --setuid 65532 -- "$@"`

// A box is a root folder that has no more in it than what is tested.
type box struct{ root, work, program string }

// newBox gives a box for a root. Without the rights for it the test is left out.
func newBox(t *testing.T, root, program string) *box {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("a root of its own needs root: mounts and another user")
	}
	if out, err := exec.Command("unshare", "--mount", "--propagation", "private", "true").CombinedOutput(); err != nil {
		t.Skipf("this machine gives no mounts of one's own: %v: %s", err, out)
	}
	work := t.TempDir()
	if err := os.Chown(work, nobody, nobody); err != nil {
		t.Fatal(err)
	}
	return &box{root: root, work: work, program: program}
}

func (b *box) command(work string, args ...string) *exec.Cmd {
	all := append([]string{"--mount", "--propagation", "private", "sh", "-c", enter, "sh", b.root, work, b.program}, args...)
	return exec.Command("unshare", all...)
}

// run gives what a command in the box says, and its exit code.
func (b *box) run(t *testing.T, work string, args ...string) (said string, code int) {
	t.Helper()
	var out bytes.Buffer
	cmd := b.command(work, args...)
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	if _, exited := err.(*exec.ExitError); err != nil && !exited {
		t.Fatal(err)
	}
	return out.String(), cmd.ProcessState.ExitCode()
}

// works does in the box what a first user does: version, sim, bench serve, report.
func (b *box) works(t *testing.T) {
	t.Helper()
	said, code := b.run(t, "", "version")
	if code != 0 || !strings.HasPrefix(said, "inferometer ") {
		t.Fatalf("version: exit code %d, %s", code, said)
	}
	sim, err := subprocess.Run(b.command("", "sim", "--listen", "127.0.0.1:0", "--until-eof", "--ttft", "5ms", "--itl", "1ms"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = sim.Stop() })
	bench := []string{
		"bench", "serve", "--base-url", sim.URL, "--model", "sim", "--num-prompts", "20", "--max-concurrency", "4",
		"--random-input-len", "8", "--random-output-len", "4", "--quiet",
	}
	if said, code = b.run(t, b.work, append(bench, "--run-dir", "first")...); code != 0 {
		t.Fatalf("bench serve: exit code %d, %s", code, said)
	}
	if said, code = b.run(t, b.work, "report", "first"); code != 0 || !strings.Contains(said, "Successful requests:                     20") {
		t.Errorf("report: exit code %d, %s", code, said)
	}
	if said, code = b.run(t, b.work, "report", "first", "-o", "report.html"); code != 0 {
		t.Errorf("report -o: exit code %d, %s", code, said)
	}
	if _, err := os.Stat(filepath.Join(b.work, "report.html")); err != nil {
		t.Error(err)
	}
	// With nowhere to write to, the user is told what to do.
	if said, code = b.run(t, "", bench...); code == 0 || !strings.Contains(said, "--run-dir") {
		t.Errorf("bench serve without a folder to write to: exit code %d, %s", code, said)
	}
}
