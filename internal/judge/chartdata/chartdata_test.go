package chartdata

import (
	"io"
	"math"
	"slices"
	"testing"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/measure"
	"github.com/inferometer/inferometer/internal/judge/serving"
)

const ms = int64(1e6)

// plan is a journal that is made while it is read.
type plan struct {
	n    int
	make func(i int) journal.Request
	next int
}

func (p *plan) Run() *journal.Run {
	return &journal.Run{Schema: 1, Options: journal.Options{Pace: "constant", NumPrompts: p.n}}
}
func (p *plan) End() *journal.End { return &journal.End{} }
func (p *plan) Next() (*journal.Request, error) {
	if p.next == p.n {
		return nil, io.EOF
	}
	r := p.make(p.next)
	r.Index = p.next
	p.next++
	return &r, nil
}

func collect(t *testing.T, p *plan, most int) *Run {
	t.Helper()
	c := NewCollector(most)
	if _, err := measure.Measure(p, measure.Options{RowLimit: 1000}, c); err != nil {
		t.Fatal(err)
	}
	return c.Run(nil, nil)
}

// stream is a success with n tokens: the first after ttft, the others by itl.
func stream(due, sent, ttft, itl int64, n int) journal.Request {
	r := journal.Request{Due: due, Released: due, Sent: sent, Outcome: journal.Complete, UsageOutput: n, OutputTokens: n}
	for i := range n {
		gap := itl
		if i == 0 {
			gap = ttft
		}
		r.Events.At = append(r.Events.At, gap)
		r.Events.Kind = append(r.Events.Kind, journal.EventChoices|journal.EventText)
	}
	r.End = sent + ttft + int64(n-1)*itl
	return r
}

func mean(v []float64) float64 {
	sum := 0.0
	for _, x := range v {
		sum += x
	}
	return sum / float64(len(v))
}

// TestKnownTruth: 1,000 requests, one each 10 ms, each 5 ms late and 100 ms long, with
// 10 tokens. So 10 are in flight, half a request waits, 1,000 tokens a second come.
func TestKnownTruth(t *testing.T) {
	got := collect(t, &plan{n: 1000, make: func(i int) journal.Request {
		due := int64(i) * 10 * ms
		return stream(due, due+5*ms, 10*ms, 10*ms, 10)
	}}, 0)
	if len(got.At) == 0 || len(got.At) > MostSlots || len(got.At) != len(got.Tokens) || len(got.At) != len(got.TTFT.High) {
		t.Fatalf("%d slots, %d of tokens", len(got.At), len(got.Tokens))
	}
	inner := func(v []float64) []float64 { return v[len(v)/5 : len(v)*4/5] }
	for name, tt := range map[string]struct {
		got  []float64
		want float64
	}{
		"in flight": {inner(got.InFlight), 10}, "waiting": {inner(got.Waiting), 0.5},
		"tokens": {inner(got.Tokens), 1000}, "done": {inner(got.Done), 100}, "failed": {inner(got.Failed), 0},
		"ttft": {inner(got.TTFT.P50), 10}, "e2el": {inner(got.E2EL.High), 100},
	} {
		if m := mean(tt.got); math.Abs(m-tt.want) > 0.05*max(tt.want, 0.1) {
			t.Errorf("%s is %g, want %g", name, m, tt.want)
		}
	}
	sum := 0.0
	for _, v := range got.Tokens {
		sum += v * got.Slot
	}
	if math.Round(sum) != 10_000 {
		t.Errorf("%g tokens in all slots", sum)
	}
	if len(got.Rows) != 1000 || got.Sampled || got.Rows[3].Index != 3 || math.Abs(got.Rows[3].First-0.045) > 1e-9 {
		t.Errorf("%d rows, sampled %v, %+v", len(got.Rows), got.Sampled, got.Rows[3])
	}
}

// TestCurves: a cumulative curve passes through the percentiles of what went in.
func TestCurves(t *testing.T) {
	got := collect(t, &plan{n: 5000, make: func(i int) journal.Request {
		return stream(0, 0, int64(i+1)*ms/10, 7*ms, 3)
	}}, 0)
	if len(got.Curves) != 4 {
		t.Fatalf("%d curves", len(got.Curves))
	}
	for _, c := range got.Curves {
		if len(c.MS) > MostPoints || !slices.IsSorted(c.MS) || !slices.IsSorted(c.Share) || c.Share[0] != 0 || c.Share[len(c.Share)-1] != 1 {
			t.Errorf("%s: %d points from %g to %g", c.Name, len(c.MS), c.Share[0], c.Share[len(c.Share)-1])
		}
		switch c.Name {
		case "ttft": // even from 0.1 to 500 ms
			at, _ := slices.BinarySearch(c.Share, 0.5)
			if math.Abs(c.MS[at]-250) > 12 {
				t.Errorf("half of the TTFT are below %g ms, not 250", c.MS[at])
			}
		case "itl":
			if c.Count != 10_000 || c.MS[0] > 7 || c.MS[len(c.MS)-1] < 7 || c.MS[len(c.MS)-1] > 7.3 {
				t.Errorf("%d gaps of 7 ms lie in %v", c.Count, c.MS)
			}
		}
	}
}

// TestHeat: every gap is in the map once, where and when it was.
func TestHeat(t *testing.T) {
	got := collect(t, &plan{n: 2000, make: func(i int) journal.Request {
		itl := 10 * ms
		if i >= 1000 {
			itl = 80 * ms
		}
		return stream(int64(i)*50*ms, int64(i)*50*ms, ms, itl, 3)
	}}, 0)
	h := got.Gaps
	if len(h.Counts) > HeatColumns || len(h.Counts[0]) > HeatRows || len(h.XEdges) != len(h.Counts)+1 || len(h.YEdges) != len(h.Counts[0])+1 {
		t.Fatalf("%d × %d", len(h.Counts), len(h.Counts[0]))
	}
	sum, slowEarly := 0.0, 0.0
	for i, column := range h.Counts {
		for j, n := range column {
			sum += n
			if h.YEdges[j] > 20 && h.XEdges[i+1] < 49 {
				slowEarly += n
			}
		}
	}
	if sum != 4000 || slowEarly != 0 {
		t.Errorf("%g gaps, %g slow ones too early", sum, slowEarly)
	}
}

// TestLongRunsStaySmall: a day of requests gives no more slots or rows, and the
// slowest and failed ones are still there.
func TestLongRunsStaySmall(t *testing.T) {
	const n, most = 50_000, 1000
	got := collect(t, &plan{n: n, make: func(i int) journal.Request {
		at := int64(i) * 86_400 * 1000 * ms / n
		switch i {
		case 31_001:
			return journal.Request{Due: at, Sent: at, End: at + ms, Outcome: journal.Refused, Error: "connect: refused"}
		case 31_003:
			return stream(at, at, 9000*ms, ms, 2)
		}
		return stream(at, at, 10*ms, ms, 2)
	}}, most)
	if len(got.At) > MostSlots || len(got.At) < MostSlots/4 || len(got.Rows) > most || len(got.Rows) < most/4 || !got.Sampled || got.Total != n {
		t.Errorf("%d slots, %d rows of %d", len(got.At), len(got.Rows), got.Total)
	}
	for _, want := range []int{31_001, 31_003} {
		if !slices.ContainsFunc(got.Rows, func(r Row) bool { return r.Index == want }) {
			t.Errorf("request %d is lost", want)
		}
	}
	for i := 1; i < len(got.Rows); i++ {
		if got.Rows[i].Index <= got.Rows[i-1].Index {
			t.Fatalf("rows out of order at %d", i)
		}
	}
}

// TestNothing: a run without a success draws nothing and breaks nothing.
func TestNothing(t *testing.T) {
	for _, n := range []int{0, 2} {
		got := collect(t, &plan{n: n, make: func(int) journal.Request {
			return journal.Request{End: ms, Outcome: journal.Refused}
		}}, 0)
		if got.Gaps != nil || len(got.Rows) != n || len(got.Curves) != 4 || len(got.Curves[0].MS) != 0 {
			t.Errorf("%+v", got)
		}
	}
}

func TestServerSeries(t *testing.T) {
	scrape := func(at int64, running, tokens float64) journal.Scrape {
		return journal.Scrape{At: at * 1000 * ms, Counters: map[string]float64{"vllm:num_requests_running": running, "vllm:generation_tokens_total": tokens}}
	}
	if got := serverSeries(nil, []journal.Scrape{scrape(-1, 0, 0), scrape(9, 0, 5)}, nil); got != nil {
		t.Errorf("before and after are no course: %+v", got)
	}
	got := serverSeries(nil, []journal.Scrape{scrape(-1, 0, 0), scrape(1, 4, 100), scrape(2, 8, 300)}, nil)
	if len(got) != 2 || got[0].Name != "vllm: running" || !slices.Equal(got[0].Value, []float64{4, 8}) || !slices.Equal(got[1].Value, []float64{50, 200}) {
		t.Errorf("%+v", got)
	}
	if names := serving.NewTable(); !names.Kept("vllm:kv_cache_usage_perc") || names.Kept("vllm:request_params_n_sum") {
		t.Error("which metrics are drawn")
	}
}

func TestClientPoints(t *testing.T) {
	got := clientPoints([]journal.Sample{
		{At: 0, CPUNs: 0, WaitNs: -1}, {At: 1000 * ms, CPUNs: 500 * ms, WaitNs: -1}, {At: 1001 * ms, CPUNs: 700 * ms, WaitNs: 0},
	})
	if len(got) != 1 || got[0].CPU != 0.5 || !math.IsNaN(got[0].Wait) {
		t.Errorf("%+v", got)
	}
}

// A p99 is drawn only where slots have the values for one; else the slowest request of each is.
func TestAPercentileOfFewIsNotDrawn(t *testing.T) {
	for name, c := range map[string]struct {
		apart int64 // between requests
		want  string
		high  float64
	}{
		"one request each 10 ms":  {10 * ms, "slowest", 50},
		"one request each 0.1 ms": {ms / 10, "p99", 10},
	} {
		got := collect(t, &plan{n: 20_000, make: func(i int) journal.Request {
			ttft := 10 * ms
			if i%500 == 7 {
				ttft = 50 * ms
			}
			sent := int64(i) * c.apart
			return stream(sent, sent, ttft, ms, 2)
		}}, 0)
		high := 0.0
		for _, v := range got.TTFT.High {
			if !math.IsNaN(v) {
				high = max(high, v)
			}
		}
		if got.TTFT.HighName != c.want || math.Abs(high/c.high-1) > 0.05 {
			t.Errorf("%s: %s, at most %g ms, want %s, %g ms", name, got.TTFT.HighName, high, c.want, c.high)
		}
	}
}
