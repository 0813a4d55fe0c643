package verdict

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/row"
)

// driftEntry is the line of the table.
func driftEntry() entry {
	entries := table()
	return entries[slices.IndexFunc(entries, func(e entry) bool { return e.name == "drift" })]
}

// loop simulates a closed loop of eight for a minute: 50 ms to the first token and 20 to 60 tokens each 5 ms, of which
// half is chance. A spell of bad luck that all share comes each second. slow is how many times slower the server is, by
// the share of the minute that is over.
func loop(slow func(share float64) float64, seed uint64) Check {
	const slots, length = 8, 60e9
	random := rand.New(rand.NewPCG(seed, 2))
	f := newFacts(&journal.Run{Options: journal.Options{Pace: "closed", MaxConcurrency: slots}}, Options{HashLimit: 1})
	c := newDrift(f)
	spells := make([]float64, 60)
	for i := range spells {
		spells[i] = 0.9 + 0.2*random.Float64()
	}
	free := make([]int64, slots)
	for {
		i := slices.Index(free, slices.Min(free))
		at := free[i]
		if at >= length {
			break
		}
		level := slow(float64(at)/length) * spells[at/1e9]
		chance := func() float64 { return level * (0.5 + 0.5*random.ExpFloat64()) }
		output := 20 + random.IntN(40)
		first := int64(50e6 * chance())
		last := first + int64(5e6*chance())*int64(output-1)
		free[i] = at + last
		v := &view{complete: true, Request: &row.Request{
			Request: &journal.Request{Sent: at, End: free[i]}, Row: row.Row{OK: true, Sent: at, First: first, Last: last, Output: int32(output)},
		}}
		f.add(v)
		c.add(v)
	}
	return c.result(f, driftEntry().limits)
}

func step(at, to float64) func(float64) float64 {
	return func(share float64) float64 {
		if share < at {
			return 1
		}
		return to
	}
}

func rise(to float64) func(float64) float64 {
	return func(share float64) float64 { return 1 + (to-1)*share }
}

// A server that changes is found, wherever in the run it does, and one that does not is not.
func TestDriftTellsAChangeFromChance(t *testing.T) {
	const runs = 100
	every := everyth() // run is drawn
	for _, tt := range []struct {
		what        string
		slow        func(float64) float64
		least, most int
	}{
		{"steady", step(2, 1), 0, 1},
		{"slower by 3 % at half", step(0.5, 1.03), 0, 1},
		{"3 times slower at 15 %", step(0.15, 3), 95, runs},
		{"3 times slower at half", step(0.5, 3), 99, runs},
		{"3 times slower at 70 %", step(0.7, 3), 95, runs},
		{"3 times faster at half", step(0.5, 1./3), 95, runs},
		{"2 times slower at half", step(0.5, 2), 95, runs},
		{"1.3 times slower at half", step(0.5, 1.3), 90, runs},
		{"a slow rise to 1.5 times", rise(1.5), 90, runs},
		{"a slow rise to 4 times", rise(4), 95, runs},
		{"a slow fall to half", rise(0.5), 95, runs},
	} {
		found := 0
		for seed := 0; seed < runs; seed += every {
			if loop(tt.slow, uint64(seed)).Level.Bad() {
				found += every
			}
		}
		what := fmt.Sprintf("%s: %d of %d found", tt.what, found, runs)
		t.Log(what)
		if found < tt.least-every+1 || found > tt.most+every-1 {
			t.Errorf("%s, want %d to %d", what, tt.least, tt.most)
		}
	}
}

// The sentence says from what to what, and where.
func TestDriftSaysWhereItChanged(t *testing.T) {
	k := loop(step(0.5, 3), 1)
	if k.Level != Invalid || !strings.Contains(k.Sentence, "(at 30 s)") && !strings.Contains(k.Sentence, "(at 29.") && !strings.Contains(k.Sentence, "(at 30.") {
		t.Errorf("%s %s: %s", k.Level, k.Figure, k.Sentence)
	}
	t.Log(k.Figure, k.Sentence)
	if k := loop(rise(3), 1); !strings.Contains(k.Sentence, "at the beginning") || k.Level != Invalid {
		t.Errorf("a rise: %s: %s", k.Level, k.Sentence)
	}
}

// A stall that all requests in flight wait out is no drift, wherever it comes; neither are slots that come one by one.
func TestAStallIsNoDrift(t *testing.T) {
	for at := 5; at < 500; at += 20 {
		w := closedLoop()
		until := int64(0)
		w.each(1, func(r *journal.Request) {
			if r.Index == at {
				until = r.Sent + 200*msNs
			}
		})
		w.each(1, func(r *journal.Request) {
			if r.Sent < until && r.End > until-200*msNs {
				r.Events.At[5] += 200 * msNs
				r.End += 200 * msNs
			}
		})
		w.derive()
		if k := w.judge(t, Options{}).Check("drift"); k.Level != OK {
			t.Errorf("a stall at request %d: %s: %s", at, k.Level, k.Sentence)
		}
	}
}

// Slots that are given one after the other are the fill-up, however long it takes.
func TestFillUpIsNoDrift(t *testing.T) {
	spawn := func(rate float64) Check {
		w := newWorld("closed")
		w.run.Options.MaxConcurrency, w.run.Options.SpawnRate = 10, rate
		var free [10]int64
		for i := range free {
			free[i] = int64(i) * 1e9
		}
		for i := range 500 {
			slot := slices.Index(free[:], slices.Min(free[:]))
			r := stream(i, free[slot]+msNs/10)
			open := min(r.Sent/1e9+1, 10)
			more := (open - 1) * 20 * msNs // each one beside it takes its time
			r.Events.At[0], r.End = r.Events.At[0]+more, r.End+more
			free[slot] = r.End
			w.requests = append(w.requests, r)
		}
		w.derive()
		return *w.judge(t, Options{}).Check("drift")
	}
	if k := spawn(1); k.Level != OK {
		t.Errorf("%s: %s", k.Level, k.Sentence)
	}
	if k := spawn(0); !k.Level.Bad() {
		t.Errorf("the same without a plan is ok: %s", k.Sentence)
	}
}
