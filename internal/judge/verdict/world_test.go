package verdict

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"testing"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/hardware"
	"github.com/inferometer/inferometer/internal/judge/row"
)

// The reader of journal files is what Judge is given.
var _ Journal = (*journal.Reader)(nil)

// world is a run in memory. derive makes what follows from its requests: their
// order, the samples, the server's counters and the last line.
type world struct {
	run      journal.Run
	requests []journal.Request
	samples  []journal.Sample
	scrapes  []journal.Scrape
	end      *journal.End
	hardware *hardware.Summary

	at  int
	buf journal.Request
}

func (w *world) Run() *journal.Run         { return &w.run }
func (w *world) End() *journal.End         { return w.end }
func (w *world) Samples() []journal.Sample { return w.samples }
func (w *world) Scrapes() []journal.Scrape { return w.scrapes }

// Next hands out one Request again and again, as the reader of files does, so that
// a check that keeps it is found out.
func (w *world) Next() (*journal.Request, error) {
	if w.at == len(w.requests) {
		w.buf = journal.Request{}
		return nil, io.EOF
	}
	w.buf = w.requests[w.at]
	w.at++
	return &w.buf, nil
}

const (
	msNs     = int64(1e6)
	tokens   = 20
	prompt   = 100
	textKind = journal.EventChoices | journal.EventText
)

// stream is a complete request: some 50 ms to the first token, ten between tokens.
func stream(i int, sent int64) journal.Request {
	r := journal.Request{
		Index: i, Due: sent - msNs/10, Released: sent - msNs/20, Sent: sent,
		Outcome: journal.Complete, Status: 200, FinishReason: "length",
		PromptTokens: prompt, OutputTokens: tokens, UsagePrompt: prompt + 1, UsageOutput: tokens,
		PromptHash: fmt.Sprintf("%016x", i+1000), TextHash: fmt.Sprintf("%016x", i+5_000_000),
		Events: journal.Events{TokensBy: "token_ids"},
	}
	at := sent
	event := func(gap int64, kind journal.EventKind, n int) {
		e := &r.Events
		at += gap
		e.At, e.Lag = append(e.At, gap), append(e.Lag, msNs/20)
		e.Kind, e.Tokens = append(e.Kind, kind), append(e.Tokens, n)
	}
	event((50+int64(i)*7%11)*msNs, textKind, 1)
	for range tokens - 2 {
		event(10*msNs, textKind, 1)
	}
	event(10*msNs, textKind|journal.EventFinish, 1)
	event(msNs/100, journal.EventUsage, 0)
	r.End = at + msNs/10
	return r
}

func newWorld(pace string) *world {
	w := &world{run: journal.Run{
		Schema: 1, Clock: "kernel", ReadEnds: true, Holds: true, Command: []string{"inferometer", "bench", "serve"},
		Options: journal.Options{
			Backend: "vllm", Endpoint: "/v1/completions", TokenizerID: "tok", TokenizerSource: "file", Dataset: "random", Pace: pace,
			IgnoreEOS: true, PercentileMetrics: []string{"ttft", "tpot", "itl"}, MetricPercentiles: []float64{50, 99},
		},
		Environment: journal.Environment{OS: "linux", CPUs: 4, GoMaxProcs: 4, FDLimit: 1000},
	}}
	for i := range 2 {
		r := stream(-10-i, -2e9+int64(i)*1e9)
		r.Warmup, r.NewConn = true, true
		w.requests = append(w.requests, r)
	}
	return w
}

// openLoop sends 1200 requests, 100 a second.
func openLoop() *world {
	w := newWorld("constant")
	w.run.Options.RequestRate = 100
	for i := range 1200 {
		r := stream(i, int64(i)*10*msNs+msNs/10)
		r.NewConn = i < 25
		w.requests = append(w.requests, r)
	}
	return w
}

// closedLoop keeps ten requests in flight, 500 in all.
func closedLoop() *world {
	w := newWorld("closed")
	w.run.Options.MaxConcurrency = 10
	var free [10]int64
	for i := range 500 {
		slot := slices.Index(free[:], slices.Min(free[:]))
		r := stream(i, free[slot]+msNs/10)
		r.NewConn = i < 10
		free[slot] = r.End
		w.requests = append(w.requests, r)
	}
	return w
}

// oneByOne sends so many requests, each after the one before.
func oneByOne(n int) func() *world {
	return func() *world {
		w := newWorld("closed")
		w.run.Options.MaxConcurrency = 1
		free := int64(0)
		for i := range n {
			r := stream(i, free+msNs/10)
			r.NewConn, free = i == 0, r.End
			w.requests = append(w.requests, r)
		}
		return w
	}
}

// burst sends so many requests at once, each on a connection of its own.
func burst(n int) func() *world {
	return func() *world {
		w := newWorld("burst")
		r := stream(0, 0)
		length := r.End
		for i := range n {
			r.Index, r.Due, r.Released, r.Sent, r.End = i, 0, 0, int64(i)*1000, int64(i)*1000+length
			r.NewConn, r.PromptHash, r.TextHash = true, strconv.Itoa(10_000_000+i), strconv.Itoa(20_000_000+i)
			w.requests = append(w.requests, r)
		}
		return w
	}
}

// each calls f with each measured request whose place is a multiple of n.
func (w *world) each(n int, f func(r *journal.Request)) {
	k := 0
	for i := range w.requests {
		if w.requests[i].Warmup {
			continue
		}
		if k%n == 0 {
			f(&w.requests[i])
		}
		k++
	}
}

func (w *world) derive() {
	slices.SortStableFunc(w.requests, func(a, b journal.Request) int { return int(min(max(a.End-b.End, -1), 1)) })
	last, sent := int64(0), 0
	w.each(1, func(r *journal.Request) { last, sent = max(last, r.End), sent+1 })
	w.end = &journal.End{At: last, Sent: sent}
	for at := int64(0); ; at += 1e9 {
		at = min(at, last)
		w.samples = append(w.samples, w.sample(at))
		if at == last {
			break
		}
	}
	for target := range max(len(w.run.Targets), 1) {
		before := journal.Scrape{At: -3e9, Target: target, Counters: map[string]float64{}}
		after := journal.Scrape{At: last, After: true, Target: target, Counters: map[string]float64{}}
		w.count(target, before.Counters, after.Counters)
		w.scrapes = append(w.scrapes, before, after)
	}
}

func (w *world) sample(at int64) journal.Sample {
	s := journal.Sample{At: at, CPUNs: at / 2, WaitNs: at / 20, GCPauseNs: at / 1000, BusyNs: at, Files: 40}
	w.each(1, func(r *journal.Request) {
		if r.Sent <= at {
			s.Sent++
		}
		if r.End <= at {
			s.Ended++
		}
	})
	s.InFlight = s.Sent - s.Ended
	return s
}

// count fills a server's counters as vLLM would have them, 1 ms quicker than we saw.
func (w *world) count(target int, before, after map[string]float64) {
	for _, name := range []string{
		"vllm:request_success_total", "vllm:prompt_tokens_total", "vllm:generation_tokens_total", "vllm:num_preemptions_total",
		"vllm:prefix_cache_hits_total", "vllm:time_to_first_token_seconds_sum", "vllm:time_to_first_token_seconds_count",
		"vllm:e2e_request_latency_seconds_sum", "vllm:e2e_request_latency_seconds_count", "vllm:request_queue_time_seconds_sum",
		"vllm:request_queue_time_seconds_count",
	} {
		before[name] = 1000
	}
	before["process_start_time_seconds"] = 1.7e9
	for name, v := range before {
		after[name] = v
	}
	var v view
	var one row.Request
	for i := range w.requests {
		r := &w.requests[i]
		if err := one.Read(row.Rules{}, r); err != nil {
			panic(err)
		}
		v.read(&one)
		if !v.reached() || r.Target != target || r.Sample { // samples are sent after the last scrape
			continue
		}
		after["vllm:request_success_total"]++
		after["vllm:prompt_tokens_total"] += float64(r.UsagePrompt)
		after["vllm:generation_tokens_total"] += float64(r.UsageOutput)
		after["vllm:prefix_cache_hits_total"] += float64(r.UsageCached)
		if v.Row.First < 0 {
			continue
		}
		for name, ns := range map[string]int64{
			"vllm:time_to_first_token_seconds": v.Row.First - msNs, "vllm:e2e_request_latency_seconds": v.Row.Last - msNs, "vllm:request_queue_time_seconds": msNs,
		} {
			after[name+"_sum"] += float64(ns) / 1e9
			after[name+"_count"]++
		}
	}
}

func (w *world) judge(t *testing.T, opt Options) *Verdict {
	t.Helper()
	w.at = 0
	v, err := Judge(w, opt)
	if w.hardware != nil && err == nil { // as package judged does it
		w.at = 0
		c := NewCollector(&w.run, opt)
		err = row.Pass(w.Next, row.NewRules(&w.run.Options, ""), c)
		c.Hardware(w.hardware)
		v = c.Verdict(w.end, w.samples, w.scrapes)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range v.Checks {
		if k.Value != nil && (math.IsNaN(*k.Value) || math.IsInf(*k.Value, 0)) {
			t.Errorf("%s: the value is %v, which JSON has no word for", k.Name, *k.Value)
		}
	}
	return v
}

// bad lists the checks that are suspect or invalid.
func bad(v *Verdict) (names []string) {
	for _, k := range v.Checks {
		if k.Level.Bad() {
			names = append(names, fmt.Sprintf("%s %s (%s: %s)", k.Name, k.Level, k.Figure, k.Sentence))
		}
	}
	return names
}

// everyth is which of the seeds of a test of chance are drawn: all, or one in five with -short, each of which then stands for
// five. The bar moves by less than one of those; the seeds are fixed.
func everyth() int {
	if testing.Short() {
		return 5
	}
	return 1
}
