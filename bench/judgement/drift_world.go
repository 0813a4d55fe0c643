package main

import (
	"container/heap"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"sort"

	"github.com/inferometer/inferometer/internal/journal"
)

// world is a server without a socket, in virtual time, and the load on it.
type world struct {
	requests, slots int     // of a closed loop
	busy            float64 // of an open one: the share of what the server can do that is asked for; 0: closed
	places          int     // at which the server works; 0: as many as requests
	lengths         float64 // σ of the logarithm of answers' and prompts' lengths
	noise           float64 // σ of the logarithm of a request's own speed
	waves           float64 // σ of a speed that all share, which comes and goes
	stalls          float64 // of 200 ms each, so many a run, in which nothing moves
	hogs            float64 // so many a run, 2 % of it each, 1.5 times slower

	change float64 // by which the server becomes slower
	place  float64 // of the change in the run, as a share of the requests
	ramp   float64 // share of the requests over which it comes about; 0: at once
}

const (
	drawnFirst  = 0.060 // seconds to a first token
	drawnToken  = 0.010 // seconds between tokens
	drawnTokens = 40
)

// drawnRequest is one request in the server's own time, which runs slower than ours where the server is slow.
type drawnRequest struct{ sent, first, end float64 }

// soonest is a heap of moments.
type soonest []float64

func (t soonest) Len() int           { return len(t) }
func (t soonest) Less(i, j int) bool { return t[i] < t[j] }
func (t soonest) Swap(i, j int)      { t[i], t[j] = t[j], t[i] }
func (t *soonest) Push(x any)        { *t = append(*t, x.(float64)) }
func (t *soonest) Pop() any {
	last := (*t)[len(*t)-1]
	*t = (*t)[:len(*t)-1]
	return last
}

// run draws a journal.
func (w *world) run(random *rand.Rand) *memory {
	m := &memory{run: journal.Run{Schema: 1, Clock: "kernel", Options: journal.Options{Pace: "closed", MaxConcurrency: w.slots}}}
	if w.busy > 0 {
		m.run.Options.Pace, m.run.Options.MaxConcurrency, m.run.Options.Burstiness = "poisson", 0, 1
	}
	works, tokens := make([][2]float64, w.requests), make([]int, w.requests)
	sum := 0.0
	for i := range works {
		own := math.Exp(w.noise * random.NormFloat64())
		prompt := math.Exp(w.lengths*random.NormFloat64() - w.lengths*w.lengths/2)
		tokens[i] = max(int(drawnTokens*math.Exp(w.lengths*random.NormFloat64()-w.lengths*w.lengths/2)), 2)
		works[i] = [2]float64{drawnFirst * (0.3 + 0.7*prompt) * own, drawnToken * float64(tokens[i]-1) * own}
		sum += works[i][0] + works[i][1]
	}
	var clock *timeline
	var all []drawnRequest
	if w.busy > 0 {
		rate := w.busy * float64(max(w.places, 1)) / (sum / float64(w.requests))
		clock = w.timeline(random, float64(w.requests)/rate, false)
		all = w.serve(works, func() func(float64) float64 {
			now := 0.0
			return func(float64) float64 { now += random.ExpFloat64() / rate; return clock.inner(now) }
		}())
	} else {
		all = w.serve(works, nil)
		clock = w.timeline(random, all[len(all)-1].sent, true)
		if w.change != 0 {
			clock.slow(w, all[int(w.place*float64(len(all)))].sent, all[min(int((w.place+w.ramp)*float64(len(all))), len(all)-1)].sent)
		}
	}
	for i, d := range all {
		m.add(i, clock.outer(d.sent), clock.outer(d.first), clock.outer(d.end), tokens[i])
	}
	slices.SortStableFunc(m.requests, func(a, b journal.Request) int { return int(min(max(a.End-b.End, -1), 1)) })
	last := m.requests[len(m.requests)-1].End
	m.end = &journal.End{At: last, Sent: len(m.requests)}
	return m
}

// serve sends and answers all requests; arrive gives when the next one comes, nil: when a slot is free.
func (w *world) serve(works [][2]float64, arrive func(float64) float64) []drawnRequest {
	slots := make(soonest, max(w.slots, 1))
	places := make(soonest, max(w.places, 0))
	out := make([]drawnRequest, len(works))
	for i, work := range works {
		d := &out[i]
		if arrive != nil {
			d.sent = arrive(0)
		} else {
			d.sent = heap.Pop(&slots).(float64)
		}
		begun := d.sent
		if w.places > 0 {
			begun = max(begun, heap.Pop(&places).(float64))
		}
		d.first = begun + work[0]
		d.end = d.first + work[1]
		if w.places > 0 {
			heap.Push(&places, d.end)
		}
		if arrive == nil {
			heap.Push(&slots, d.end)
		}
	}
	return out
}

// timeline maps the server's own time onto ours.
type timeline struct {
	step      float64 // of the server's time where byInner, else of ours
	speed     []float64
	ours, his []float64
	byInner   bool
}

// timeline draws how fast the server is, beyond the end by far.
func (w *world) timeline(random *rand.Rand, length float64, byInner bool) *timeline {
	t := &timeline{step: 0.01, byInner: byInner}
	n := int(length/t.step*1.5) + 3000
	t.speed = make([]float64, n)
	// What all share comes and goes over a fiftieth of the run or two requests, whichever is shorter.
	hold := min(length/50, 1.0) / t.step
	level := random.NormFloat64()
	keep := math.Exp(-1 / max(hold, 1))
	for i := range t.speed {
		t.speed[i] = math.Exp(w.waves * level)
		level = keep*level + math.Sqrt(1-keep*keep)*random.NormFloat64()
	}
	spoil := func(times, seconds, factor float64) {
		for range poisson(random, times) {
			from := int(random.Float64() * length / t.step)
			for i := from; i < min(from+max(int(seconds/t.step), 1), n); i++ {
				t.speed[i] *= factor
			}
		}
	}
	spoil(w.hogs, 0.02*length, 1.5)
	for range poisson(random, w.stalls) {
		t.speed[int(random.Float64()*length/t.step)] += 0.2 / t.step
	}
	if !byInner && w.change != 0 {
		t.slow(w, w.place*length, (w.place+w.ramp)*length)
	}
	t.sum()
	return t
}

// slow makes the server slower from one moment on, or bit by bit until another.
func (t *timeline) slow(w *world, from, to float64) {
	for i := range t.speed {
		switch at := float64(i) * t.step; {
		case at >= to:
			t.speed[i] *= w.change
		case at > from:
			t.speed[i] *= 1 + (w.change-1)*(at-from)/(to-from)
		}
	}
	t.sum()
}

func (t *timeline) sum() {
	t.ours, t.his = make([]float64, len(t.speed)), make([]float64, len(t.speed))
	for i := 1; i < len(t.speed); i++ {
		if t.byInner {
			t.his[i], t.ours[i] = t.his[i-1]+t.step, t.ours[i-1]+t.step*t.speed[i-1]
		} else {
			t.his[i], t.ours[i] = t.his[i-1]+t.step/t.speed[i-1], t.ours[i-1]+t.step
		}
	}
}

func (t *timeline) outer(at float64) float64 { return along(t.his, t.ours, at) }
func (t *timeline) inner(at float64) float64 { return along(t.ours, t.his, at) }

// along reads y at x, on lines between points and beyond the last.
func along(xs, ys []float64, x float64) float64 {
	i := min(max(sort.SearchFloat64s(xs, x), 1), len(xs)-1)
	return ys[i-1] + (ys[i]-ys[i-1])*(x-xs[i-1])/(xs[i]-xs[i-1])
}

func poisson(random *rand.Rand, mean float64) (n int) {
	for at := random.ExpFloat64(); at < mean; at += random.ExpFloat64() {
		n++
	}
	return n
}

// memory is a journal in memory.
type memory struct {
	run      journal.Run
	requests []journal.Request
	end      *journal.End
	at       int
}

func (m *memory) Run() *journal.Run         { return &m.run }
func (m *memory) End() *journal.End         { return m.end }
func (m *memory) Samples() []journal.Sample { return nil }
func (m *memory) Scrapes() []journal.Scrape { return nil }

func (m *memory) Next() (*journal.Request, error) {
	if m.at == len(m.requests) {
		return nil, io.EOF
	}
	m.at++
	return &m.requests[m.at-1], nil
}

func (m *memory) add(i int, sent, first, end float64, tokens int) {
	ns := func(s float64) int64 { return int64(s * 1e9) }
	const text = journal.EventChoices | journal.EventText
	m.requests = append(m.requests, journal.Request{
		Index: i, Due: ns(sent), Released: ns(sent), Sent: ns(sent), End: ns(end), Outcome: journal.Complete, Status: 200,
		PromptTokens: 100, OutputTokens: tokens, UsagePrompt: 100, UsageOutput: tokens,
		Events: journal.Events{
			At: []int64{ns(first - sent), ns(end - first)}, Kind: []journal.EventKind{text, text},
			Tokens: []int{1, tokens - 1}, TokensBy: "count",
		},
	})
}
