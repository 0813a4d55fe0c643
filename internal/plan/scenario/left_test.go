package scenario

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/inferometer/inferometer/internal/plan/run"
)

// TestRealServerThatLeftItsGroup: a command that starts its server as a daemon leaves it
// behind, which the user is told with its number.
func TestRealServerThatLeftItsGroup(t *testing.T) {
	if _, err := exec.LookPath("setsid"); err != nil || runtime.GOOS != "linux" {
		t.Skip("no setsid, or no /proc")
	}
	w := newWorld(t)
	r := w.runner(planOf(t, fmt.Sprintf(`
name: daemon
targets: {a: {command: ["sh", "-c", "setsid sleep 300 </dev/null >/dev/null 2>&1 3>&- & : > %s; echo {port}; sleep 0.2"]}}
matrix: {concurrency: [1]}
`, filepath.Join(w.dir, "started"))))
	var notes []string
	r.Observe = func(e run.Event) {
		if e.Kind == run.Note {
			notes = append(notes, e.Text)
		}
	}
	if _, err := r.Run(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile(`left its process group, so it was not ended: process (\d+) \("sleep"\) still runs; end it by hand`).
		FindStringSubmatch(strings.Join(notes, "\n"))
	if m == nil {
		t.Fatalf("told: %q", notes)
	}
	pid, err := strconv.Atoi(m[1])
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Errorf("it does not run: %v", err)
	}
}
