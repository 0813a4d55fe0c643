package sim

import (
	"cmp"
	"sync/atomic"
	"time"
)

// metrics counts what /metrics shows, live, and without a lock: the hot path
// passes here with each event.
type metrics struct {
	start time.Time

	generated atomic.Uint64
	finished  [len(finishedReasons)]atomic.Uint64

	ttft, itl, e2e, queue                *histogram
	prefill, decode, inference, perToken *histogram
	promptLengths, outputLengths         *histogram // tokens, as if they were seconds
}

var finishedReasons = [...]string{"stop", "length", "abort", "error", "repetition"}

const (
	finishedStop = iota
	finishedLength
	finishedAbort
	finishedError
)

// Bounds are vLLM's, in seconds.
var (
	ttftBounds    = []float64{.001, .005, .01, .02, .04, .06, .08, .1, .25, .5, .75, 1, 2.5, 5, 7.5, 10, 20, 40, 80, 160, 640, 2560}
	itlBounds     = []float64{.01, .025, .05, .075, .1, .15, .2, .3, .4, .5, .75, 1, 2.5, 5, 7.5, 10, 20, 40, 80}
	lengthBounds  = []float64{1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 20000}
	requestBounds = []float64{.3, .5, .8, 1, 1.5, 2, 2.5, 5, 10, 15, 20, 30, 40, 50, 60, 120, 240, 480, 960, 1920, 7680}
)

func newMetrics(start time.Time) *metrics {
	return &metrics{
		start: start,
		ttft:  newHistogram(ttftBounds), itl: newHistogram(itlBounds),
		e2e: newHistogram(requestBounds), queue: newHistogram(requestBounds),
		prefill: newHistogram(requestBounds), decode: newHistogram(requestBounds), inference: newHistogram(requestBounds),
		perToken: newHistogram(itlBounds), promptLengths: newHistogram(lengthBounds), outputLengths: newHistogram(lengthBounds),
	}
}

// tokens counts n tokens that go out now; last is when the ones before did.
func (m *metrics) tokens(now, last time.Time, r *Record, n int) {
	m.generated.Add(uint64(n))
	r.lastToken = now.UnixNano()
	if last.IsZero() {
		r.firstToken = r.lastToken
		m.ttft.observe(time.Duration(now.UnixNano() - r.Received))
	} else {
		m.itl.observe(now.Sub(last))
	}
}

// end counts a request that the engine has finished with.
func (m *metrics) end(r *Record) {
	reason := finishedLength
	switch cmp.Or(r.Finish, r.silent) {
	case "stop", "tool_calls":
		reason = finishedStop
	case "abort":
		reason = finishedAbort
	case "":
		reason = finishedError
	}
	m.finished[reason].Add(1)
	m.e2e.observe(time.Duration(r.Ended - r.Received))
	if r.Started > 0 {
		m.queue.observe(time.Duration(r.Started - r.Received))
	}
	m.stages(r)
}

// stages counts how long the parts of a request took: from the queue to the first token, and to the last.
func (m *metrics) stages(r *Record) {
	m.promptLengths.observe(time.Duration(r.PromptTokens) * time.Second)
	m.outputLengths.observe(time.Duration(r.CompletionTokens) * time.Second)
	if r.Finish == "abort" || r.Started == 0 || r.firstToken == 0 { // of one that left, the engine may still make tokens
		return
	}
	decode := r.lastToken - r.firstToken
	m.prefill.observe(time.Duration(r.firstToken - r.Started))
	m.decode.observe(time.Duration(decode))
	m.inference.observe(time.Duration(r.lastToken - r.Started))
	if r.CompletionTokens > 1 {
		m.perToken.observe(time.Duration(decode / int64(r.CompletionTokens-1)))
	}
}

// histogram counts durations by upper bound.
type histogram struct {
	bounds []float64
	limits []time.Duration
	counts []atomic.Uint64 // one more than bounds: the rest
	sum    atomic.Int64    // ns
}

func newHistogram(bounds []float64) *histogram {
	h := &histogram{bounds: bounds, counts: make([]atomic.Uint64, len(bounds)+1)}
	for _, b := range bounds {
		h.limits = append(h.limits, time.Duration(b*float64(time.Second)))
	}
	return h
}

func (h *histogram) observe(d time.Duration) {
	d = max(d, 0)
	i := 0
	for i < len(h.limits) && d > h.limits[i] {
		i++
	}
	h.counts[i].Add(1)
	h.sum.Add(int64(d))
}
