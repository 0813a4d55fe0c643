// Package prompts makes texts with an exact number of tokens: by a tokenizer at hand, by a server's, or of
// built-in words; ahead of time and side by side, with the same result whatever the number of workers.
package prompts

import (
	"runtime"
	"sync"
)

const (
	// aheadTasks is how many prompts are made before they are asked for: at 1,000
	// requests a second a quarter of a second, more than a sender is ever held up.
	AheadTasks = 256
	// aheadTokens bounds them where prompts are long: some 10 MB of ids and text.
	AheadTokens = 1 << 20
)

// Ahead makes tasks before they are asked for, by several workers, and gives them
// out in order. What depends on the order, such as drawing from a stream of random
// numbers, belongs into plan; what costs time into run. So the tasks are the same
// whatever the number of workers.
type Ahead[T any] struct {
	plan    func() (task T, ok bool) // in order; by one goroutine; not ok: no more
	run     func(task T)             // in any order; by many goroutines
	Workers int                      // 0: no goroutine, next does all
	Window  int                      // tasks that may wait to be given out

	once    sync.Once
	ordered chan *pending[T]
	Group   sync.WaitGroup
	stopped sync.Once
	quit    chan struct{}
}

type pending[T any] struct {
	task T
	done chan struct{} // closed when it has run
}

func NewAhead[T any](tokens int, plan func() (T, bool), run func(T)) *Ahead[T] {
	// One core is left to those who send.
	workers := max(1, runtime.GOMAXPROCS(0)-1)
	window := max(2*workers, min(AheadTasks, AheadTokens/max(tokens, 1)))
	return &Ahead[T]{plan: plan, run: run, Workers: workers, Window: window, quit: make(chan struct{})}
}

// Start begins to make tasks; it may be called again.
func (a *Ahead[T]) Start() {
	if a.Workers == 0 {
		return
	}
	a.once.Do(func() {
		a.ordered = make(chan *pending[T], a.Window)
		work := make(chan *pending[T], a.Window) // so that no worker waits for the planner
		a.Group.Go(func() { a.planAll(work) })
		for range a.Workers {
			a.Group.Go(func() { a.runAll(work) })
		}
	})
}

func (a *Ahead[T]) planAll(work chan<- *pending[T]) {
	defer close(a.ordered)
	defer close(work)
	for {
		task, ok := a.plan()
		if !ok {
			return
		}
		p := &pending[T]{task, make(chan struct{})}
		if !a.send(a.ordered, p) || !a.send(work, p) {
			return
		}
	}
}

// send is false when a was stopped.
func (a *Ahead[T]) send(to chan<- *pending[T], p *pending[T]) bool {
	select {
	case to <- p:
		return true
	case <-a.quit:
		return false
	}
}

func (a *Ahead[T]) runAll(work <-chan *pending[T]) {
	for p := range work {
		if a.isStopped() { // what still waits is not wanted
			return
		}
		a.run(p.task)
		close(p.done)
	}
}

func (a *Ahead[T]) isStopped() bool {
	select {
	case <-a.quit:
		return true
	default:
		return false
	}
}

// Next gives the next task, which has run; not ok: there are no more, or a was stopped.
func (a *Ahead[T]) Next() (task T, ok bool) {
	if a.isStopped() {
		return task, false
	}
	if a.Workers == 0 {
		if task, ok = a.plan(); ok {
			a.run(task)
		}
		return task, ok
	}
	a.Start()
	p, ok := <-a.ordered // closed at the end, and when stopped
	if !ok {
		return task, false
	}
	select {
	case <-a.quit:
		return task, false
	case <-p.done:
		return p.task, true
	}
}

// Stop ends the workers and waits until they are gone. It may be called again,
// by any goroutine, and before start.
func (a *Ahead[T]) Stop() {
	a.stopped.Do(func() { close(a.quit) })
	a.once.Do(func() { // never to start
		a.ordered = make(chan *pending[T])
		close(a.ordered)
	})
	a.Group.Wait()
}
