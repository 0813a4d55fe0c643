package serverlog

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

var nan = math.NaN()

// Lines of real servers, as their users have shown them in issues, with what docker, colours
// and versions do to them.
func TestParseEngine(t *testing.T) {
	for _, tt := range []struct {
		name, line string
		want       *Engine
	}{
		{
			"docker's time, 2026", "2026-05-12T08:01:39.331095044Z (APIServer pid=1) INFO 05-12 08:01:39 [loggers.py:271] Engine 000: Avg prompt throughput: 6335.3 tokens/s, Avg generation throughput: 4.8 tokens/s, Running: 9 reqs, Waiting: 0 reqs, GPU KV cache usage: 62.8%, Prefix cache hit rate: 0.0%",
			&Engine{0, 6335.3, 4.8, 9, 0, nan, nan, .628, 0},
		},
		{
			"colours", "\x1b[0;36m(APIServer pid=92107)\x1b[0;0m INFO 05-08 16:21:55 [loggers.py:271] Engine 003: Avg prompt throughput: 0.0 tokens/s, Avg generation throughput: 28.4 tokens/s, Running: 0 reqs, Waiting: 0 reqs, GPU KV cache usage: 0.0%, Prefix cache hit rate: 0.0%, MM cache hit rate: 0.0%",
			&Engine{3, 0, 28.4, 0, 0, nan, nan, 0, 0},
		},
		{
			"preemptions", "INFO [loggers.py:310] Engine 000: Avg prompt throughput: 1.0 tokens/s, Avg generation throughput: 2.0 tokens/s, Running: 18 reqs, Waiting: 43 reqs, Deferred: 2 reqs, Preemptions: 7, GPU KV cache usage: 95.9%, Prefix cache hit rate: 1.5%, External prefix cache hit rate: 9.0%",
			&Engine{0, 1, 2, 18, 43, nan, 7, .959, .015},
		},
		{
			"engine V0", "INFO 02-05 01:02:03 metrics.py:455] Avg prompt throughput: 0.1 tokens/s, Avg generation throughput: 9.8 tokens/s, Running: 1 reqs, Swapped: 3 reqs, Pending: 2 reqs, GPU KV cache usage: 0.1%, CPU KV cache usage: 0.0%.",
			&Engine{0, .1, 9.8, 1, 2, 3, nan, .001, nan},
		},
		{"engine V0's hits", "INFO 02-05 01:02:03 metrics.py:471] Prefix cache hit rate: GPU: 30.12%, CPU: 0.00%", &Engine{0, nan, nan, nan, nan, nan, nan, nan, .3012}},
		{
			"not applicable", "Engine 000: Avg prompt throughput: 1.0 tokens/s, Avg generation throughput: 2.0 tokens/s, Running: 1 reqs, Waiting: 0 reqs, GPU KV cache usage: n/a, Prefix cache hit rate: n/a",
			&Engine{0, 1, 2, 1, 0, nan, nan, nan, nan},
		},
		{"a share above all", "Engine 99999999999: Avg prompt throughput: x, Running: 1 reqs, GPU KV cache usage: 900%", &Engine{0, nan, nan, 1, nan, nan, nan, nan, nan}},
		{"an access", `INFO:     127.0.0.1:55556 - "POST /v1/completions HTTP/1.1" 200 OK`, nil},
		{"a long one", strings.Repeat("x", maxLine) + "Avg prompt throughput: 1 tokens/s, Running: 1 reqs", nil},
		{"half", "Engine 000: Avg prompt throughput: 1.0 tok", nil},
	} {
		got, ok := ParseEngine(tt.line)
		if ok != (tt.want != nil) {
			t.Errorf("%s: read %v", tt.name, ok)
			continue
		}
		if ok {
			if diff := cmp.Diff(*tt.want, got, cmpopts.EquateNaNs(), cmpopts.EquateApprox(0, 1e-9)); diff != "" {
				t.Errorf("%s: %s", tt.name, diff)
			}
		}
	}
}

// What lines say one after the other: totals grow, engines add up, shares are averaged.
func TestState(t *testing.T) {
	s := NewState()
	for i, line := range []string{
		"Engine 000: Avg prompt throughput: 100.0 tokens/s, Avg generation throughput: 50.0 tokens/s, Running: 4 reqs, Waiting: 1 reqs, GPU KV cache usage: 20.0%, Prefix cache hit rate: 10.0%",
		"Engine 001: Avg prompt throughput: 100.0 tokens/s, Avg generation throughput: 50.0 tokens/s, Running: 2 reqs, Waiting: 0 reqs, GPU KV cache usage: 40.0%, Prefix cache hit rate: 30.0%",
		"SpecDecoding metrics: Mean acceptance length: 2.20, Accepted throughput: 15.60 tokens/s, Drafted throughput: 38.99 tokens/s, Accepted: 78 tokens, Drafted: 195 tokens, Per-position acceptance rate: 0.615, 0.415, 0.169, Avg Draft acceptance rate: 40.0%",
		"something else",
		"Engine 000: Avg prompt throughput: 10.0 tokens/s, Avg generation throughput: 60.0 tokens/s, Running: 5 reqs, Waiting: 3 reqs, Preemptions: 2, GPU KV cache usage: 60.0%, Prefix cache hit rate: 10.0%",
	} {
		if told := s.Line(line, float64(i)*5); told != (i != 3) {
			t.Errorf("line %d: told %v", i, told)
		}
	}
	want := map[string]float64{
		LogRunning: 7, LogWaiting: 3, LogCacheUse: .5, LogHitRate: .2, LogPreemptions: 2, LogPrompt: 200, LogGenerated: 1200,
		LogDrafted: 195, LogAccepted: 78, LogDrafts: 65, LogEmitted: 143,
	}
	if diff := cmp.Diff(want, s.Values(), cmpopts.EquateApprox(0, 1e-9)); diff != "" {
		t.Error(diff)
	}
}

// Lines that count from the start give the difference to the first.
func TestStateSinceStart(t *testing.T) {
	s := NewState()
	const line = "Speculative metrics: Draft acceptance rate: 0.8, System efficiency: 0.6, Number of speculative tokens: 5, Number of accepted tokens: A, Number of draft tokens: D, Number of emitted tokens: E."
	for _, v := range [][3]string{{"100", "200", "90"}, {"150", "300", "140"}} {
		s.Line(strings.NewReplacer(" A,", " "+v[0]+",", " D,", " "+v[1]+",", " E.", " "+v[2]+".").Replace(line), 0)
	}
	if got := s.Values(); got[LogAccepted] != 50 || got[LogDrafted] != 100 || got[LogDrafts] != 20 || got[LogEmitted] != 50 {
		t.Errorf("%v", got)
	}
}

func FuzzLine(f *testing.F) {
	f.Add("Engine 000: Avg prompt throughput: 1.0 tokens/s, Running: 1 reqs, GPU KV cache usage: 1%")
	f.Add("\x1b[3")
	f.Add("SpecDecoding metrics: Mean acceptance length: 2.20, Accepted: 78 tokens, Drafted: 195 tokens")
	f.Fuzz(func(t *testing.T, text string) {
		s := NewState()
		for line := range strings.Lines(text) {
			s.Line(line, 1)
		}
		for name, v := range s.Values() {
			if math.IsNaN(v) || math.IsInf(v, 0) || v < 0 {
				t.Errorf("%s is %v", name, v)
			}
		}
	})
}
