package measure

import (
	"testing"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/bounds"
)

// held is a journal of one request on this machine: 50 ms to the first token, then gaps, before some of which the client was held up.
func held(t *testing.T, url string, gaps []int64, at []int, ns []int64) *bounds.Bounds {
	t.Helper()
	const ms = int64(1e6)
	var all memory
	all.run = journal.Run{Schema: 1, Clock: "kernel", ReadEnds: true, Holds: true, Options: journal.Options{Backend: "vllm", Pace: "closed", MaxConcurrency: 1, NumPrompts: 4, BaseURL: url}}
	sent := int64(0)
	for i := range 4 {
		r := journal.Request{Index: i, Due: sent, Sent: sent, Outcome: journal.Complete, Status: 200, OutputTokens: len(gaps) + 1, UsageOutput: len(gaps) + 1, UsagePrompt: 8, PromptTokens: 8}
		end := sent
		for _, gap := range append([]int64{50}, gaps...) {
			r.Events.At, r.Events.Kind, r.Events.Lag = append(r.Events.At, gap*ms), append(r.Events.Kind, journal.EventChoices|journal.EventText), append(r.Events.Lag, 1000)
			end += gap * ms
		}
		r.Events.Held, r.Events.HeldNs = at, ns
		r.End = end
		sent = end
		all.requests = append(all.requests, r)
	}
	all.end = &journal.End{At: sent, Sent: 4}
	return measured(t, &all, Options{}).Bounds
}

// A gap of 30 ms among gaps of 10, in which the machine stood still for 20 or more, would have been 10.
func TestHeldUp(t *testing.T) {
	const here, elsewhere = "http://127.0.0.1:8000", "http://10.0.0.7:8000"
	gaps := []int64{10, 10, 10, 30, 10, 10, 10, 10}
	b := held(t, here, gaps, []int{4}, []int64{20e6})
	if ends, _ := b.Of("tpot", "mean"); ends[0] > 10.01 || ends[0] < 9.9 || ends[1] < 12.49 {
		t.Errorf("TPOT lies within %v", ends)
	}
	if high := b.Rates["request_throughput"]; high[1] < 1.15*high[0] || high[1] > 1.25*high[0] {
		t.Errorf("the rate lies within %v", high)
	}
	for name, b := range map[string]*bounds.Bounds{
		"elsewhere":                     held(t, elsewhere, gaps, []int{4}, []int64{20e6}),
		"held up in a gap as any other": held(t, here, gaps, []int{2}, []int64{20e6}),
		"the server made it good":       held(t, here, []int64{10, 10, 10, 15, 5, 10, 10, 10}, []int{4}, []int64{5e6}),
		"nothing was held up":           held(t, here, gaps, nil, nil),
	} {
		ends, _ := b.Of("tpot", "mean")
		if ends.Width() > 0.01 {
			t.Errorf("%s: TPOT lies within %v", name, ends)
		}
	}
}
