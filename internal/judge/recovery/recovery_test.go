package recovery

import (
	"maps"
	"slices"
	"testing"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/testfiles"
)

// TestNothingHappened: a fault that does nothing is seen to have done nothing, in 95 of 100 runs at least.
func TestNothingHappened(t *testing.T) {
	const runs = 60
	for _, name := range slices.Sorted(maps.Keys(systems(nil))) {
		t.Run(name, func(t *testing.T) {
			random := testfiles.Random(t)
			alarms := 0
			for range runs {
				w := systems(random)[name]
				r, _ := w.felt(journal.Fault{At: w.seconds * second / 3, Do: "kill", On: "r1"})
				if e := &r.Episodes[0]; e.State != NoEffect || *e.Seconds != 0 || e.Lost != 0 {
					alarms++
				}
			}
			t.Logf("%d of %d runs", alarms, runs)
			if alarms > runs*5/100 {
				t.Errorf("%d of %d faults that did nothing seem to have done something", alarms, runs)
			}
		})
	}
}

// TestOutage: each outage is seen, ends when it did in truth, and what is lost is what failed in truth. By requests that
// are sent some time apart its end is known to that, and to what is left of the queue.
func TestOutage(t *testing.T) {
	const runs, length = 10, 4.0
	for _, kind := range []string{"freeze", "refuse", "slow", "some"} {
		for _, name := range slices.Sorted(maps.Keys(systems(nil))) {
			if name == "open, busy" { // whose queue takes its time: see TestBusy
				continue
			}
			t.Run(kind+", "+name, func(t *testing.T) {
				random := testfiles.Random(t)
				var off []float64
				for range runs {
					w := systems(random)[name]
					w.kind, w.from = kind, w.seconds*second/3
					w.to = w.from + length*second
					r, failed := w.felt(journal.Fault{At: w.from, Do: "stop", On: "r1"}, journal.Fault{At: w.to, Done: w.to + 1, Do: "continue", On: "r1"})
					e := &r.Episodes[0]
					if e.State != Recovered {
						t.Fatalf("%+v", e)
					}
					off = append(off, *e.Seconds-length)
					lost := slices.Clone(e.Indexes)
					for _, next := range r.Episodes[1:] {
						lost = append(lost, next.Indexes...)
					}
					if n, _ := r.Lost(); !slices.Equal(lost, failed[:min(len(failed), maxIndexes)]) || n != len(failed) {
						t.Errorf("lost are %d, in truth %d", n, len(failed))
					}
					if n := len(e.Faults); kind != "some" && kind != "slow" && n != 2 {
						t.Errorf("%d faults in the first episode, want both: it had not recovered before", n)
					}
				}
				slices.Sort(off)
				t.Logf("off by %.2f s", off)
				least, most := -0.05, 1.0
				switch kind {
				case "refuse":
					most = 0.5
				case "some", "slow": // the last request that it hit came before its end
					least = -1.5
				}
				if off[0] < least || off[len(off)-1] > most {
					t.Errorf("off by %.2f to %.2f s", off[0], off[len(off)-1])
				}
			})
		}
	}
}

// TestBusy: where a queue comes and goes by itself an outage is seen all the same, and most often its end.
func TestBusy(t *testing.T) {
	random := testfiles.Random(t)
	const runs = 30
	near := 0
	for range runs {
		w := systems(random)["open, busy"]
		w.kind, w.from = "refuse", w.seconds*second/3
		w.to = w.from + 4*second
		r, failed := w.felt(journal.Fault{At: w.from, Do: "kill"})
		e := &r.Episodes[0]
		if e.State == NoEffect || !slices.Equal(e.Indexes, failed) {
			t.Fatalf("%s, %d lost of %d", e.State, e.Lost, len(failed))
		}
		if e.Seconds != nil && *e.Seconds > 3.9 && *e.Seconds < 5 {
			near++
		}
	}
	t.Logf("%d of %d", near, runs)
	if near < runs*8/10 {
		t.Errorf("the end is known in %d of %d runs", near, runs)
	}
}

// TestStall: a few streams that stand still are felt, where all that is sent after the fault is served as before.
func TestStall(t *testing.T) {
	random := testfiles.Random(t)
	for range 20 {
		w := systems(random)["open, at ease"]
		w.tokens = 80 // some eight streams are caught
		w.kind, w.from, w.to = "stall", 40*second, 43*second
		r, _ := w.felt(journal.Fault{At: w.from, Do: "stop", On: "r1"}, journal.Fault{At: w.to, Do: "continue", On: "r1"})
		if e := &r.Episodes[0]; e.State != Recovered || len(e.Faults) != 2 || *e.Seconds < 2.9 || *e.Seconds > 3.3 || e.Lost != 0 {
			t.Errorf("%+v", e)
		}
	}
}

func TestEpisodes(t *testing.T) {
	w := systems(testfiles.Random(t))["open, at ease"]
	w.kind, w.from, w.to = "refuse", 40*second, 43*second
	kill, start, later := journal.Fault{At: w.from, Do: "kill", On: "r1"}, journal.Fault{At: w.to, Done: w.to + second/10, Do: "start", On: "r1"}, journal.Fault{At: 80 * second, Do: "scale", Detail: "3"}
	r, failed := w.felt(later, kill, start, journal.Fault{At: 90 * second, Do: "cut", Error: "no such replica"})
	if len(r.Episodes) != 2 || len(r.Episodes[0].Faults) != 2 || len(r.Episodes[1].Faults) != 1 || len(r.NotDone) != 1 || r.Faults() != 3 {
		t.Fatalf("%+v", r)
	}
	a, b := &r.Episodes[0], &r.Episodes[1]
	if a.SinceLast == nil || *a.SinceLast > 0.5 || *a.FirstFailure > 0.01 || *a.LastFailure < 2.8 || *a.LastFailure > 3.1 {
		t.Errorf("%+v: since the last %v, failures from %v to %v", a, *a.SinceLast, *a.FirstFailure, *a.LastFailure)
	}
	if b.State != NoEffect || *b.Seconds != 0 || b.Lost != 0 || b.FirstFailure != nil {
		t.Errorf("%+v", b)
	}
	if seconds, cut, ok := r.Worst(); seconds != *a.Seconds || cut || !ok {
		t.Errorf("%v %v %v", seconds, cut, ok)
	}
	lost, tokens := r.Lost()
	if lost != len(failed) || tokens == 0 || a.InFlightLost == 0 || a.InFlightLost != r.LostBy()[journal.Reset] || a.InFlight < a.InFlightLost {
		t.Errorf("%d requests, %d tokens, %v", lost, tokens, r.LostBy())
	}
	if r.Before.TTFT == nil || *r.Before.TTFT < 50 || r.Before.Failed != 0 || r.Before.Longest == nil || r.Before.P999 != nil {
		t.Errorf("%+v", r.Before)
	}
}

// TestCut: what has not recovered at the end of the run has no number.
func TestCut(t *testing.T) {
	w := systems(testfiles.Random(t))["open, at ease"]
	w.kind, w.from, w.to = "refuse", 40*second, 1000*second
	r, _ := w.felt(journal.Fault{At: w.from, Do: "kill"}, journal.Fault{At: 60 * second, Do: "start"})
	seconds, cut, ok := r.Worst()
	if e := &r.Episodes[0]; len(r.Episodes) != 1 || e.State != Cut || e.Seconds != nil || !cut || !ok || seconds < 79 || seconds > 80 {
		t.Errorf("%+v, %v %v %v", e, seconds, cut, ok)
	}
}

// TestUnknown: without a time before, losses are counted and no recovery is told.
func TestUnknown(t *testing.T) {
	w := systems(testfiles.Random(t))["open, at ease"]
	w.kind, w.from, w.to = "refuse", second/2, 3*second
	r, failed := w.felt(journal.Fault{At: w.from, Do: "kill"})
	e := &r.Episodes[0]
	if _, _, ok := r.Worst(); ok || e.State != NotKnown || e.Seconds != nil || e.AtLeast != nil || r.Unknown == "" || e.Lost != len(failed) {
		t.Errorf("%+v", r)
	}
}

// TestHungUp: what this client ended itself is no failure, and what failed before is no loss of a fault.
func TestHungUp(t *testing.T) {
	w := systems(testfiles.Random(t))["open, at ease"]
	n := 0
	w.edit = func(r *journal.Request) {
		switch {
		case r.Index%5 == 0:
			r.Outcome, r.End = journal.HungUp, r.Sent+second/5
			r.Events.At, r.Events.Kind = nil, nil
		case r.Index%10 == 1:
			if r.Outcome = journal.HTTP5xx; r.Sent < 40*second {
				n++
			}
		}
	}
	r, _ := w.felt(journal.Fault{At: 40 * second, Do: "reset_cache"})
	// Of those that fail anyway some are in flight at the fault: nobody can tell them apart.
	if e := &r.Episodes[0]; e.State != NoEffect || e.Lost > 3 || r.Before.Failed == 0 || r.Before.Failed > n {
		t.Errorf("%+v, before %+v", e, r.Before)
	}
}

func TestNone(t *testing.T) {
	w := systems(testfiles.Random(t))["open, at ease"]
	if r, _ := w.felt(); r != nil {
		t.Errorf("%+v", r)
	}
	if NewCollector(&journal.Run{}) != nil {
		t.Error("a run without faults is collected")
	}
}
