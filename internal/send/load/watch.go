package load

import (
	"sync"

	"github.com/inferometer/inferometer/internal/journal"
)

// Watch looks at a run while it goes on and may end it as planned: because enough
// is known, or because no good can come of it any more. What is in flight then is
// waited for, and the run is whole.
type Watch interface {
	// Ended is shown the record of each measured request when it has ended, by many
	// goroutines at a time. It must be quick, since the request's slot is not free
	// before it returns, and keep nothing of the record. True asks for Judge.
	Ended(*journal.Request) bool
	// Judge may take its time: it runs beside the load, one call at a time. What it
	// returns, if not empty, is why no more is sent.
	Judge() (stop string)
}

// watching runs a Watch beside the load. The zero value watches nothing.
type watching struct {
	watch Watch
	asked chan struct{} // Judge is wanted

	reason string // valid when halt was called, or after end
	over   sync.WaitGroup
}

// start begins to watch. halt is called when no more is to be sent.
func (w *watching) start(watch Watch, halt func()) {
	if watch == nil {
		return
	}
	w.watch, w.asked = watch, make(chan struct{}, 1)
	w.over.Go(func() {
		for range w.asked {
			if w.reason = watch.Judge(); w.reason != "" {
				halt()
				return
			}
		}
	})
}

func (w *watching) ended(record *journal.Request) {
	if w.watch == nil || !w.watch.Ended(record) {
		return
	}
	select {
	case w.asked <- struct{}{}:
	default: // it is asked already
	}
}

// end waits for the last judgement. No request may end after it.
func (w *watching) end() {
	if w.watch == nil {
		return
	}
	close(w.asked)
	w.over.Wait()
}
