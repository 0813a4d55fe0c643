package bench_test

import (
	"context"
	"slices"
	"sync"
	"testing"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/observe"
)

// counting is an observer: a type of one file, and an entry in a list.
type counting struct {
	observe.Base
	mu    sync.Mutex
	steps []string
	ended int
}

func (c *counting) step(name string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.steps = append(c.steps, name)
}

func (c *counting) Open(_ context.Context, r *observe.Run) error {
	if r.First != nil || r.Folder == "" || r.Model == "" || len(r.Targets) != 1 {
		c.step("not as it should be at")
	}
	c.step("open")
	return nil
}

func (c *counting) Start() error { c.step("start"); return nil }

func (c *counting) Ended(*journal.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ended++
}

func (c *counting) Stop(context.Context, *journal.End) error { c.step("stop"); return nil }

func (c *counting) Finish(_ context.Context, _ <-chan struct{}, end *journal.End) error {
	if end.Sent == 120 {
		c.step("finish")
	}
	return nil
}

func (c *counting) Close() { c.step("close") }

// An observer is one file and an entry in the list: it is told of each step, and sees each request.
func TestAnObserverThatCounts(t *testing.T) {
	play(t, func(s *stage) {
		c := &counting{}
		s.observers = []observe.Observer{c}
		address, _ := s.sim(nil)
		s.bench(address, usual)
		if want := []string{"open", "start", "stop", "finish", "close"}; c.ended != 120 || !slices.Equal(c.steps, want) {
			t.Errorf("%d requests, steps %v", c.ended, c.steps)
		}
	})
}
