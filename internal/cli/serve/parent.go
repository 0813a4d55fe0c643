package serve

import (
	"encoding/json"
	"io"
	"os"
	"time"

	"github.com/inferometer/inferometer/internal/bench"
	"github.com/inferometer/inferometer/internal/send/live"
	"github.com/inferometer/inferometer/internal/send/load"
)

// toParent has a run that another of our processes started tell it how it goes, and take its pauses.
func toParent(h *bench.Host) {
	to, from := bench.Parent()
	if to == nil {
		return
	}
	h.Live, h.Control = &live.Feed{}, &load.Control{}
	h.Live.Listen(func(s *live.State) { tellParent(to, s) })
	go bench.ReadCommands(from, h.Control)
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
