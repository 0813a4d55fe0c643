//go:build linux && (amd64 || arm64)

package sandbox

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

const orphanVariable = "INFEROMETER_TEST_ORPHAN"

// TestRealOrphan: where we are killed, the sandbox ends with us.
func TestRealOrphan(t *testing.T) {
	if os.Getenv(orphanVariable) != "" {
		s := open(t, Limits{Time: 10 * time.Minute})
		s.started = func(pid int) { fmt.Printf("\nfirst %d\n", pid) }
		_, _ = s.Run(t.Context(), "while True: pass")
		return
	}
	open(t, Limits{}) // or skip
	command := exec.CommandContext(t.Context(), "/proc/self/exe", "-test.run=^TestRealOrphan$")
	command.Env = append(os.Environ(), orphanVariable+"=1")
	out, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	pid := 0
	for lines := bufio.NewScanner(out); pid == 0 && lines.Scan(); {
		if text, ok := strings.CutPrefix(lines.Text(), "first "); ok {
			_, _ = fmt.Sscan(text, &pid)
		}
	}
	if pid == 0 {
		t.Fatal("no sandbox was started: ", command.Wait())
	}
	first, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer closeInherited(first)
	_ = command.Process.Kill()
	_ = command.Wait()
	wait := []unix.PollFd{{Fd: int32(first), Events: unix.POLLIN}}
	if n, err := unix.Poll(wait, 20_000); n != 1 || err != nil {
		t.Errorf("the sandbox goes on: %d, %v", n, err)
	}
}
