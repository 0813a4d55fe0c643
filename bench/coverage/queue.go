package main

import (
	"container/heap"
	"math"
	"math/rand/v2"

	"github.com/inferometer/inferometer/internal/journal"
)

// model is a server with some places that answer one request each, and a queue in
// front of them. Requests that wait for the same place have correlated latencies,
// as those of a real server under load have.
type model struct {
	name    string
	first   uint64 // seed of the first run
	places  int
	rate    float64 // arrivals a second, Poisson; 0: a closed loop
	clients int     // of the closed loop
}

const (
	chunks     = 12    // token chunks of an answer
	serviceMS  = 800.0 // mean time on a place
	spread     = 0.5   // σ of its logarithm
	firstShare = 0.25  // of it until the first chunk
)

// models are those that coverage is measured with.
func models() []model {
	return []model{
		{name: "open, 50 % busy", places: 16, rate: 0.5 * 16 * 1000 / serviceMS},
		{name: "open, 80 % busy", places: 16, rate: 0.8 * 16 * 1000 / serviceMS},
		{name: "closed, 32 on 24", places: 24, clients: 32},
	}
}

// idle is a server with a place for every request: no latency has to do with another.
func idle() model { return model{name: "open, never full", places: 200, rate: 10} }

// arrival is a request of the model, times in seconds.
type arrival struct{ sent, begun, service float64 }

// times is a heap of moments.
type times []float64

func (t times) Len() int           { return len(t) }
func (t times) Less(i, j int) bool { return t[i] < t[j] }
func (t times) Swap(i, j int)      { t[i], t[j] = t[j], t[i] }
func (t *times) Push(x any)        { *t = append(*t, x.(float64)) }
func (t *times) Pop() any {
	last := (*t)[len(*t)-1]
	*t = (*t)[:len(*t)-1]
	return last
}

// simulate calls f with one request after the other, in the order of sending, as
// long as it says true.
func (m *model) simulate(random *rand.Rand, f func(arrival) bool) {
	free := make(times, m.places)     // when each place is free
	clients := make(times, m.clients) // when each client sends again
	for i := range clients {
		clients[i] = float64(i) * 1e-3
	}
	heap.Init(&clients)
	now := 0.0
	for {
		if m.rate > 0 {
			now += random.ExpFloat64() / m.rate
		} else {
			now = heap.Pop(&clients).(float64)
		}
		a := arrival{sent: now, service: serviceMS / 1000 * math.Exp(spread*random.NormFloat64()-spread*spread/2)}
		a.begun = max(now, heap.Pop(&free).(float64))
		heap.Push(&free, a.begun+a.service)
		if m.rate == 0 {
			heap.Push(&clients, a.begun+a.service)
		}
		if !f(a) {
			return
		}
	}
}

// record turns a request into what the journal would hold, its clock set to zero at start.
func (a *arrival) record(index int, start float64, random *rand.Rand, req *journal.Request) {
	ns := func(s float64) int64 { return int64(s * 1e9) }
	sent := ns(a.sent - start)
	*req = journal.Request{
		Index: index, Due: sent, Released: sent, Sent: sent, Outcome: journal.Complete, Status: 200,
		PromptTokens: 100, OutputTokens: chunks, UsagePrompt: 100, UsageOutput: chunks,
		Events: journal.Events{At: req.Events.At[:0], Kind: req.Events.Kind[:0]},
	}
	at := ns(a.begun - a.sent + a.service*firstShare)
	rest := a.service * (1 - firstShare) / (chunks - 1)
	last := int64(0)
	for k := range chunks {
		if k > 0 {
			at = ns(rest * (0.5 + random.Float64()))
		}
		last += at
		req.Events.At = append(req.Events.At, at)
		req.Events.Kind = append(req.Events.Kind, journal.EventChoices|journal.EventText)
	}
	req.End = sent + last
}
