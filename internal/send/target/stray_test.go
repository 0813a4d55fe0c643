package target

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestRealLeft: a server that left its group, with or without the descriptors that it was
// given, is not silently left behind. One that stayed is no reason for a word.
func TestRealLeft(t *testing.T) {
	if _, err := exec.LookPath("setsid"); err != nil {
		t.Skip("no setsid")
	}
	for _, tt := range []struct {
		name, script string
		left         bool
	}{
		{"stays", family, false},
		{"leaves", `setsid sh -c 'echo $$ >>"$0"; echo $$ >>"$0"; exec sleep 300' "$1" & wait`, true},
		{"leaves as a daemon does", `setsid sh -c 'echo $$ >>"$0"; echo $$ >>"$0"; exec sleep 300' "$1" </dev/null >/dev/null 2>&1 3>&- &`, runtime.GOOS == "linux"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			folder := t.TempDir()
			c := familyIn(folder)
			c.Args[2], c.Grace = tt.script, 100*time.Millisecond
			p, err := Start(c)
			if err != nil {
				t.Fatal(err)
			}
			defer p.Stop()
			stray := awaitPIDs(t, folder)[0]
			p.Stop()
			if !tt.left {
				if p.Left() != "" {
					t.Errorf("%s", p.Left())
				}
				return
			}
			defer awaitGone(t, []int{stray})
			defer func() { _ = syscall.Kill(stray, syscall.SIGKILL) }()
			if !alive(stray) {
				t.Fatal("it is gone: the test shows nothing")
			}
			want := "left its "
			if runtime.GOOS == "linux" {
				want = fmt.Sprintf(`process %d ("sleep") still runs; end it by hand`, stray)
			}
			if !strings.Contains(p.Left(), want) {
				t.Errorf("%q does not say %q", p.Left(), want)
			}
		})
	}
	if len(strays(markName+"=", os.Getpid())) > 0 {
		t.Error("half a mark is taken for one")
	}
}
