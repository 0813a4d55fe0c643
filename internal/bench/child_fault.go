package bench

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"github.com/inferometer/inferometer/internal/outside"
	"github.com/inferometer/inferometer/internal/spec/fault"
)

// A child whose servers its parent has started asks it to do faults to them: a line of JSON there, one back.

// faultAsk is what a child asks for.
type faultAsk struct {
	ID     int          `json:"fault_id"` // from 1
	Fault  *fault.Fault `json:"fault,omitempty"`
	Cancel bool         `json:"cancel,omitempty"` // it does not wait any longer
}

// faultDone is what the parent answers. Moments are the system's: both processes are on one machine.
type faultDone struct {
	ID    int    `json:"fault_id"`
	Began int64  `json:"began,omitempty"` // ns since 1970; 0: not at all
	Ended int64  `json:"ended,omitempty"`
	URL   string `json:"url,omitempty"`
	What  string `json:"what,omitempty"`
	Error string `json:"error,omitempty"`
	Over  bool   `json:"over,omitempty"` // the child did not wait
}

// Faults has a child's parent do faults to the servers.
type Faults struct {
	write func(line []byte) error

	mu      sync.Mutex
	last    int
	waiting map[int]chan faultDone
}

// NewFaults asks by lines that write writes.
func NewFaults(write func(line []byte) error) *Faults {
	return &Faults{write: write, waiting: map[int]chan faultDone{}}
}

// cancelPatience is how long a parent may take to tell how far it came.
const cancelPatience = 2 * time.Second

// Do is a fault.Doer.
func (a *Faults) Do(ctx context.Context, f fault.Fault) (fault.Done, error) {
	answer := make(chan faultDone, 1)
	a.mu.Lock()
	a.last++
	id := a.last
	a.waiting[id] = answer
	a.mu.Unlock()
	defer func() {
		a.mu.Lock()
		delete(a.waiting, id)
		a.mu.Unlock()
	}()
	if err := a.ask(faultAsk{ID: id, Fault: &f}); err != nil {
		return fault.Done{}, err
	}
	select {
	case d := <-answer:
		return d.done(ctx)
	case <-ctx.Done():
	}
	if err := a.ask(faultAsk{ID: id, Cancel: true}); err != nil {
		return fault.Done{}, err
	}
	select {
	case d := <-answer:
		return d.done(ctx)
	case <-time.After(cancelPatience):
		return fault.Done{}, context.Cause(ctx)
	}
}

func (a *Faults) ask(q faultAsk) error {
	line, err := json.Marshal(q)
	if err != nil {
		return err
	}
	return a.write(line)
}

// done puts the moments on this process's clock: only differences of the system's are used.
func (d *faultDone) done(ctx context.Context) (done fault.Done, err error) {
	now := time.Now()
	at := func(ns int64) time.Time {
		if ns == 0 {
			return time.Time{}
		}
		return now.Add(time.Duration(ns - now.UnixNano()))
	}
	done = fault.Done{Began: at(d.Began), Ended: at(d.Ended), URL: d.URL, What: d.What}
	switch {
	case d.Over && ctx.Err() != nil:
		err = context.Cause(ctx)
	case d.Error != "":
		err = errors.New(d.Error)
	}
	return done, err
}

// Answer takes a line of the parent's; false: it is none about a fault.
func (a *Faults) Answer(line []byte) bool {
	var d faultDone
	if json.Unmarshal(line, &d) != nil || d.ID == 0 {
		return false
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if answer := a.waiting[d.ID]; answer != nil {
		select {
		case answer <- d:
		default:
		}
	}
	return true
}

// faultDesk does for a parent what its child asks for.
type faultDesk struct {
	do     fault.Doer // nil: nothing
	answer func(line []byte)

	ctx    context.Context
	close  context.CancelFunc
	active sync.WaitGroup
	mu     sync.Mutex
	under  map[int]context.CancelCauseFunc
}

func newFaultDesk(do fault.Doer, answer func(line []byte)) *faultDesk {
	d := &faultDesk{do: do, answer: answer, under: map[int]context.CancelCauseFunc{}}
	d.ctx, d.close = context.WithCancel(context.Background())
	return d
}

// errNotWaited says that the child did not wait for the end of a fault.
var errNotWaited = errors.New("nobody waits for it any more")

// maxUnderWay bounds what is done at a time.
const maxUnderWay = 1000

// take takes a line of a child's; false: it asks for nothing.
func (d *faultDesk) take(line []byte) bool {
	var q faultAsk
	if json.Unmarshal(line, &q) != nil || q.ID == 0 {
		return false
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if q.Cancel {
		if cancel := d.under[q.ID]; cancel != nil {
			cancel(errNotWaited)
		}
		return true
	}
	if q.Fault == nil || d.under[q.ID] != nil || len(d.under) >= maxUnderWay || d.ctx.Err() != nil {
		return true
	}
	ctx, cancel := context.WithCancelCause(d.ctx)
	d.under[q.ID] = cancel
	d.active.Go(func() {
		d.perform(ctx, q)
		cancel(nil)
		d.mu.Lock()
		delete(d.under, q.ID)
		d.mu.Unlock()
	})
	return true
}

func (d *faultDesk) perform(ctx context.Context, q faultAsk) {
	out := faultDone{ID: q.ID, Error: "nobody here has started the servers"}
	if d.do != nil {
		done, err := d.do(ctx, *q.Fault)
		out = faultDone{ID: q.ID, Began: nanoseconds(done.Began), Ended: nanoseconds(done.Ended), URL: done.URL, What: done.What}
		if err != nil {
			out.Error, out.Over = outside.Sentence(err.Error()), errors.Is(err, errNotWaited)
		}
	}
	line, err := json.Marshal(out)
	if err == nil {
		d.answer(line)
	}
}

func nanoseconds(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixNano()
}

// end ends what is under way: nothing is done to servers after it.
func (d *faultDesk) end() {
	d.mu.Lock()
	d.close()
	d.mu.Unlock()
	d.active.Wait()
}
