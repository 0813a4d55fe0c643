package client

import (
	"sort"
	"sync"
	"time"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/send/load"
)

// Wakeups measures how late this process runs when something is due: a hypervisor, a quota or other programs had the
// processor. A timer comes by the same way as bytes do, through Go's poller and scheduler; where the kernel does not
// say when bytes arrived, each event's time is late by as much.
type Wakeups struct {
	now        func() int64 // the run's clock
	quit, done chan struct{}

	mu    sync.Mutex
	worst int64 // since it was last asked
	held  []load.Hold
	next  int // of held, a ring
	// Timers so far, those of them that were late by more than is usual and by no more than LongestTurn, and by how much.
	wakes, late, lateNs int64
}

const (
	// wakeEvery is often enough that the worst of a second is about a p99.
	wakeEvery = 5 * time.Millisecond
	// lateFrom is where a timer counts as late: below it lies what a quiet machine does.
	lateFrom = 300 * time.Microsecond
	// maxHeld are kept: some twenty seconds of a machine on which every timer is late.
	maxHeld = 4096
)

// StartWakeups begins to measure, by the clock of a run.
func StartWakeups(now func() int64) *Wakeups {
	w := &Wakeups{now: now, quit: make(chan struct{}), done: make(chan struct{})}
	go func() {
		defer close(w.done)
		timer := time.NewTimer(0)
		defer timer.Stop()
		<-timer.C
		for {
			due := w.now() + int64(wakeEvery)
			timer.Reset(wakeEvery)
			select {
			case <-timer.C:
			case <-w.quit:
				return
			}
			w.woke(due, w.now())
		}
	}()
	return w
}

func (w *Wakeups) woke(due, at int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	late := at - due
	w.worst = max(w.worst, late)
	if w.wakes++; late < int64(lateFrom) {
		return
	}
	if late <= journal.LongestTurn {
		w.late, w.lateNs = w.late+1, w.lateNs+late
	}
	if len(w.held) < maxHeld {
		w.held = append(w.held, load.Hold{From: due, To: at})
		return
	}
	w.held[w.next] = load.Hold{From: due, To: at}
	w.next = (w.next + 1) % maxHeld
}

// Take gives the worst since the last time, and the counts so far; 0 where nothing measures.
func (w *Wakeups) Take() (worst, wakes, late, lateNs int64) {
	if w == nil {
		return 0, 0, 0, 0
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	worst, w.worst = w.worst, 0
	return worst, w.wakes, w.late, w.lateNs
}

// Holds appends the times between two moments in which this process was held up. What lies further back than maxHeld
// of them is known no more.
func (w *Wakeups) Holds(room []load.Hold, from, to int64) []load.Hold {
	if w == nil {
		return room
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	at := func(i int) load.Hold { return w.held[(w.next+i)%len(w.held)] }
	for i := sort.Search(len(w.held), func(i int) bool { return at(i).To > from }); i < len(w.held) && at(i).From < to; i++ {
		room = append(room, at(i))
	}
	return room
}

// Stop ends it. A nil Wakeups measures nothing.
func (w *Wakeups) Stop() {
	if w != nil {
		close(w.quit)
		<-w.done
	}
}
