package routing

import (
	"fmt"
	"strings"
	"testing"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/result"
)

// fair is a run that nothing is wrong with: three replicas, 30 prefixes, caches that were emptied.
func fair() *Facts {
	f := &Facts{
		Requests: 900, Sent: 900, Workload: "900 prompts, 1", LongestPrompt: 500, Prefixes: 30, Largest: 30, Streams: 900,
		Hits: Hits{300_000, 450_000, ByAnswers}, Last: Hits{80_000, 112_000, ByAnswers},
		Optimum: &Optimum{Of: 450_000, Unlimited: 400_000, Bound: 390_000, WorkingSet: 20_000, Smallest: 16_000, Together: 48_000},
		Belief:  &Belief{Requests: 900, Believed: 301_000, Found: 300_000, Of: 450_000},
	}
	for i := range 3 {
		f.Replicas = append(f.Replicas, Replica{
			Name: fmt.Sprint("r", i), Requests: 300, Hits: Hits{100_000, 150_000, ByAnswers},
			Cache: &Cache{Blocks: 1000, BlockSize: 16, Emptied: "/reset_prefix_cache", Use: of(0), Finished: of(300)},
		})
	}
	return f
}

func entriesOf(facts ...*Facts) (list []Entry) {
	for i, f := range facts {
		list = append(list, Entry{Router: fmt.Sprint("router ", i), Repeat: 1, Facts: f, Result: result.Result{Values: map[string]float64{TTFT50: 10}}})
	}
	return list
}

func TestChecks(t *testing.T) {
	for _, tt := range []struct {
		spoil  func(f *Facts)
		check  string // empty: all are as they were
		state  State
		figure string
	}{
		{func(*Facts) {}, "", Passed, ""},
		{func(f *Facts) { f.Closed = true }, "open loop, same prompts", Found, "1 of 2 runs"},
		{func(f *Facts) { f.Workload = "899 prompts, 2" }, "open loop, same prompts", Found, "899 prompts"},
		{func(f *Facts) { f.Replicas[1].Cache.Set = true }, "natural caches", Found, "set by hand to 1000 blocks"},
		{func(f *Facts) { f.Replicas[1].Cache.Blocks = 990 }, "natural caches", Found, "differ between runs"},
		{func(f *Facts) { f.Replicas[1].Cache.Blocks = 100 }, "natural caches", Found, "holds 1600 tokens, 3.2 prompts"},
		{func(f *Facts) { f.Replicas[1].Cache.Blocks = 0 }, "natural caches", NotChecked, "cache_tokens"},
		{func(f *Facts) { f.Gateways = []Gateway{{300, 290}, {300, 100}} }, "several gateways", Found, "290 of 300"},
		{func(f *Facts) { f.Gateways = []Gateway{{300, 110}, {300, 100}} }, "several gateways", Passed, "300, 300"},
		{func(f *Facts) { f.Buffered = 500 }, "streams arrive as they are made", Found, "500 of 900"},
		{func(f *Facts) { f.Prefixes = 8 }, "no hot prefix", Found, "8 prefixes for 3 replicas"},
		{func(f *Facts) { f.Largest = 300 }, "no hot prefix", Found, "33.3 %"},
		{func(f *Facts) { f.Replicas[0].Requests = 700 }, "no hot prefix", Found, "busiest ÷ mean at most 1.62"},
		{func(f *Facts) { f.Prefixes = 0 }, "no hot prefix", NotChecked, "not known for this dataset"},
		{func(f *Facts) { f.Warm = 4500 }, "caches begin empty", Found, "4500 prompt tokens (1.0 %)"},
		{func(f *Facts) { f.Replicas[2].Cache.Use = of(0.3) }, "caches begin empty", Found, "the cache of r2 was 30.0 % in use"},
		{func(f *Facts) { f.Last.Found = 90_000 }, "the hit rate has settled", Found, "80.4 % in its last quarter"},
		{func(f *Facts) { f.Failed = 3 }, "no gain without sharing, no gain by failures", NotChecked, "failed: router 1 3 of 900"},
		{func(f *Facts) { f.Belief.Believed = 350_000 }, "the router's belief is true", Found, "router 1 believes 77.8 %, the caches found 66.7 %"},
		{func(f *Facts) { f.Belief.Believed = 250_000 }, "the router's belief is true", Found, "believes 55.6 %"},
		{func(f *Facts) { f.Retries = 4 }, "no work is done twice", Found, "sent 4 requests again"},
		{func(f *Facts) { f.Replicas[0].Cache.Finished = of(450) }, "no work is done twice", Found, "ended 1050 requests, and 900 were sent: 1.17 each"},
		{func(f *Facts) { f.Replicas[0].Cache.Finished = nil }, "no work is done twice", NotChecked, "not all known"},
		{func(f *Facts) { f.Replicas[0].Hits = Hits{100, 1000, ByAnswers} }, "Σ hits ÷ Σ queries, no mean of rates", Found, "the mean of 3 replicas' rates is 47.8 %"},
	} {
		f := fair()
		tt.spoil(f)
		before := Judge(entriesOf(fair(), fair())).Cases[0].Checks
		for i, k := range Judge(entriesOf(fair(), f)).Cases[0].Checks {
			switch {
			case k.Name == tt.check && (k.State != tt.state || !strings.Contains(k.Figure, tt.figure)):
				t.Errorf("%s is %s (%s), want %s with %q", k.Name, k.State, k.Figure, tt.state, tt.figure)
			case k.Name != tt.check && k.State != before[i].State:
				t.Errorf("%s spoils %s too: %s", tt.check, k.Name, k.Figure)
			}
		}
	}
}

// Without facts nothing is claimed, and nothing fails.
func TestNothingKnown(t *testing.T) {
	for _, f := range []*Facts{nil, {}, {Requests: 5, Sent: 5, Streams: 0}} {
		for _, k := range Judge(entriesOf(f, f)).Cases[0].Checks {
			if k.State == Found {
				t.Errorf("%s: %s", k.Name, k.Figure)
			}
		}
	}
}

// Parts of a comparison are judged too: one router, or the control alone.
func TestParts(t *testing.T) {
	Judge(nil)
	Judge(entriesOf(fair()))
	list := entriesOf(fair(), fair())
	for i := range list {
		list[i].Control = true
	}
	if c := Judge(list).Cases[0]; len(c.Control) != 1 || len(c.Checks) != 11 {
		t.Errorf("%d pairs and %d checks", len(c.Control), len(c.Checks))
	}
}

// A collector of a hostile journal keeps its bounds and its head.
func TestHostileRequests(t *testing.T) {
	c := NewCollector(&journal.Run{Targets: make([]journal.Target, 2)}, []Cache{{URL: "http://a:1", Blocks: 1 << 40, BlockSize: 1 << 20}})
	for i := range 3 * maxReplicas {
		c.Add(&journal.Request{
			Index: i, Replica: fmt.Sprint("name ", i), Target: -1 - i%7, Outcome: journal.Complete, UsagePrompt: 1 << 30, UsageOutput: 1 << 30, UsageCached: 1 << 40,
			CachedKnown: true, Planned: 1 << 40, PlannedOf: 1, Prefix: i%5 - 2, Conversation: i%3 - 1, Sent: int64(-i), PromptTokens: i % 2,
		})
	}
	f := c.Facts()
	if len(f.Replicas) > maxReplicas {
		t.Errorf("%d replicas", len(f.Replicas))
	}
	if o := f.Optimum; o != nil && (o.Together < 0 || o.Bound < 0 || o.WorkingSet < 0) {
		t.Errorf("%+v", o)
	}
	Judge(entriesOf(f, f))
}
