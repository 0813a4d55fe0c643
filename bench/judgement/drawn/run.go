// Package drawn draws runs whose truth is known, in memory: requests of a server in a closed loop become a journal, which is
// measured, written as a result and read again, as those of a real run are. Whole runs are then made slower or
// faster, as what drifts between runs does. It serves the figures of docs/compare.md and bench/judgement.
package drawn

import (
	"io"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/measure"
	"github.com/inferometer/inferometer/internal/judge/result"
)

// The server: TTFT is lognormal, a third of its variance is a queue's that requests share with those before them. Gaps between
// tokens are narrow, and each answer has its own pace.
const (
	clients = 8
	chunks  = 24
	ttft    = 0.120 // seconds, median
	gap     = 0.012
	queued  = 1.0 / 3 // share of the variance
	memory  = 0.5     // of the queue, from one request to the next
	paces   = 0.03    // σ of the gaps of one answer against another's
	jitter  = 0.10    // σ of one gap
)

// Sigmas are the spreads of the logarithm of TTFT that tables are drawn with, each as often as the others.
var Sigmas = []float64{0.3, 0.4, 0.5}

// inMemory is the journal of a drawn run.
type inMemory struct {
	run      journal.Run
	requests []journal.Request
	next     int
}

func (j *inMemory) Run() *journal.Run { return &j.run }
func (j *inMemory) End() *journal.End { return &journal.End{Sent: len(j.requests)} }
func (j *inMemory) Next() (*journal.Request, error) {
	if j.next == len(j.requests) {
		return nil, io.EOF
	}
	j.next++
	return &j.requests[j.next-1], nil
}

// Run is one run of so many requests, without any drift.
func Run(random *rand.Rand, requests int, sigma float64) (result.Result, error) {
	j := &inMemory{run: journal.Run{Options: journal.Options{
		Backend: "vllm", NumPrompts: requests, Pace: "closed", MaxConcurrency: clients,
		PercentileMetrics: []string{"ttft", "tpot", "itl", "e2el"}, MetricPercentiles: []float64{99},
	}}}
	free := make([]int64, clients) // when each client sends again
	queue := random.NormFloat64()
	for i := range requests {
		queue = memory*queue + math.Sqrt(1-memory*memory)*random.NormFloat64()
		own := math.Sqrt(queued)*queue + math.Sqrt(1-queued)*random.NormFloat64()
		at := slices.Index(free, slices.Min(free))
		q := request(random, i, free[at], ttft*math.Exp(sigma*own), gap*math.Exp(paces*random.NormFloat64()))
		free[at] = q.End
		j.requests = append(j.requests, q)
	}
	r, err := measure.Measure(j, measure.Options{})
	if err != nil {
		return result.Result{}, err
	}
	return result.Of("drawn", r, nil), nil
}

// request is what the journal holds of one.
func request(random *rand.Rand, index int, sent int64, first, each float64) journal.Request {
	ns := func(s float64) int64 { return int64(s * 1e9) }
	q := journal.Request{
		Index: index, Due: sent, Released: sent, Sent: sent, Outcome: journal.Complete, Status: 200,
		PromptTokens: 100, OutputTokens: chunks, UsagePrompt: 100, UsageOutput: chunks,
	}
	sum, next := int64(0), ns(first)
	for range chunks {
		sum += next
		q.Events.At = append(q.Events.At, next)
		q.Events.Kind = append(q.Events.Kind, journal.EventChoices|journal.EventText)
		next = ns(each * max(1+jitter*random.NormFloat64(), 0.1))
	}
	q.End = sent + sum
	return q
}
