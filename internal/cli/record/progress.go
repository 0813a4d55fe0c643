package record

import (
	"sync"
	"time"

	"github.com/inferometer/inferometer/internal/cli/command"
	"github.com/inferometer/inferometer/internal/record"
)

// progress is what the user sees: lines that stay, and on a terminal one that changes.
type progress struct {
	mu   sync.Mutex
	line *command.Line
}

func (p *progress) say(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.line.Print(format, args...)
}

// follow shows the counts on a terminal until the function that it gives is called.
func (p *progress) follow(r *record.Recorder) (stop func()) {
	if !p.line.Live() {
		return func() {}
	}
	end, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(500 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-end:
				return
			case <-tick.C:
				c := r.Counts()
				p.mu.Lock()
				p.line.Set("%d requests, %d in flight, %d failed, %d rows written, %d others", c.Requests, c.InFlight, c.Failed, c.Written, c.Others)
				p.mu.Unlock()
			}
		}
	}()
	return func() {
		close(end)
		<-done
	}
}
