package measure

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/fireworks"
)

// Only successes that ended after all users were there count, as in fw-ai/benchmark.
func TestMeasureFireworks(t *testing.T) {
	ended := func(r *journal.Request, at int64) *journal.Request { r.End = at * ms; return r }
	early := ended(answer(0, 0, 9, 0, 1, 2), 5)
	one := ended(answer(1, 10, 10, 4, 20, 40), 41)
	two := ended(answer(2, 10, 30, 0, 30, 40, 50, 70), 110)
	bad := ended(broke(answer(3, 10, 10, 0, 20), journal.Truncated, "cut"), 60)
	got, err := fireworks.Measure(memoryOf(early, one, two, bad), 10*ms)
	if err != nil {
		t.Fatal(err)
	}
	want := &fireworks.Fireworks{
		Requests: 2, QPS: 20, // from 10 to 110 ms
		TTFT: 15, TotalLatency: 45, // (10, 20) and (30, 60)
		LatencyPerToken:        (20.0/2 + 40.0/4) / 2,
		OverallLatencyPerToken: (30.0/2 + 60.0/4) / 2,
		OutputTokens:           3, PromptTokens: 20, CachedTokens: 2,
		TTFTPercentiles:  []float64{15, 19, 19.5, 19.9, 19.99},
		TotalPercentiles: []float64{45, 57, 58.5, 59.7, 59.97},
	}
	if d := cmp.Diff(want, got, cmpopts.EquateApprox(1e-9, 0)); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if none, err := fireworks.Measure(memoryOf(early), 10*ms); err != nil || none.Requests != 0 {
		t.Errorf("%+v, %v", none, err)
	}
}

// answer is a request that was sent at a time and whose tokens came at others, all in msseconds.
func answer(index int, sent int64, prompt, cached int, at ...int64) *journal.Request {
	r := &journal.Request{
		Index: index, Sent: sent * ms, Outcome: journal.Complete,
		PromptTokens: prompt, UsagePrompt: prompt, UsageCached: cached, OutputTokens: len(at), UsageOutput: len(at),
	}
	last := sent
	for _, t := range at {
		r.Events.At = append(r.Events.At, (t-last)*ms)
		r.Events.Kind = append(r.Events.Kind, journal.EventChoices|journal.EventText)
		last = t
	}
	return r
}

func broke(r *journal.Request, o journal.Outcome, why string) *journal.Request {
	r.Outcome, r.Error = o, why
	return r
}

func memoryOf(requests ...*journal.Request) *memory {
	m := &memory{}
	for _, r := range requests {
		m.requests = append(m.requests, *r)
	}
	return m
}
