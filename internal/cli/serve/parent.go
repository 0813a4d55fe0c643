package serve

import (
	"encoding/json"
	"os"
	"slices"
	"sync"
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
	p := &parent{to: to}
	h.Live, h.Control = &live.Feed{}, &load.Control{}
	h.Live.Listen(p.tell)
	faults := bench.NewFaults(p.ask)
	h.Do = faults.Do
	go bench.ReadCommands(from, h.Control, faults)
}

// parent is the process that started this one.
type parent struct {
	mu sync.Mutex
	to *os.File
}

// tell writes a state. A parent that does not read, because it was stopped, misses it:
// the pipe holds some dozens, and the run does not wait.
func (p *parent) tell(s *live.State) {
	if line, err := json.Marshal(s); err == nil {
		_ = p.write(line, 50*time.Millisecond)
	}
}

// askPatience is how long a parent may take to read what is asked of it.
const askPatience = 5 * time.Second

// ask writes what must not be missed.
func (p *parent) ask(line []byte) error { return p.write(line, askPatience) }

// write writes a line. It begins a new one, in case the last was not written to its end.
func (p *parent) write(line []byte, patience time.Duration) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	_ = p.to.SetWriteDeadline(time.Now().Add(patience))
	_, err := p.to.Write(slices.Concat([]byte("\n"), line, []byte("\n")))
	return err
}
