package spec

import (
	"fmt"
	"sync/atomic"
	"time"
)

// PatternTime is what the patterns of a file may take for a text of no length, and timePerByte for each of
// its bytes: some tens of times what the engine needs for the patterns of real files. A pattern may take time that
// is exponential in the length of what it matches, and a limit of each match alone is none where there are many.
//
// It is measured in time because the engine counts no steps.
var PatternTime = 2 * time.Second

const (
	timePerByte = 10 * time.Microsecond
	tick        = 100 * time.Millisecond
)

// Budget is the time that patterns may take for one text, in ticks: a process that was stopped for a while, with its
// machine or by Ctrl-Z, goes on. It belongs to one goroutine. Where no pattern is matched it costs nothing.
type Budget struct {
	bytes   int
	running *running
	timer   *time.Timer // the first
}

// running is what the clock knows of a budget.
type running struct {
	left  atomic.Int64 // ticks
	ended atomic.Bool
}

// NewBudget is that of a text.
func NewBudget(bytes int) Budget { return Budget{bytes: bytes} }

// Spend is called before each match. It gives up where too much time went by.
func (b *Budget) Spend() {
	switch {
	case b.running == nil:
		b.running = &running{}
		b.running.left.Store(int64((b.all() + tick - 1) / tick))
		b.timer = time.AfterFunc(tick, b.running.tick)
	case b.running.left.Load() <= 0:
		b.End()
		GiveUp(fmt.Errorf("the tokenizer's pattern is too slow: it took more than %v for %d bytes, where those of real tokenizers take a hundredth; use the file of the model's own publisher", b.all(), b.bytes))
	}
}

func (b *Budget) all() time.Duration { return PatternTime + time.Duration(b.bytes)*timePerByte }

// End stops the clock.
func (b *Budget) End() {
	if b.running != nil {
		b.running.ended.Store(true)
		b.timer.Stop()
		b.running = nil
	}
}

func (r *running) tick() {
	if !r.ended.Load() && r.left.Add(-1) > 0 {
		time.AfterFunc(tick, r.tick)
	}
}
