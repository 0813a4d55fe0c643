package measure

import (
	"errors"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/sample"
)

func statsOf(t *testing.T, r *Result, name string) sample.Stats {
	t.Helper()
	for _, m := range r.Metrics {
		if m.Metric.Name == name {
			return m.Stats
		}
	}
	t.Fatalf("no metric %s", name)
	return sample.Stats{}
}

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-9*math.Max(1, math.Abs(want)) {
		t.Errorf("%s = %v, want %v", what, got, want)
	}
}

func TestNumbersOfASmallRun(t *testing.T) {
	m := &memory{run: closedRun(2), end: &journal.End{}, requests: []journal.Request{
		{Index: 0, Warmup: true, Sent: -500 * ms, End: -400 * ms, Outcome: journal.Complete},
		stream(1, 0, 40, 50, 60), // ended before request 0
		stream(0, 0, 50, 60, 80, 90),
		failed(stream(2, 60, 30), journal.HTTP5xx, "overloaded"),
		stream(3, 100, 100),
	}}
	m.run.Options.Goodput = map[string]float64{"ttft": 50, "e2el": 80}
	r := measured(t, m, Options{})

	near(t, "duration", r.Duration, 0.2)
	if r.Completed != 3 || r.Failed != 1 || r.InputTokens != 33 || r.OutputTokens != 8 {
		t.Errorf("completed %d, failed %d, input %d, output %d", r.Completed, r.Failed, r.InputTokens, r.OutputTokens)
	}
	near(t, "request_throughput", r.RequestThroughput, 15)
	near(t, "output_throughput", r.OutputThroughput, 40)
	near(t, "total_token_throughput", r.TotalTokenThroughput, 205)
	near(t, "goodput", *r.Goodput, 5) // only request 1: request 0 takes 90 ms, request 3 has a TTFT of 100
	near(t, "mean ttft", statsOf(t, r, "ttft").Mean, (50.+40+100)/3)
	near(t, "median ttft", statsOf(t, r, "ttft").Median, 50)
	near(t, "mean tpot", statsOf(t, r, "tpot").Mean, (40./3+10)/2) // request 3 has one token: none
	near(t, "mean itl", statsOf(t, r, "itl").Mean, (10.+20+10+10+10)/5)
	near(t, "p99 e2el", statsOf(t, r, "e2el").Percentiles[1].Value, 99.8)
	if got := []int{r.Rows[0].Index, r.Rows[1].Index, r.Rows[2].Index, r.Rows[3].Index}; !slices.IsSorted(got) {
		t.Errorf("rows in the order %v", got)
	}
	want := []OutcomeCount{{journal.Complete, 3}, {journal.HTTP5xx, 1}}
	if d := cmp.Diff(want, r.Outcomes); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]ErrorCount{{journal.HTTP5xx, "overloaded", 1}}, r.Errors); d != "" {
		t.Error(d)
	}
	if !r.InterToken.Known || r.InterToken.By[0] != "count" {
		t.Errorf("inter-token: %+v", r.InterToken)
	}
}

func cut(r journal.Request) journal.Request {
	r.Cut = true
	return r
}

func TestSuccessByBothRules(t *testing.T) {
	noChunk := stream(0, 0)
	tests := []struct {
		name       string
		req        journal.Request
		ours, vllm bool
	}{
		{"complete", stream(0, 0, 10, 20), true, true},
		{"truncated", failed(stream(0, 0, 10), journal.Truncated, ""), false, true},
		{"truncated inside HTTP's framing", cut(failed(stream(0, 0, 10), journal.Truncated, "")), false, false},
		{"error event after a chunk", failed(stream(0, 0, 10), journal.StreamError, "oom"), false, true},
		{"error event alone", failed(noChunk, journal.StreamError, "oom"), false, false},
		{"short", failed(stream(0, 0, 10), journal.Short, ""), false, true},
		{"empty", failed(noChunk, journal.Empty, ""), false, false},
		{"reset after a chunk", failed(stream(0, 0, 10), journal.Reset, ""), false, false},
		{"timeout after a chunk", failed(stream(0, 0, 10), journal.Timeout, ""), false, false},
		{"http error", failed(noChunk, journal.HTTP4xx, ""), false, false},
	}
	vllm := "vllm"
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := &memory{run: closedRun(1), end: &journal.End{}, requests: []journal.Request{tt.req}}
			if got := measured(t, m, Options{}).Completed == 1; got != tt.ours {
				t.Errorf("ours: success %v", got)
			}
			r := measured(t, m, Options{Compat: &vllm})
			if got := r.Completed == 1; got != tt.vllm {
				t.Errorf("vLLM's: success %v", got)
			}
			if r.Outcomes[len(r.Outcomes)-1].Outcome != tt.req.Outcome {
				t.Errorf("outcomes %v hide %s", r.Outcomes, tt.req.Outcome)
			}
		})
	}
}

func TestOutputTokensFallBack(t *testing.T) {
	noUsage := stream(0, 0, 10, 20, 30)
	noUsage.UsageOutput, noUsage.UsagePrompt = 0, 0
	roleFirst := noUsage
	roleFirst.Events.Kind = []journal.EventKind{journal.EventChoices, text, journal.EventChoices | journal.EventReasoning, journal.EventUsage}
	tokenized := noUsage
	tokenized.TextTokens = 7
	withChoices := stream(0, 0, 10, 20, 30)
	withChoices.UsageOutput = 5
	withChoices.TextTokens = 4
	withChoices.Events.Kind = []journal.EventKind{text, text, text | journal.EventUsage, 0}
	tests := []struct {
		name       string
		req        journal.Request
		ours, vllm int64
	}{
		{"usage", stream(0, 0, 10, 20), 2, 2},
		{"no usage, tokenizer", tokenized, 7, 7},
		{"no usage, no tokenizer", noUsage, 3, 1},
		{"a role chunk is no token", roleFirst, 2, 1},
		{"usage beside choices", withChoices, 5, 4},
	}
	vllm := "vllm"
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := &memory{run: closedRun(1), end: &journal.End{}, requests: []journal.Request{tt.req}}
			if got := measured(t, m, Options{}).OutputTokens; got != tt.ours {
				t.Errorf("ours %d, want %d", got, tt.ours)
			}
			if got := measured(t, m, Options{Compat: &vllm}).OutputTokens; got != tt.vllm {
				t.Errorf("vLLM's %d, want %d", got, tt.vllm)
			}
		})
	}
}

func TestPeaks(t *testing.T) {
	// Two slots, each handed on at the very nanosecond: never more than two open.
	// All of it lies in one second, where vLLM counts four.
	m := &memory{run: closedRun(2), end: &journal.End{}, requests: []journal.Request{
		stream(0, 0, 100, 200), stream(1, 0, 100, 300), stream(2, 200, 100, 200), stream(3, 300, 100, 1100),
	}}
	m.requests[3].Events.Tokens = []int{4, 3, 0}
	m.requests[3].Events.TokensBy = "usage"
	m.requests[3].UsageOutput = 7
	r := measured(t, m, Options{})
	if r.PeakConcurrent != 2 || r.PeakConcurrency != 2 {
		t.Errorf("peak %d and %d, want 2", r.PeakConcurrent, r.PeakConcurrency)
	}
	near(t, "peak tokens", *r.PeakTokensPerSecond, 10) // six chunks of one and one of four
	vllm := "vllm"
	r = measured(t, m, Options{Compat: &vllm})
	if r.PeakConcurrent != 4 || r.PeakConcurrency != 2 {
		t.Errorf("vLLM's peak %d, want 4; the true one %d, want 2", r.PeakConcurrent, r.PeakConcurrency)
	}
	near(t, "vLLM's peak tokens", *r.PeakTokensPerSecond, 7)
	if len(r.Warnings) != 1 { // the short steady state
		t.Errorf("warnings %q", r.Warnings)
	}
}

func TestInterTokenSharesAGapAmongItsTokens(t *testing.T) {
	req := stream(0, 0, 50, 60, 90, 100)
	req.Events.Tokens, req.Events.TokensBy = []int{1, 0, 4, 1, 0}, "token_ids"
	req.UsageOutput = 6
	m := &memory{run: closedRun(1), end: &journal.End{}, requests: []journal.Request{req}}
	r := measured(t, m, Options{})
	if !r.InterToken.Known || r.InterToken.Summary.Count != 5 {
		t.Fatalf("%+v", r.InterToken)
	}
	near(t, "mean", r.InterToken.Summary.Mean, 10) // 50 ms over five tokens
	near(t, "max", r.InterToken.Summary.Max, 10)
	near(t, "inter-chunk max", r.InterChunk.Max, 30)
	if r.TokensPerEvent.Max != 4 || r.TokensPerEvent.Events != 3 || r.TokensPerEvent.Mean != 2 {
		t.Errorf("%+v", r.TokensPerEvent)
	}

	m.requests[0].Events.TokensBy, m.requests[0].Events.Tokens = "", nil
	r = measured(t, m, Options{})
	if r.InterToken.Known || r.InterToken.Reason == "" || r.InterToken.Summary != nil || r.TokensPerEvent.Known {
		t.Errorf("nobody said how many tokens an event has, yet: %+v, %+v", r.InterToken, r.TokensPerEvent)
	}
	near(t, "tokens per event", r.TokensPerEvent.Mean, 1.5)
}

func TestDueAndQueue(t *testing.T) {
	late := stream(1, 130, 50, 60) // due at 100, released at 105, sent at 130
	late.Due, late.Released = 100*ms, 105*ms
	m := &memory{run: closedRun(1), end: &journal.End{}, requests: []journal.Request{stream(0, 20, 50, 60), late}}
	m.run.Options.Pace, m.run.Options.RequestRate = "poisson", 10
	r := measured(t, m, Options{PercentileMetrics: []string{"client_queue_time", "e2el_including_client_queue"}})
	near(t, "ttft from sent", r.Latency.Sent.TTFT.Max, 50)
	near(t, "ttft from due", r.Latency.Due.TTFT.Max, 80)
	near(t, "e2el from due", r.Latency.Due.E2EL.Mean, 75)
	near(t, "queue", statsOf(t, r, "client_queue_time").Max, 25)
	near(t, "e2el with queue", statsOf(t, r, "e2el_including_client_queue").Max, 85)
	near(t, "lateness", r.Client.Lateness.Max, 30)
	near(t, "release", r.Client.ReleaseLag.Max, 5)

	m.run.Options.Pace, m.run.Options.RequestRate = "closed", 0
	r = measured(t, m, Options{PercentileMetrics: []string{"client_queue_time", "e2el_including_client_queue"}})
	near(t, "queue in a closed loop", statsOf(t, r, "client_queue_time").Max, 130)
	if len(r.Metrics) != 1 || r.Client.Lateness != nil {
		t.Error("a closed loop has no e2el_including_client_queue and no lateness")
	}
}

func TestKilledAndInterrupted(t *testing.T) {
	m := &memory{run: closedRun(1), requests: []journal.Request{stream(0, 0, 50, 60), stream(1, 60, 40)}}
	r := measured(t, m, Options{})
	if !r.Partial || r.Interrupted != "killed" || r.Client.Cost != nil {
		t.Errorf("partial %v, %q", r.Partial, r.Interrupted)
	}
	near(t, "duration", r.Duration, 0.1)
	m.end = &journal.End{Interrupted: "signal"}
	if r = measured(t, m, Options{}); !r.Partial || r.Interrupted != "signal" {
		t.Errorf("partial %v, %q", r.Partial, r.Interrupted)
	}
	m.end = &journal.End{At: 3e9}
	m.requests = nil
	if r = measured(t, m, Options{}); r.Partial || r.Duration != 3 || r.RequestThroughput != 0 {
		t.Errorf("a run of no request: %+v", r)
	}
}

func TestClientMeasuresItself(t *testing.T) {
	m := &memory{run: closedRun(1), end: &journal.End{Client: journal.Client{
		UserCPUNs: 30 * ms, SystemCPUNs: 20 * ms, MaxRSSBytes: 1 << 20, GCPauseNs: ms, GCCount: 2,
	}}, requests: []journal.Request{stream(0, 0, 50, 100)}}
	m.run.Clock, m.run.Environment.GoMaxProcs = "kernel", 2
	m.requests[0].Events.Lag = []int64{ms, 2 * ms, 3 * ms}
	m.requests[0].SharedReads, m.requests[0].UnstampedRead = 1, 1
	c := measured(t, m, Options{}).Client
	want := Client{
		Stamps: "kernel", Lag: &sample.Spread{Mean: 2, P50: 2, P99: 2.98, Max: 3}, Events: 3, SharedReads: 1, UnstampedReads: 1,
		Cost: &Cost{CPU: 0.05, CPUShare: 0.25, MaxRSS: 1 << 20, GCPause: 1, GCCount: 2},
	}
	if d := cmp.Diff(want, c); d != "" {
		t.Error(d)
	}
}

func TestBeyondTheLimitNothingIsKept(t *testing.T) {
	m := &memory{run: closedRun(4), end: &journal.End{}}
	for i := range int64(200) {
		m.requests = append(m.requests, stream(int(i), i*10, 10, 20, 30, 40))
	}
	exact, small := measured(t, m, Options{}), measured(t, m, Options{ExactLimit: 100})
	near(t, "peak tokens", *small.PeakTokensPerSecond, *exact.PeakTokensPerSecond)
	near(t, "output in the steady state", *small.SteadyState.OutputThroughput, *exact.SteadyState.OutputThroughput)
	if small.InterChunk.Error == 0 || exact.InterChunk.Error != 0 {
		t.Error("the error of a histogram must be stated, and only there")
	}
	if got := small.InterChunk.P99; math.Abs(got-10) > 10*small.InterChunk.Error {
		t.Errorf("p99 %v, want 10 within %v", got, small.InterChunk.Error)
	}
	if len(small.Warnings) != len(exact.Warnings)+2 {
		t.Errorf("warnings %q", small.Warnings)
	}
}

func TestMistakesAreNamed(t *testing.T) {
	bad := stream(7, 0, 10)
	bad.Events.Kind = bad.Events.Kind[:1]
	other := "other"
	tests := []struct {
		name string
		req  journal.Request
		opt  Options
		want string
	}{
		{"columns", bad, Options{}, "request 7"},
		{"metric", stream(0, 0, 1), Options{PercentileMetrics: []string{"tfft"}}, "tfft"},
		{"percentile", stream(0, 0, 1), Options{Percentiles: []float64{101}}, "101"},
		{"nan", stream(0, 0, 1), Options{Percentiles: []float64{math.NaN()}}, "NaN"},
		{"goodput", stream(0, 0, 1), Options{Goodput: map[string]float64{"itl": 1}}, "itl"},
		{"compat", stream(0, 0, 1), Options{Compat: &other}, "other"},
	}
	for _, tt := range tests {
		_, err := Measure(&memory{run: closedRun(1), requests: []journal.Request{tt.req}}, tt.opt)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error %v does not name %q", tt.name, err, tt.want)
		}
	}
	broken := errors.New("a broken frame")
	if _, err := Measure(failing{broken}, Options{}); !errors.Is(err, broken) {
		t.Errorf("error %v does not wrap the reader's", err)
	}
}

type failing struct{ err error }

func (f failing) Run() *journal.Run               { r := closedRun(1); return &r }
func (f failing) Next() (*journal.Request, error) { return nil, f.err }
func (f failing) End() *journal.End               { return nil }

func TestWarningsAboutTheJournalComeFirst(t *testing.T) {
	m := &memory{run: closedRun(1), requests: []journal.Request{stream(0, 0, 50)}}
	w := measured(t, m, Options{Warnings: []string{"the journal is damaged"}}).Warnings
	if len(w) < 2 || w[0] != "the journal is damaged" {
		t.Errorf("%q", w)
	}
}

// endless is a journal of n requests with 128 events each, made as it is read.
type endless struct {
	n, at int
	req   journal.Request
}

func (e *endless) Run() *journal.Run { r := closedRun(100); r.Options.NumPrompts = e.n; return &r }
func (e *endless) End() *journal.End { return &journal.End{} }
func (e *endless) Next() (*journal.Request, error) {
	if e.at == e.n {
		return nil, io.EOF
	}
	e.req.Index = e.at
	e.req.Sent = int64(e.at) * ms
	e.req.End = e.req.Sent + 1400*ms
	e.at++
	return &e.req, nil
}

// BenchmarkMeasure reads 50,000 requests with 6.4 million events: beyond the limit of exact samples.
func BenchmarkMeasure(b *testing.B) {
	chunks := make([]int64, 128)
	for i := range chunks {
		chunks[i] = 50 + int64(i)*10
	}
	req := stream(0, 0, chunks...)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Measure(&endless{n: 50_000, req: req}, Options{}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/50_000/128, "ns/event")
}

// Messages that differ in figures alone are one kind of failure.
func TestErrorsAreCountedByTheirKind(t *testing.T) {
	m := &memory{run: closedRun(1), end: &journal.End{}, requests: []journal.Request{
		failed(stream(0, 0, 10), journal.Short, "3 of 20 tokens"), failed(stream(1, 0, 10), journal.Short, "17 of 20 tokens"),
		failed(stream(2, 0, 10), journal.StreamError, "out of memory"),
	}}
	got := measured(t, m, Options{}).Errors
	want := []ErrorCount{{journal.Short, "3 of 20 tokens", 2}, {journal.StreamError, "out of memory", 1}}
	if !slices.Equal(got, want) {
		t.Errorf("errors %v, want %v", got, want)
	}
}
