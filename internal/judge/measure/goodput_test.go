package measure

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/inferometer/inferometer/internal/journal"
)

// One request: due at 80 ms, sent at 100 ms, chunks after 50, 60, 70, 80 and 180 ms
// with 1, 1, 2, 1 and 5 tokens; the first one is reasoning. Each limit is given as
// the value that it must just keep: a hair less breaks it.
func TestGoodputOfEachMetric(t *testing.T) {
	req := stream(0, 100, 50, 60, 70, 80, 180)
	req.Due = 80 * ms
	req.Events.Kind[0] = journal.EventChoices | journal.EventReasoning
	req.Events.Tokens, req.Events.TokensBy = []int{1, 1, 2, 1, 5, 0}, "usage"
	req.UsageOutput = 10
	run := closedRun(1)
	run.Options.Pace = "constant"
	for name, value := range map[string]float64{
		"ttft": 50, "e2el": 180, "tpot": 130.0 / 9, "client_queue_time": 0, "e2el_including_client_queue": 180,
		"ttft_due": 70, "e2el_due": 200, "first_token": 50, "first_token_due": 70, "first_visible": 60, "first_visible_due": 80,
		"itl_mean": 32.5, "itl_max": 100, "itl_p50": 10, "itl_p75": 32.5, "itl_p100": 100, // of 10, 10, 10, 100
		"inter_chunk_mean": 32.5, "inter_chunk_max": 100, "inter_chunk_p0": 10,
		"inter_token_mean": 130.0 / 9, "inter_token_max": 20, "inter_token_p25": 10, "inter_token_p18.75": 7.5, // of 5, 5, 10, 10, 5 × 20
	} {
		for _, tt := range []struct {
			limit float64
			good  int
		}{{value + 1e-6, 1}, {value - 1e-6, 0}} {
			if tt.limit < 0 {
				continue // nothing lies below a wait of 0
			}
			m := &memory{run: run, end: &journal.End{}, requests: []journal.Request{req}}
			g := measured(t, m, Options{Goodput: map[string]float64{name: tt.limit}}).Limits
			if g.Good != tt.good || g.Limits[0].Broken != 1-tt.good {
				t.Errorf("%s:%v gives %+v, and its value is %v", name, tt.limit, g, value)
			}
		}
	}
}

func TestGoodputCountsWhatEachLimitCosts(t *testing.T) {
	unknown := stream(3, 0, 40, 50) // nobody knows how its seven tokens lie in two events
	unknown.UsageOutput = 7
	silent := stream(4, 0, 40, 50)
	for i := range 2 {
		silent.Events.Kind[i] = journal.EventChoices | journal.EventReasoning
	}
	m := &memory{run: closedRun(1), end: &journal.End{}, requests: []journal.Request{
		stream(0, 0, 40, 50, 60),   // good
		stream(1, 0, 90, 100),      // too late
		stream(2, 0, 90, 100, 200), // too late, and with a long gap
		unknown, silent,
		stream(5, 0, 40), // one token has no gap, and keeps any limit on them
		failed(stream(6, 0, 10), journal.Truncated, "cut"),
		stream(7, 0, 40, 2000), // a long gap alone; the run ends with it after 2 s
	}}
	r := measured(t, m, Options{Goodput: map[string]float64{"ttft": 50, "itl_max": 50, "inter_token_p99": 1e4, "first_visible": 1e4}})
	want := &Goodput{
		Good: 2, Requests: 8, Share: 0.25, RequestsPerSecond: 1, TokensPerSecond: 2, Tokens: 4, // three tokens and one, in 2 s
		Limits: []Limit{
			{Metric: "first_visible", MS: 1e4, Unknown: 1, Alone: 1},
			{Metric: "inter_token_p99", MS: 1e4, Unknown: 1, Alone: 1},
			{Metric: "itl_max", MS: 50, Broken: 2, Alone: 1},
			{Metric: "ttft", MS: 50, Broken: 2, Alone: 1},
		},
	}
	if d := cmp.Diff(want, r.Limits, rounding); d != "" {
		t.Error(d)
	}
	near(t, "vLLM's number", *r.Goodput, 1)

	many := measured(t, m, Options{RowLimit: 3, Goodput: map[string]float64{"ttft": 50, "itl_max": 50, "inter_token_p99": 1e4, "first_visible": 1e4}})
	if d := cmp.Diff(r.Limits, many.Limits); d != "" {
		t.Errorf("of requests that are not kept: %s", d)
	}
	if r := measured(t, m, Options{}); r.Limits != nil || r.Goodput != nil {
		t.Error("no limit was asked for")
	}
}
