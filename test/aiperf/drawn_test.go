package aiperf

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// drawnAgent is one whose calls are drawn: its history grows, and now and then it shrinks or is pulled back.
type drawnAgent struct {
	random *rand.Rand
	ids    []int
	fresh  *int // the next id that nobody has had
	model  string
	now    float64
	late   bool // it doesn't wait for its own answers at times
}

func (a *drawnAgent) grow(n int) {
	for range n {
		a.ids = append(a.ids, *a.fresh)
		*a.fresh++
	}
}

func (a *drawnAgent) call() call {
	switch r := a.random.Float64(); {
	case r < 0.1 && len(a.ids) > 3: // compaction
		a.ids = slices.Clone(a.ids[:1+a.random.IntN(len(a.ids)/2)])
		a.grow(1 + a.random.IntN(3))
	case r < 0.2 && len(a.ids) > 3: // one call without the newest blocks
		kept := a.ids
		a.ids = slices.Clone(a.ids[:len(a.ids)-1-a.random.IntN(2)])
		defer func() { a.ids = kept }()
	default:
		a.grow(a.random.IntN(4))
	}
	ids := slices.Clone(a.ids)
	in := len(ids)*64 + a.random.IntN(64)
	if len(ids) == 0 {
		in = 1 + a.random.IntN(300)
	}
	switch r := a.random.Float64(); {
	case r < 0.05:
		ids = []int{}
	case r < 0.1:
		ids = ids[:len(ids)/2]
	}
	api := round(a.random.Float64() * 3)
	if a.random.Float64() < 0.1 {
		api = -1
	}
	c := on(round(a.now), api, in, a.random.IntN(200), ids)
	if a.random.Float64() < 0.02 {
		c.Out, c.In = 5000, c.In+20000
	}
	c.Model = a.model
	gap := a.random.Float64() * 4
	if a.late && a.random.Float64() < 0.3 {
		gap -= api / 2
	}
	if a.random.Float64() < 0.02 {
		gap += 4000
	}
	a.now += max(0, api) + max(gap, 0.1)
	return c
}

// round makes seconds so coarse that now and then two calls begin or end at one time.
func round(s float64) float64 { return math.Round(s*20) / 20 }

// drawn is a job of some agents in one list, and of sub-agents.
func drawn(random *rand.Rand, id string) weka {
	fresh := 0
	var calls []call
	root := &drawnAgent{random: random, fresh: &fresh, model: "big", late: true}
	root.grow(1 + random.IntN(5))
	shared := slices.Clone(root.ids)
	if random.Float64() < 0.2 {
		calls = append(calls, small(on(0, 0.2, 80, 10, []int{100000})))
		root.now = 0.5
	}
	agents := []*drawnAgent{root}
	for range random.IntN(4) {
		a := &drawnAgent{random: random, fresh: &fresh, model: "big", now: round(random.Float64() * 10), late: true}
		if random.Float64() < 0.3 {
			a.model = "small"
		}
		if random.Float64() < 0.8 {
			a.ids = slices.Clone(shared[:1+random.IntN(len(shared))])
		}
		a.grow(1 + random.IntN(3))
		agents = append(agents, a)
	}
	for _, a := range agents {
		for range 1 + random.IntN(8) {
			calls = append(calls, a.call())
		}
	}
	slices.SortStableFunc(calls, func(a, b call) int { return cmp.Compare(a.T, b.T) })
	var list []any
	subs := 0
	for _, c := range calls {
		list = append(list, c)
		if random.Float64() > 0.25 {
			continue
		}
		s := &drawnAgent{random: random, fresh: &fresh, model: "big", now: c.T + round(random.Float64()), late: random.Float64() < 0.3}
		s.grow(2)
		begin := s.now
		var inner []call
		for range 1 + random.IntN(5) {
			inner = append(inner, s.call())
		}
		ms := int((s.now - begin) * 1000)
		if random.Float64() < 0.2 {
			ms = -1
		}
		subs++
		list = append(list, sub(begin, fmt.Sprintf("s%d", subs), ms, inner...))
	}
	slices.SortStableFunc(list, func(a, b any) int { return cmp.Compare(began(a), began(b)) })
	return job(id, list...)
}

func began(entry any) float64 {
	if c, ok := entry.(call); ok {
		return c.T
	}
	return entry.(subagent).T
}
