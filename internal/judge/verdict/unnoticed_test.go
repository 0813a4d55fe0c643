package verdict

import (
	"testing"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/row"
)

// What bench/mutation broke and nothing noticed: bounds and sums, each by itself.

// A limit is what may be reached: above it lies what is worse.
func TestALimitMayBeReached(t *testing.T) {
	l := limits{suspect: 0.1, invalid: 0.5}
	for v, want := range map[float64]Level{0: OK, 0.1: OK, 0.11: Suspect, 0.5: Suspect, 0.51: Invalid} {
		if got := l.grade(v); got != want {
			t.Errorf("%g: %s, want %s", v, got, want)
		}
	}
	c := cause(0.1, "", "")
	for v, want := range map[float64]Level{0.1: OK, 0.11: Noted, 1e9: Noted} {
		if got := c.grade(v); got != want {
			t.Errorf("a cause of %g: %s, want %s", v, got, want)
		}
	}
}

func viewOf(r journal.Request, of row.Row) *view {
	return &view{Request: &row.Request{Request: &r, Row: of}, complete: r.Outcome == journal.Complete}
}

// Until it is released a request waits for the client, and from then on for a slot: no time is in both.
func TestLatenessAndTheWaitForASlotAreApart(t *testing.T) {
	c := &rate{}
	c.add(viewOf(journal.Request{Due: 100, Released: 110, Sent: 135}, row.Row{}))
	c.add(viewOf(journal.Request{Due: 200, Released: 190, Sent: 205}, row.Row{})) // ready before it was due
	if c.released != 10 || c.waited != 25+5 {
		t.Errorf("%g by the client, %g for a slot", c.released, c.waited)
	}
}

// A run with a limit of concurrency is late by what the client took, not by the wait for a slot.
func TestTheWaitForASlotIsNoLateness(t *testing.T) {
	for limit, want := range map[int]Level{0: Invalid, 4: OK} {
		run := &journal.Run{Options: journal.Options{Pace: "constant", MaxConcurrency: limit}}
		f, c := newFacts(run, Options{}), &lateness{}
		f.judge = func(string) *Check { return &Check{Level: OK} }
		for i := range int64(100) {
			due := i * 10 * msNs
			v := viewOf(journal.Request{Due: due, Released: due + msNs/10, Sent: due + 50*msNs, End: due + 90*msNs, Outcome: journal.Complete}, row.Row{OK: true, First: 20 * msNs, Last: 40 * msNs})
			f.add(v)
			c.add(v)
		}
		if k := c.result(f, limits{suspect: 0.1, invalid: 0.5}); k.Level != want {
			t.Errorf("a limit of %d: %s, %s", limit, k.Level, k.Sentence)
		}
	}
}

// What was cancelled was sent: it is one of the measured requests, and not one beside them.
func TestCancelledRequestsAreAmongTheMeasured(t *testing.T) {
	f := &facts{measured: 100, end: &journal.End{Interrupted: "signal"}}
	if k := (&drained{cancelled: 10}).result(f, limits{}); *k.Value != 0.1 {
		t.Errorf("10 of 100 are %g", *k.Value)
	}
	killed := &facts{measured: 90, samples: []journal.Sample{{InFlight: 10}}}
	if k := (&drained{}).result(killed, limits{}); *k.Value != 0.1 {
		t.Errorf("10 in flight beside 90 are %g", *k.Value)
	}
}

// A sample after the last answer is of no load.
func TestSamplesAfterTheLastAnswerDoNotCount(t *testing.T) {
	run := &journal.Run{}
	f := newFacts(run, Options{})
	for i := range int64(40) {
		f.add(viewOf(journal.Request{Sent: i * msNs, End: i*msNs + msNs/4, Outcome: journal.Complete}, row.Row{OK: true}))
	}
	for i := range int64(10) { // in the slot in which the last one ended
		f.samples = append(f.samples, journal.Sample{At: f.lastEnd + i, InFlight: 99})
	}
	if k := little(f, limits{suspect: 0.1, invalid: 0.5}); k.Level != NotChecked {
		t.Errorf("%s: %s", k.Level, k.Sentence)
	}
}

// The server's time to the first token is held against ours to the first token, not to a chunk with a role alone.
func TestARoleIsNoFirstToken(t *testing.T) {
	var m means
	m.add(viewOf(journal.Request{Outcome: journal.Complete}, row.Row{First: 10, FirstToken: 30, Last: 50}))
	m.add(viewOf(journal.Request{Outcome: journal.Complete}, row.Row{First: 20, FirstToken: -1, Last: 60}))
	if m.n != 2 || m.ttft != 30+20 || m.e2el != 110 {
		t.Errorf("%+v", m)
	}
}

// What llama.cpp says of its cache in answers and in a counter is the same, told twice.
func TestLlamasCachedTokensAreTakenOffOnce(t *testing.T) {
	for _, counted := range []float64{1000, 1000 - 300, 1000 - 301, 1000 - 600} {
		f := &facts{run: &journal.Run{}, judge: func(string) *Check { return &Check{Level: OK} }}
		f.server = &server{before: map[string]float64{"x": 0}, after: map[string]float64{"llamacpp:prompt_tokens_total": counted, "llamacpp:prompt_tokens_cached_total": 300}}
		c := &serverTokens{of: promptSide(), ours: ours{1000, 1000}, cached: 300}
		k := c.result(f, limits{suspect: 0, invalid: 0.05})
		if want := counted >= 700; (k.Level == OK) != want {
			t.Errorf("%g counted of 1000, of which 300 were cached: %s, %s", counted, k.Level, k.Sentence)
		}
	}
}

// An agent that has sent nothing can't have spoiled anything.
func TestAnAgentThatSentNothingIsNotTheWorst(t *testing.T) {
	c := &eachClient{checks: []check{told{0.2}, told{0.9}, told{0.1}}}
	f := &facts{fleet: &fleet{titles: []string{"anna", "bert", "carl"}, clients: []*facts{{measured: 5}, {}, {measured: 7}}}}
	if k := c.result(f, limits{suspect: 1, invalid: 2}); *k.Value != 0.2 {
		t.Errorf("%s: %g", k.Sentence, *k.Value)
	}
	if k := (&eachClient{checks: []check{told{0.9}}}).result(&facts{fleet: &fleet{titles: []string{"anna"}, clients: []*facts{{}}}}, limits{}); k.Level != NotChecked {
		t.Errorf("nobody sent anything: %s, %s", k.Level, k.Sentence)
	}
}

// told is a check that says what it was told to.
type told struct{ value float64 }

func (told) add(*view)                         {}
func (c told) result(_ *facts, l limits) Check { return found(l, c.value, "", "it is so") }
