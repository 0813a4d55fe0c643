package serverlog

import (
	"math"
	"strings"
	"testing"
)

const (
	old1 = "INFO 12-16 16:46:04 metrics.py:482] Speculative metrics: Draft acceptance rate: 0.797, System efficiency: 0.640, Number of speculative tokens: 5, Number of accepted tokens: 197711, Number of draft tokens: 248165, Number of emitted tokens: 190541."
	old2 = "INFO 12-16 16:46:09 metrics.py:482] Speculative metrics: Draft acceptance rate: 0.798, System efficiency: 0.641, Number of speculative tokens: 5, Number of accepted tokens: 198711, Number of draft tokens: 249415, Number of emitted tokens: 191541."
	new1 = "(APIServer pid=1) INFO 05-18 11:19:54 [metrics.py:101] SpecDecoding metrics: Mean acceptance length: 3.42, Accepted throughput: 67.60 tokens/s, Drafted throughput: 83.70 tokens/s, Accepted: 676 tokens, Drafted: 837 tokens, Per-position acceptance rate: 0.921, 0.828, 0.674, Avg Draft acceptance rate: 80.8%"
	new2 = "(APIServer pid=1) INFO 05-18 11:20:04 [metrics.py:101] SpecDecoding metrics: Mean acceptance length: 3.52, Accepted throughput: 69.90 tokens/s, Drafted throughput: 83.10 tokens/s, Accepted: 699 tokens, Drafted: 831 tokens, Per-position acceptance rate: 0.942, 0.859, 0.722, Avg Draft acceptance rate: 84.1%"
	deep = "INFO 09-04 11:01:16 [metrics.py:125] SpecDecoding metrics: Mean acceptance length: 6.82, Current speculative depth: 7, Accepted throughput: 6.46 tokens/s, Drafted throughput: 7.77 tokens/s, Accepted: 256 tokens, Drafted: 308 tokens, Per-position acceptance rate: 1.000, 1.000, 1.000, 1.000, 0.795, 0.614, 0.409, Avg Draft acceptance rate: 83.1%"
	bare = "INFO 03-30 10:00:00 [metrics.py:43] SpecDecoding metrics: Draft acceptance rate: 80.8%, Accepted: 676 tokens, Drafted: 837 tokens"
	none = "INFO 05-18 11:20:04 [metrics.py:101] SpecDecoding metrics: Mean acceptance length: 1.00, Accepted: 0 tokens, Drafted: 670 tokens, Avg Draft acceptance rate: 0.0%"
)

func near(got, want float64) bool {
	return math.IsNaN(got) && math.IsNaN(want) || math.Abs(got-want) < 0.0005
}

func TestParseSpecDecode(t *testing.T) {
	unknown := math.NaN()
	tests := []struct {
		name, line        string
		ok                bool
		rate, length      float64
		accepted, drafted int64
		sinceStart        bool
	}{
		// The length is what the line's own efficiency says: 0.640 of the 6 possible.
		{"old", old1, true, 0.7967, 3.839, 197711, 248165, true},
		{"new", new1, true, 0.8076, 3.42, 676, 837, false},
		{"new, with a depth", deep, true, 0.8312, 6.82, 256, 308, false},
		{"the first of the new ones", bare, true, 0.8076, unknown, 676, 837, false},
		{"nothing accepted", none, true, 0, 1, 0, 670, false},
		{"another line", "INFO: Application startup complete.", false, 0, 0, 0, 0, false},
		{"nothing drafted", "SpecDecoding metrics: Draft acceptance rate: nan%, Accepted: 0 tokens, Drafted: 0 tokens", false, 0, 0, 0, 0, false},
		{"more accepted than drafted", "SpecDecoding metrics: Accepted: 9 tokens, Drafted: 3 tokens", false, 0, 0, 0, 0, false},
		{"no figures", "SpecDecoding metrics: Accepted: many tokens, Drafted: more tokens", false, 0, 0, 0, 0, false},
		{"too long", new1 + strings.Repeat(" ", maxLine), false, 0, 0, 0, 0, false},
	}
	for _, c := range tests {
		t.Run(c.name, func(t *testing.T) {
			got, ok := ParseSpecDecode(c.line)
			if ok != c.ok {
				t.Fatalf("ok = %v", ok)
			}
			if !near(got.Rate, c.rate) || !near(got.Length, c.length) || got.Accepted != c.accepted || got.Drafted != c.drafted || got.SinceStart != c.sinceStart {
				t.Errorf("got %+v", got)
			}
		})
	}
}

func TestBetween(t *testing.T) {
	unknown := math.NaN()
	tests := []struct {
		name, before, during string
		ok                   bool
		rate, length         float64
	}{
		{"nothing said", new1, "INFO: ready\n", false, 0, 0},
		{"lines add up", old1, new1 + "\nINFO: x\n" + new2, true, (676. + 699) / (837. + 831), 3.4695},
		{"one that does not say the length", "", new1 + "\n" + bare, true, 2 * 676. / (2 * 837), unknown},
		{"from the start", "", old1 + "\n" + old2, true, 0.7967, 3.840},
		{"since the last line before", old1 + "\n", old2 + "\n", true, 0.8, 4},
		{"a server that was started again", old2 + "\n", old1 + "\n", false, 0, 0},
		{"nothing since", old1 + "\n", old1 + "\n", false, 0, 0},
	}
	for _, c := range tests {
		t.Run(c.name, func(t *testing.T) {
			got, ok := Between(c.before, c.during)
			if ok != c.ok || !near(got.Rate, c.rate) || !near(got.Length, c.length) {
				t.Errorf("got %+v, %v; want %v, rate %v, length %v", got, ok, c.ok, c.rate, c.length)
			}
		})
	}
}

// A log is what a server writes: nothing in it may panic or give a ratio that none is.
func FuzzParseSpecDecode(f *testing.F) {
	for _, line := range []string{old1, new1, deep, bare, none, ""} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		s, ok := ParseSpecDecode(line)
		if !ok {
			return
		}
		if s.Rate < 0 || s.Rate > 1 || s.Length < 0 || math.IsInf(s.Length, 0) || s.Accepted < 0 || s.Drafted <= 0 {
			t.Errorf("%q: %+v", line, s)
		}
		Between(line, line+"\n"+line)
	})
}
