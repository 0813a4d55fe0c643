package measure

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/row"
)

// arrivals counts the tokens of successes over time.
type arrivals struct{ sum int64 }

func (a *arrivals) Add(r *row.Request) error {
	for _, one := range r.Arrivals() {
		if r.Row.OK {
			a.sum += int64(one.Tokens)
		}
	}
	return nil
}

// speculative is a request of a server that decodes speculatively: events with
// several tokens, of which only the end says how many there were.
func speculative(index int, sent int64, rnd *rand.Rand, tokens int) journal.Request {
	var chunks []int64
	var sizes, each []int
	at := int64(100)
	for left := tokens; left > 0; at += 20 {
		n := min(left, 1+rnd.IntN(5))
		size := 0
		for range n {
			size += 1 + rnd.IntN(8)
		}
		left -= n
		chunks, sizes, each = append(chunks, at), append(sizes, size), append(each, n)
	}
	r := stream(index, sent, chunks...)
	r.UsageOutput, r.OutputTokens = tokens, tokens
	r.Events.Size = append(sizes, 0)
	r.Events.Tokens = append(each, 0) // the truth, to be hidden
	return r
}

// TestSpeculativeRates: with events of several tokens, the rates over time are those of
// the tokens, as far as they can be known, and add up to the total.
func TestSpeculativeRates(t *testing.T) {
	rnd := rand.New(rand.NewPCG(11, 12))
	m := &memory{run: closedRun(4), end: &journal.End{}}
	free := make([]int64, 4)
	for i := range 200 {
		slot := slices.Index(free, slices.Min(free))
		r := speculative(i, free[slot], rnd, 60+rnd.IntN(80))
		free[slot] = r.End / ms
		m.requests = append(m.requests, r)
	}
	variant := func(change func(*journal.Request)) (*Result, int64) {
		v := &memory{run: m.run, end: m.end, requests: slices.Clone(m.requests)}
		for i := range v.requests {
			change(&v.requests[i])
		}
		w := &arrivals{}
		return measured(t, v, Options{}, w), w.sum
	}
	truth, _ := variant(func(r *journal.Request) { r.Events.TokensBy = "usage" })
	for name, change := range map[string]func(*journal.Request){
		"known event by event":          func(r *journal.Request) { r.Events.TokensBy = "usage" },
		"event by event, and no total":  func(r *journal.Request) { r.Events.TokensBy, r.UsageOutput = "token_ids", 0 },
		"known but for the last token":  func(r *journal.Request) { r.Events.TokensBy = "tokenizer"; r.UsageOutput++ },
		"by the length of the text":     func(r *journal.Request) { r.Events.Tokens = nil },
		"an old journal, without sizes": func(r *journal.Request) { r.Events.Tokens, r.Events.Size = nil, nil },
		"our own count of the text":     func(r *journal.Request) { r.Events.Tokens, r.UsageOutput, r.TextTokens = nil, 0, r.UsageOutput },
	} {
		t.Run(name, func(t *testing.T) {
			r, sum := variant(change)
			if sum != r.OutputTokens {
				t.Errorf("%d tokens over time, %d in all", sum, r.OutputTokens)
			}
			if !r.TokensInTime.Known {
				t.Errorf("%+v", r.TokensInTime)
				return
			}
			roughly(t, "peak", *r.PeakTokensPerSecond, *truth.PeakTokensPerSecond, 0.05)
			roughly(t, "steady", *r.SteadyState.OutputThroughput, *truth.SteadyState.OutputThroughput, 0.02)
			roughly(t, "steady and overall", *r.SteadyState.OutputThroughput, r.OutputThroughput, 0.05)
		})
	}
	t.Run("nobody counted", func(t *testing.T) {
		r, _ := variant(func(r *journal.Request) { r.Events.Tokens, r.UsageOutput = nil, 0 })
		if r.TokensInTime.Known || r.TokensInTime.Reason == "" || r.PeakTokensPerSecond != nil || r.SteadyState.OutputThroughput != nil || r.SteadyState.TotalThroughput != nil {
			t.Errorf("a rate that nobody can know: %+v, peak %v, %+v", r.TokensInTime, r.PeakTokensPerSecond, r.SteadyState)
		}
		if r.SteadyState.RequestThroughput == 0 {
			t.Error("requests were counted")
		}
	})
	t.Run("one in each, and nobody counted", func(t *testing.T) {
		r, _ := variant(func(r *journal.Request) { r.Events.Tokens, r.UsageOutput, r.OutputTokens = nil, 0, len(r.Events.At)-1 })
		if !r.TokensInTime.Known || !r.InterToken.Known {
			t.Errorf("as many events as tokens asked for hold one each: %+v, %+v", r.TokensInTime, r.InterToken)
		}
	})
}

// TestAbsurdArrivals: a journal that somebody edited gives odd numbers and no panic.
func TestAbsurdArrivals(t *testing.T) {
	for name, change := range map[string]func(*journal.Request){
		"no text": func(r *journal.Request) {
			r.Events.Kind = []journal.EventKind{journal.EventChoices, journal.EventUsage}
		},
		"no chunk":       func(r *journal.Request) { r.Events.Kind = []journal.EventKind{0, journal.EventUsage} },
		"negative sizes": func(r *journal.Request) { r.Events.Size = []int{-1 << 62, 1 << 62} },
		"huge total":     func(r *journal.Request) { r.UsageOutput = 1 << 62 },
		"no tokens":      func(r *journal.Request) { r.Events.Tokens, r.Events.TokensBy = []int{0, 0}, "usage" },
		"huge tokens":    func(r *journal.Request) { r.Events.Tokens, r.Events.TokensBy = []int{1 << 62, 1 << 62}, "usage" },
	} {
		t.Run(name, func(*testing.T) {
			r := stream(0, 0, 50)
			r.UsageOutput = 7
			change(&r)
			var one row.Request
			if err := one.Read(row.Rules{}, &r); err == nil {
				one.Arrivals()
			}
		})
	}
}

// TestCoverage: a number that few requests have is not shown, in no output.
func TestCoverage(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for _, tt := range []struct {
		known, all int
		want       bool
	}{{4, 128, false}, {128, 128, true}, {122, 128, true}, {121, 128, false}, {0, 128, false}} {
		m := &memory{run: closedRun(4), end: &journal.End{}}
		for i := range tt.all {
			r := speculative(i, int64(i)*100, rnd, 30)
			r.Events.Tokens = nil
			if i < tt.known {
				r.UsageOutput = len(r.Events.At) - 1 // one in each
			}
			m.requests = append(m.requests, r)
		}
		got := measured(t, m, Options{}).InterToken
		if got.Known != tt.want || (got.Summary != nil) != tt.want || got.Requests != tt.known || (got.Reason == "") != (tt.known == tt.all) {
			t.Errorf("%d of %d: %+v", tt.known, tt.all, got)
		}
	}
}
