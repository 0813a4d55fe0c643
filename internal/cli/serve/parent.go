package serve

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"syscall"
	"time"

	"github.com/inferometer/inferometer/internal/bench"
	"github.com/inferometer/inferometer/internal/send/live"
	"github.com/inferometer/inferometer/internal/send/load"
)

// toParent has a run that another of our processes started tell it how it goes, and take its
// pauses. The variable is taken away: what this process starts has not the pipes.
func toParent(h *bench.Host) {
	said, ok := os.LookupEnv(bench.ParentVariable)
	if !ok {
		return
	}
	_ = os.Unsetenv(bench.ParentVariable)
	var states, commands int
	if _, err := fmt.Sscanf(said, "%d,%d", &states, &commands); err != nil || states < 3 || commands < 3 {
		return
	}
	to, from := pipe(states, "states"), pipe(commands, "commands")
	if to == nil || from == nil {
		return
	}
	h.Live, h.Control = &live.Feed{}, &load.Control{}
	h.Live.Listen(func(s *live.State) { tellParent(to, s) })
	go bench.ReadCommands(from, h.Control)
}

// pipe is an open descriptor; nil: it is none, or no pipe.
func pipe(fd int, name string) *os.File {
	var stat syscall.Stat_t
	if err := syscall.Fstat(fd, &stat); err != nil || stat.Mode&syscall.S_IFMT != syscall.S_IFIFO {
		return nil
	}
	syscall.CloseOnExec(fd)
	if syscall.SetNonblock(fd, true) != nil {
		return nil
	}
	return os.NewFile(uintptr(fd), name)
}

// tellParent writes a state. A parent that does not read, because it was stopped, misses it:
// the pipe holds some dozens, and the run does not wait.
func tellParent(to *os.File, s *live.State) {
	line, err := json.Marshal(s)
	if err != nil {
		return
	}
	_ = to.SetWriteDeadline(time.Now().Add(50 * time.Millisecond))
	_, _ = io.WriteString(to, string(line)+"\n")
}
