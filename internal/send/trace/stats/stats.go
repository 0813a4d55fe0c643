// Package stats says what a trace holds: how requests arrive, how long they are, how
// many turns its sessions have, and how much of its prompts a prefix cache without
// bounds would know. It sees each row once and keeps a bounded part of it, so that a
// trace of any length is read in the same memory.
package stats

import (
	"errors"
	"io"
	"math"
	"time"

	"github.com/inferometer/inferometer/internal/send/trace"
)

// Stats are the numbers of one trace.
type Stats struct {
	Format   string    `json:"format"`
	Files    []string  `json:"files"`
	Rows     int       `json:"rows"`
	Failed   int       `json:"failed"` // rows that say they had no answer; they are in no other number but arrivals
	Images   int       `json:"images"`
	Arrivals *Arrivals `json:"arrivals"` // nil: the rows have no times
	// Rows whose prompt or answer has a length that nobody knows are in no number of lengths.
	NoInput   int       `json:"input_unknown"`
	NoOutput  int       `json:"output_unknown"`
	Estimated int       `json:"output_estimated"` // answers whose length is a count of their events
	Input     *Lengths  `json:"input_tokens"`     // nil: none is known
	Output    *Lengths  `json:"output_tokens"`
	Sessions  *Sessions `json:"sessions"` // nil: the rows name none
	Trees     *Trees    `json:"trees"`    // nil: nothing tells which rows belong together
	Cache     *Cache    `json:"cache"`    // nil: nothing is known of what prompts share
}

// Sessions are the conversations.
type Sessions struct {
	Count int     `json:"count"`
	Rows  int     `json:"rows"` // that belong to one
	Turns Lengths `json:"turns"`
	Most  bool    `json:"more,omitempty"` // there are more, which were not counted
}

// Read goes through a trace. With split, agents are told apart by their prompts.
func Read(t *trace.Trace, split bool) (*Stats, error) {
	s := &Stats{Format: t.Format.Name, Files: t.Files}
	trees, err := t.Trees(trace.TreeOptions{Split: split})
	switch {
	case err == nil:
		defer trees.Close()
	case !errors.Is(err, trace.ErrNoSessions):
		return nil, err
	}
	if !t.Format.OfTrees() {
		if s, err = readRows(t); err != nil {
			return nil, err
		}
	}
	if trees != nil {
		err = s.readTrees(trees, t.Format)
	}
	return s, err
}

func readRows(t *trace.Trace) (*Stats, error) {
	c := newCollector(t)
	from := t.Rows()
	defer from.Close()
	var r trace.Row
	for {
		err := from.Next(&r)
		if errors.Is(err, io.EOF) {
			return c.stats(), nil
		}
		if err != nil {
			return nil, err
		}
		c.add(&r)
	}
}

type collector struct {
	*Stats
	history       bool
	arrivals      arrivals
	input, output lengths
	turns         map[uint64]int32 // by session
	inSession     int
	more          bool
	blocks        blocks
	grown         growth
}

// mostSessions bounds what is kept of them.
const mostSessions = 1 << 22

func newCollector(t *trace.Trace) *collector {
	return &collector{
		Stats: &Stats{Format: t.Format.Name, Files: t.Files}, history: t.Format.History,
		input: lengths{}, output: lengths{}, turns: map[uint64]int32{}, grown: growth{longest: map[uint64]int32{}},
	}
}

func (c *collector) add(r *trace.Row) {
	c.Rows++
	c.arrivals.add(r.At)
	c.Images += r.Images
	if r.Failed {
		c.Failed++
		return
	}
	if r.NoInput {
		c.NoInput++
	} else {
		c.input.add(r.Input)
	}
	if r.NoOutput {
		c.NoOutput++
	} else {
		c.output.add(r.Output)
	}
	if r.Estimated {
		c.Estimated++
	}
	if r.Session != 0 {
		c.inSession++
		if _, known := c.turns[r.Session]; known || len(c.turns) < mostSessions {
			c.turns[r.Session]++
		} else {
			c.more = true
		}
	}
	if len(r.IDs) > 0 {
		c.blocks.add(r)
	}
	if c.history {
		c.grown.add(r)
	}
}

func (c *collector) stats() *Stats {
	s := c.Stats
	s.Input, s.Output = c.input.known(), c.output.known()
	s.Arrivals = c.arrivals.summary()
	if len(c.turns) > 0 {
		turns := lengths{}
		for _, n := range c.turns {
			turns.add(int(n))
		}
		s.Sessions = &Sessions{Count: len(c.turns), Rows: c.inSession, Turns: turns.summary(), Most: c.more}
	}
	switch {
	case c.blocks.rows > 0:
		s.Cache = c.blocks.summary(c.input.summary().Sum)
	case c.history && len(c.turns) > 0:
		s.Cache = c.grown.summary()
	}
	return s
}

// Arrivals are when requests came.
type Arrivals struct {
	Span   time.Duration `json:"-"`
	Length float64       `json:"span_s"`
	Rate   float64       `json:"rate_per_s"` // rows / span
	// GapCV is the deviation of the gaps between rows as a share of their mean: 1 for a
	// Poisson process, more for bursts. Rows that step back in time count as gaps of 0.
	GapCV     float64 `json:"gap_cv"`
	SameTime  int     `json:"same_time"` // rows with the very time of the one before
	Backwards int     `json:"backwards"` // rows with an earlier one
	Slot      float64 `json:"slot_s"`
	Counts    []int   `json:"counts"`     // rows in each slot
	Peak      float64 `json:"peak_per_s"` // of the fullest slot
}

// arrivals counts rows in slots of time, whose width doubles when they are too many.
type arrivals struct {
	n               int
	low, high, last time.Duration
	same, back      int
	gaps            float64 // their mean so far, and the sum of squares around it
	squares         float64
	width           time.Duration
	slots           map[int64]int
}

const (
	narrowSlot = time.Millisecond
	mostSlots  = 4096
	shownSlots = 240 // a picture has no more
)

func (a *arrivals) add(at time.Duration) {
	if a.n == 0 {
		a.low, a.high, a.width, a.slots = at, at, narrowSlot, map[int64]int{}
	} else {
		gap := (at - a.last).Seconds()
		switch {
		case gap == 0:
			a.same++
		case gap < 0:
			a.back++
			gap = 0
		}
		d := gap - a.gaps
		a.gaps += d / float64(a.n)
		a.squares += d * (gap - a.gaps)
	}
	a.n++
	a.last, a.low, a.high = at, min(a.low, at), max(a.high, at)
	a.slots[floorDiv(int64(at), int64(a.width))]++
	for len(a.slots) > mostSlots {
		a.widen()
	}
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

func (a *arrivals) widen() {
	a.width *= 2
	wide := make(map[int64]int, len(a.slots))
	for at, n := range a.slots {
		wide[floorDiv(at, 2)] += n
	}
	a.slots = wide
}

// summary is nil where all rows have the same time: then the trace has none.
func (a *arrivals) summary() *Arrivals {
	span := a.high - a.low
	if a.n < 2 || span <= 0 {
		return nil
	}
	s := &Arrivals{Span: span, Length: span.Seconds(), Rate: float64(a.n) / span.Seconds(), SameTime: a.same, Backwards: a.back}
	if a.gaps > 0 {
		s.GapCV = math.Sqrt(a.squares/float64(a.n-1)) / a.gaps
	}
	for span/a.width >= shownSlots {
		a.widen()
	}
	from := floorDiv(int64(a.low), int64(a.width))
	s.Counts = make([]int, floorDiv(int64(a.high), int64(a.width))-from+1)
	for at, n := range a.slots {
		s.Counts[at-from] = n
		s.Peak = max(s.Peak, float64(n)/a.width.Seconds())
	}
	s.Slot = a.width.Seconds()
	return s
}
