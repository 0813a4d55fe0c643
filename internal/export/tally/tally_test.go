package tally

import (
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/inferometer/inferometer/internal/journal"
)

func stream(i, chunks int, outcome journal.Outcome) *journal.Request {
	q := &journal.Request{Index: i, Outcome: outcome, Sent: 5, UsagePrompt: 3, UsageOutput: chunks}
	for range chunks {
		q.Events.At = append(q.Events.At, int64(10*time.Millisecond))
		q.Events.Kind = append(q.Events.Kind, journal.EventChoices|journal.EventText)
		q.End += int64(10 * time.Millisecond)
	}
	q.End += q.Sent
	return q
}

// Whoever adds, in whatever order: the sums are those of the requests.
func TestSums(t *testing.T) {
	tally := New(&journal.Run{}, Bounds{TTFT: []float64{.005, .01}, Gap: []float64{.01}, Duration: []float64{.01, 1}, Span: []float64{1}, Tokens: []float64{4}})
	want := map[journal.Outcome]uint64{}
	tokens, gaps := uint64(0), uint64(0)
	var all sync.WaitGroup
	for i := range 1000 {
		n := 1 + rand.IntN(20)
		o := []journal.Outcome{journal.Complete, journal.Complete, journal.Timeout, journal.Lost}[rand.IntN(4)]
		if want[o]++; o == journal.Complete {
			tokens += uint64(n)
			gaps += uint64(n - 1)
		}
		all.Go(func() { tally.Add(stream(i, n, o)) })
	}
	all.Wait()
	s := tally.Sums()
	ok := want[journal.Complete]
	for o, n := range want {
		if s.Outcomes[o] != n {
			t.Errorf("%s: %d, want %d", o, s.Outcomes[o], n)
		}
	}
	if s.Output != tokens || s.Prompt != 3*ok || s.TTFT.Count != ok || s.TTFT.Counts[1] != ok || s.Gap.Count != gaps || s.Gap.Counts[0] != gaps || s.Duration.Count != ok || s.In.Count != ok {
		t.Errorf("%+v, want %d tokens, %d gaps, %d successes", s, tokens, gaps, ok)
	}
	if s.Spans[journal.Timeout].Count != want[journal.Timeout] || s.Spans[journal.Complete].Count != ok || s.Spans[journal.Lost] != nil {
		t.Errorf("spans %+v", s.Spans)
	}
}

func TestHistogramBounds(t *testing.T) {
	h := NewHistogram([]float64{1, 2})
	for _, v := range []float64{0, 1, 1.5, 2, 3} {
		h.Add(v)
	}
	if h.Counts[0] != 2 || h.Counts[1] != 2 || h.Counts[2] != 1 || h.Count != 5 || h.Sum != 7.5 {
		t.Errorf("%+v", h)
	}
}

// BenchmarkAdd is what a request of 128 events costs a run that is shown to Prometheus, where it ends.
func BenchmarkAdd(b *testing.B) {
	gap := []float64{.0005, .001, .0025, .005, .0075, .01, .015, .02, .025, .03, .04, .05, .075, .1, .15, .25, .5, 1, 2.5, 5}
	tally := New(&journal.Run{}, Bounds{TTFT: gap, Gap: gap, Duration: gap})
	q := stream(1, 128, journal.Complete)
	b.ReportAllocs()
	for b.Loop() {
		tally.Add(q)
	}
}
