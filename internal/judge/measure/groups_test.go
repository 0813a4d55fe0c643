package measure

import (
	"fmt"
	"io"
	"math"
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/metric"
	"github.com/inferometer/inferometer/internal/judge/sample"
)

// talking is a journal whose lines are made as they are read.
type talking struct {
	run  journal.Run
	end  *journal.End
	line func(i int) any // a *journal.Request or a *journal.Conversation; nil: the end
	next int
	see  func(*journal.Conversation)
}

func (j *talking) Run() *journal.Run                              { return &j.run }
func (j *talking) End() *journal.End                              { return j.end }
func (j *talking) OnConversation(see func(*journal.Conversation)) { j.see = see }
func (j *talking) Next() (*journal.Request, error) {
	for {
		l := j.line(j.next)
		j.next++
		switch l := l.(type) {
		case *journal.Request:
			return l, nil
		case *journal.Conversation:
			j.see(l)
		default:
			return nil, io.EOF
		}
	}
}

func lines(list ...any) func(int) any {
	return func(i int) any {
		if i >= len(list) {
			return nil
		}
		return list[i]
	}
}

// turn is a request of a conversation whose prompt the server counted, and of which it
// had some in its cache; -1: it did not say.
func turn(index, conversation, number int, sent int64, prompt, cached int, chunks ...int64) *journal.Request {
	r := stream(index, sent, chunks...)
	r.Conversation, r.Turn, r.UsagePrompt = conversation, number, prompt
	if cached >= 0 {
		r.UsageCached, r.CachedKnown = cached, true
	}
	return &r
}

func close64(a, b float64) bool { return math.Abs(a-b) <= 1e-9*math.Max(math.Abs(a), math.Abs(b)) }

func measureAll(t *testing.T, j Journal, opt Options) *Result {
	t.Helper()
	r, err := Measure(j, opt)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestByTurn(t *testing.T) {
	lost := turn(3, 2, 2, 300, 60, -1, 40)
	lost.Outcome = journal.Truncated
	warm := turn(9, 1, 1, -100, 10, 0, 5)
	warm.Warmup = true
	j := &talking{run: closedRun(2), end: &journal.End{}, line: lines(
		warm,
		turn(0, 1, 1, 0, 20, 0, 100, 110, 120),
		turn(2, 2, 1, 0, 40, -1, 200, 220),
		turn(1, 1, 2, 200, 100, 80, 50, 60),
		lost,
	)}
	r := measureAll(t, j, Options{Percentiles: []float64{50, 95, 99}})
	if r.ByAdapter != nil || len(r.ByTurn.Each) != 2 || r.ByTurn.More != nil {
		t.Fatalf("%+v, %+v", r.ByTurn, r.ByAdapter)
	}
	first, second := r.ByTurn.Each[0], r.ByTurn.Each[1]
	if first.Turn != 1 || first.Requests != 2 || first.Failed != 0 || second.Turn != 2 || second.Requests != 2 || second.Failed != 1 {
		t.Errorf("%+v\n%+v", first, second)
	}
	if !close64(first.TTFT.Mean, 150) || first.TTFT.Count != 2 || !close64(second.TTFT.Mean, 50) || !close64(second.E2EL.P50, 60) || first.ITL.Count != 3 || !close64(first.TPOT.Mean, 15) {
		t.Errorf("%+v\n%+v", first, second)
	}
	if diff := cmp.Diff([]sample.Percentile{{P: 95, Value: 195}}, first.TTFT.Asked); diff != "" {
		t.Error(diff)
	}
	if first.Prompt != (PromptLengths{Known: 2, Mean: 30, Min: 20, Max: 40}) || second.Prompt != (PromptLengths{Known: 1, Mean: 100, Min: 100, Max: 100}) {
		t.Errorf("prompts %+v, %+v", first.Prompt, second.Prompt)
	}
	// Of one of the first turns nobody knows what was cached: it counts neither for nor against.
	if first.Cached != (Cached{Known: 1, Tokens: 0, Prompt: 20}) || second.Cached != (Cached{Known: 1, Tokens: 80, Prompt: 100}) {
		t.Errorf("cached %+v, %+v", first.Cached, second.Cached)
	}
	if share, ok := second.Cached.Share(); !ok || share != 0.8 {
		t.Errorf("share %v, %v", share, ok)
	}
	if sum := first.OutputThroughput + second.OutputThroughput; !close64(sum, r.OutputThroughput) {
		t.Errorf("the groups have %v tok/s, the run %v", sum, r.OutputThroughput)
	}
}

func TestByAdapter(t *testing.T) {
	m := &memory{run: closedRun(2), end: &journal.End{}}
	for i := range 9 {
		r := stream(i, int64(i*100), 10*int64(i+1), 10*int64(i+1)+5)
		r.Model = []string{"law", "med", ""}[i%3]
		m.requests = append(m.requests, r)
	}
	r := measured(t, m, Options{})
	if r.ByTurn != nil || r.Jobs != nil || len(r.ByAdapter.Each) != 2 {
		t.Fatalf("%+v", r.ByAdapter)
	}
	for i, want := range []Group{{Name: "law", Requests: 3, Completed: 3}, {Name: "med", Requests: 3, Completed: 3}} {
		got := r.ByAdapter.Each[i]
		if got.Name != want.Name || got.Requests != want.Requests || got.Completed != want.Completed || r.ByAdapter.Name(&got) != want.Name {
			t.Errorf("%+v", got)
		}
		if ttft := 40.0 + 10*float64(i); !close64(got.TTFT.Mean, ttft) {
			t.Errorf("TTFT of %s is %v, want %v", got.Name, got.TTFT.Mean, ttft)
		}
		if _, ok := got.Cached.Share(); ok {
			t.Errorf("nobody said what %s had cached: %+v", got.Name, got.Cached)
		}
	}
}

// What has no group of its own is in one more, and nothing is lost from the count.
func TestGroupsAreBounded(t *testing.T) {
	const n = 3000
	j := &talking{run: closedRun(2), end: &journal.End{}, line: func(i int) any {
		if i == n {
			return nil
		}
		r := turn(i, 1, i+1, int64(i), 10, 5, 1, 2)
		r.Model = fmt.Sprintf("adapter-%04d", i)
		return r
	}}
	r := measureAll(t, j, Options{})
	for name, g := range map[string]*Groups{"turn": r.ByTurn, "adapter": r.ByAdapter} {
		sum := 0
		for _, one := range g.All() {
			sum += one.Requests
		}
		if sum != n || len(g.Each) != g.Bound || g.More == nil || g.More.Requests != n-g.Bound {
			t.Errorf("%s: %d requests in %d groups, bound %d", name, sum, len(g.Each), g.Bound)
		}
	}
	if got := r.ByTurn.Name(r.ByTurn.More); got != "above 200" {
		t.Error(got)
	}
	if got := r.ByAdapter.Name(r.ByAdapter.More); got != "others" {
		t.Error(got)
	}
}

// A group with many values has a histogram, which says how exact it is.
func TestGroupOfManyValues(t *testing.T) {
	const n = 5000
	j := &talking{run: closedRun(2), end: &journal.End{}, line: func(i int) any {
		if i == n {
			return nil
		}
		return turn(i, i+1, 1, int64(i), 10, 5, int64(i+1), int64(i+2))
	}}
	g := measureAll(t, j, Options{}).ByTurn.Each[0]
	if g.TTFT.Error <= 0 || g.TTFT.Error > 0.002 || math.Abs(g.TTFT.P90-4500.1) > 4500.1*g.TTFT.Error {
		t.Errorf("p90 %v, error %v", g.TTFT.P90, g.TTFT.Error)
	}
	if math.Abs(g.TTFT.Mean-2500.5) > 1e-6 {
		t.Errorf("mean %v", g.TTFT.Mean)
	}
}

func TestConversations(t *testing.T) {
	lost := turn(4, 3, 1, 0, 30, 0, 10)
	lost.Outcome = journal.HTTP5xx
	after := func(r *journal.Request, before int, delay int64) *journal.Request {
		r.After, r.Delay = []int{before}, delay
		return r
	}
	j := &talking{run: closedRun(4), end: &journal.End{}, line: lines(
		turn(0, 1, 1, 10, 20, 0, 100, 110),
		turn(2, 2, 1, 0, 40, 10, 200, 220),
		lost,
		&journal.Conversation{Number: 3, Turns: 5, Sent: 1, Skipped: 4, Outcome: journal.ConversationFailed, End: 40 * ms},
		after(turn(3, 2, 2, 320, 100, 90, 50, 60), 2, 100*ms),
		&journal.Conversation{Number: 2, Turns: 2, Sent: 2, Complete: 2, Outcome: journal.ConversationComplete, End: 380 * ms, Think: 100 * ms},
		after(turn(1, 1, 2, 200, 100, -1, 50, 60), 0, 80*ms),
		&journal.Conversation{Number: 1, Turns: 2, Sent: 2, Complete: 2, Outcome: journal.ConversationComplete, Begin: 10 * ms, End: 260 * ms, Think: 80 * ms},
		turn(6, 4, 1, 300, 10, 0, 5, 6),
		&journal.Conversation{Number: 4, Turns: 3, Sent: 1, Skipped: 2, Complete: 1, Outcome: journal.ConversationAbandoned, Error: "signal", Begin: 300 * ms, End: 306 * ms},
		turn(7, 5, 1, 300, 10, 0, 5, 6), // of which the journal has no end
	)}
	r := measureAll(t, j, Options{})
	c := r.Jobs
	if c.Begun != 5 || c.Complete != 2 || c.Failed != 1 || c.Cut != 1 || c.Open != 1 {
		t.Errorf("%+v", c)
	}
	if c.Turns != (JobTurns{Planned: 12, Sent: 6, Skipped: 6, Complete: 5}) {
		t.Errorf("%+v", c.Turns)
	}
	if c.Time.Count != 2 || !close64(c.Time.Mean, 315) || !close64(c.Time.Max, 380) || !close64(c.Model.Mean, 225) || c.Path.Pause != 90 {
		t.Errorf("time %+v\nmodel %+v, path %+v", c.Time, c.Model, c.Path)
	}
	if c.TurnsEach.Count != 4 || c.TurnsEach.Mean != 1.25 || c.TurnsEach.Max != 2 {
		t.Errorf("turns %+v", c.TurnsEach)
	}
	if c.PromptTokens.Count != 2 || c.PromptTokens.Mean != 130 || c.OutputTokens.Mean != 4 {
		t.Errorf("prompt %+v, output %+v", c.PromptTokens, c.OutputTokens)
	}
	// Of the first conversation a turn says nothing of its cache: its share is not known.
	if c.Hits.Measured.Count != 1 || math.Abs(c.Hits.Measured.Mean-100.0/140) > 1e-6 {
		t.Errorf("cached %+v", c.Hits.Measured)
	}
	for name, want := range map[string]float64{
		"mean_job": 315, "median_job_model": 225, "failed_jobs": 1, "jobs_per_hour": 7200 / r.Duration,
	} {
		if got, ok := r.Value(name); !ok || !close64(got, want) {
			t.Errorf("%s = %v, %v, want %v", name, got, ok, want)
		}
	}
	r = measureAll(t, again(j), Options{PercentileMetrics: []string{"ttft_first_turn", "ttft_later_turns"}})
	for name, want := range map[string]float64{"mean_ttft_first_turn": (100 + 200 + 5 + 5) / 4.0, "mean_ttft_later_turns": 50} {
		if got, ok := r.Value(name); !ok || !close64(got, want) {
			t.Errorf("%s = %v, %v, want %v", name, got, ok, want)
		}
	}
}

func again(j *talking) *talking {
	j.next = 0
	return j
}

// A run without conversations has no number of any.
func TestNoConversations(t *testing.T) {
	m := &memory{run: closedRun(1), requests: []journal.Request{stream(0, 0, 100, 110)}, end: &journal.End{}}
	r := measured(t, m, Options{PercentileMetrics: []string{"ttft", "ttft_first_turn", "job"}})
	if len(r.Metrics) != 1 || r.ByTurn != nil || r.ByAdapter != nil || r.Jobs != nil {
		t.Errorf("%+v", r.Metrics)
	}
	for _, m := range metric.All() {
		if v, ok := r.Number(&m); ok && m.OfJobs {
			t.Errorf("%s = %v", m.Name, v)
		}
	}
}

// A million requests of 200,000 conversations that end in any order take no more memory
// than a tenth of them: only open conversations are kept.
func TestManyConversationsAreBounded(t *testing.T) {
	if testing.Short() {
		t.Skip("some seconds")
	}
	small, large := heapAfter(t, 20_000), heapAfter(t, 200_000)
	t.Logf("20,000 conversations: %d kB; 200,000: %d kB", small>>10, large>>10)
	if large > small*3/2+4<<20 {
		t.Errorf("%d bytes for 20,000 conversations, %d for ten times as many", small, large)
	}
}

// heapAfter is what measuring n conversations of five turns holds at its end. Some
// hundred are open at a time, and they end in another order than they began.
func heapAfter(t *testing.T, n int) uint64 {
	t.Helper()
	const turns, open = 5, 128
	var r journal.Request
	var c journal.Conversation
	template := turn(0, 1, 1, 0, 100, 50, 20, 25, 31)
	run := closedRun(open)
	// Each block of open conversations: turn by turn, then their ends backwards.
	block := open * (turns + 1)
	j := &talking{run: run, end: &journal.End{}}
	var held runtime.MemStats
	last := n / open * block
	j.line = func(i int) any {
		if i == last {
			runtime.GC()
			runtime.ReadMemStats(&held)
			return nil
		}
		b, k := i/block, i%block
		if k >= open*turns {
			number := b*open + open - (k - open*turns)
			at := int64(b*1000+900) * ms
			c = journal.Conversation{Number: number, Turns: turns, Sent: turns, Complete: turns, Outcome: journal.ConversationComplete, Begin: int64(b*1000) * ms, End: at + int64(number%97)*ms}
			return &c
		}
		r = *template
		r.Index, r.Conversation, r.Turn = b*open*turns+k, b*open+k%open+1, k/open+1
		r.Sent = int64(b*1000+r.Turn*100) * ms
		r.Due, r.End = r.Sent, r.Sent+31*ms
		return &r
	}
	result := measureAll(t, j, Options{ExactLimit: 10_000, RowLimit: 10_000})
	if c := result.Jobs; c.Complete != n/open*open || c.Open != 0 || c.Hits.Measured.Count != c.Complete {
		t.Fatalf("%+v", c)
	}
	return held.HeapAlloc
}

// Where users think, the concurrency asked for is not the load: there is no steady state
// to be found by it. Without think time there is.
func TestSteadyStateOfConversations(t *testing.T) {
	for _, think := range []int64{0, 10 * ms} {
		var list []any
		for i := range 40 {
			r := turn(i, i/2+1, i%2+1, int64(i/4*100), 20, 0, 50, 90)
			if i%2 == 1 {
				r.After, r.Delay = []int{i - 1}, think
			}
			list = append(list, r)
		}
		r := measureAll(t, &talking{run: closedRun(4), end: &journal.End{}, line: lines(list...)}, Options{})
		if (r.SteadyState != nil) != (think == 0) {
			t.Errorf("think time %d: %+v", think, r.SteadyState)
		}
	}
}

// A run of conversations has settled when the first turn of each slot has ended.
func TestSettledConversations(t *testing.T) {
	var list []any
	for i := range 40 {
		list = append(list, turn(i, i/4+1, i%4+1, int64(i%4*1000+i/4), 20, 0, 10, int64(20+i/4)))
	}
	run := closedRun(8)
	at, err := SettledFrom(&talking{run: run, line: lines(list...)})
	if want := (28 + 6) * ms; err != nil || at != max(want, 3009*ms/10) {
		t.Errorf("%d, %v", at/ms, err)
	}
}
