package clock

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

// world is two clocks and a network whose truth is known.
type world struct {
	r        *rand.Rand
	now      int64 // the leader's clock, which is the true time here
	zero     int64
	offset   float64 // of the agent's clock at zero
	drift    float64
	steps    []step
	up, down func() int64 // delays of the two ways
}

type step struct{ at, by int64 }

// truth is the agent's clock minus the leader's at a moment.
func (w *world) truth(at int64) int64 {
	o := int64(w.offset + w.drift*float64(at-w.zero))
	for _, s := range w.steps {
		if at >= s.at {
			o += s.by
		}
	}
	return o
}

// exchange asks the agent once.
func (w *world) exchange(e *Estimator) (at int64) {
	sent := w.now
	there := sent + w.up()
	answered := there + w.r.Int64N(2e6)
	back := answered + w.down()
	w.now = back
	e.Add(sent, there+w.truth(there), answered+w.truth(answered), back)
	return sent + (back-sent)/2
}

func draw(r *rand.Rand) *world {
	zero := int64(1_800_000_000e9)
	w := &world{r: r, now: zero, zero: zero, offset: (r.Float64() - 0.5) * math.Pow(10, r.Float64()*16), drift: (r.Float64() - 0.5) * 100e-6}
	delay := func() func() int64 {
		least, jitter := math.Pow(10, 4+4*r.Float64()), math.Pow(10, 3+5*r.Float64()) // 10 µs to 100 ms
		if r.IntN(6) == 0 {
			least = 0 // all of the delay is on the other way
		}
		return func() int64 { return int64(least + r.ExpFloat64()*jitter) }
	}
	w.up, w.down = delay(), delay()
	return w
}

// fresh is a generator of another seed each time, which a failure names.
func fresh(t *testing.T) *rand.Rand {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	return rand.New(rand.NewPCG(seed, 1))
}

// The true offset lies within the error, at once, earlier and later, whatever the delays of
// the two ways are, and with a drift of up to 50 ppm.
func TestTruthLiesWithinTheError(t *testing.T) {
	r := fresh(t)
	for n := range 150 {
		w, e := draw(r), &Estimator{}
		pause := int64(math.Pow(10, 6+4*r.Float64())) // 1 ms to 10 s
		holds := func(at int64) {
			offset, wrong, ok := e.At(at)
			// The clocks' ticks are whole nanoseconds.
			if d := offset - w.truth(at); !ok || max(d, -d) > wrong+2 {
				t.Fatalf("world %d: %d ns from the truth, with an error of %d ns", n, d, wrong)
			}
		}
		for range 1 + r.IntN(600) {
			at := w.exchange(e)
			w.now += r.Int64N(2 * pause)
			holds(at)
			holds(w.zero + r.Int64N(w.now-w.zero+60e9))
		}
		offset, wrong, ok := e.Over(w.zero, w.now)
		for range 20 {
			if d := offset - w.truth(w.zero+r.Int64N(w.now-w.zero)); !ok || max(d, -d) > wrong+2 {
				t.Fatalf("world %d: over all of it %d ns from the truth, with an error of %d ns", n, d, wrong)
			}
		}
		if e.era != 0 {
			t.Fatalf("world %d: the clock was set %d times, it says", n, e.era)
		}
	}
}

// A clock that is set is noticed when it moved by more than the error; then the estimate is
// right again, and what was before stays right too.
func TestStepIsNoticed(t *testing.T) {
	r := fresh(t)
	for n := range 150 {
		w, e := draw(r), &Estimator{}
		for range 5 + r.IntN(50) {
			w.exchange(e)
			w.now += r.Int64N(1e9)
		}
		before := w.now
		_, wrong, _ := e.At(w.now)
		beforeTruth := w.truth(before)
		by := 2*wrong + 1e9 + r.Int64N(1e12) // larger than a single exchange leaves open, below
		if r.IntN(2) == 0 {
			by = -by
		}
		w.steps = append(w.steps, step{w.now, by})
		w.up, w.down = func() int64 { return 1e5 + r.Int64N(1e6) }, func() int64 { return 1e5 + r.Int64N(1e6) }
		at := w.exchange(e)
		if e.era != 1 {
			t.Fatalf("world %d: a step of %d ns with an error of %d ns was noticed %d times", n, by, wrong, e.era)
		}
		for range 30 {
			offset, wrong, _ := last(e)
			if d := offset - w.truth(at); max(d, -d) > wrong+2 {
				t.Fatalf("world %d: %d ns from the truth after a step, with an error of %d ns", n, d, wrong)
			}
			at = w.exchange(e)
			w.now += r.Int64N(1e8)
		}
		if offset, wrong, _ := e.At(before - 1); max(offset-beforeTruth, beforeTruth-offset) > wrong+2 {
			t.Fatalf("world %d: before the step: %d ns, and it was %d ns, with an error of %d ns", n, offset, beforeTruth, wrong)
		}
		if e.era != 1 {
			t.Fatalf("world %d: one step was noticed %d times", n, e.era)
		}
	}
}

// The error is half the quickest round trip where all come at once, and the quick ways of
// two different exchanges count together.
func TestError(t *testing.T) {
	const now = int64(1_800_000_000e9)
	e := &Estimator{}
	if _, _, ok := last(e); ok {
		t.Error("an estimate of nothing")
	}
	e.Add(now, now+900e3, now+900e3, now+1000e3)
	if offset, wrong, _ := last(e); offset != 400e3 || wrong < 500e3 || wrong > 501e3 {
		t.Errorf("%d ± %d", offset, wrong)
	}
	e.Add(now, now+100e3, now+100e3, now+1000e3)
	if offset, wrong, _ := last(e); max(offset, -offset) > 1e3 || wrong > 101e3 {
		t.Errorf("%d ± %d", offset, wrong)
	}
}

// What no two clocks can have shown.
func TestAbsurdExchanges(t *testing.T) {
	const now = int64(1_800_000_000e9)
	for what, c := range map[string]struct {
		times [4]int64
		moved int
	}{
		"the agent's clock went back":  {[4]int64{now, now + 100, now + 50, now + 1000}, 1},
		"longer there than away":       {[4]int64{now, now, now + 10e6, now + 1000}, 1},
		"the leader's clock went back": {[4]int64{now, now, now, now - 1}, 0},
		"before 1970":                  {[4]int64{now, math.MinInt64, math.MinInt64, now + 1}, 0},
		"the end of time":              {[4]int64{now, math.MaxInt64, math.MaxInt64, now + 1}, 0},
	} {
		e := &Estimator{}
		e.Add(c.times[0], c.times[1], c.times[2], c.times[3])
		if _, _, ok := last(e); ok || e.era != c.moved {
			t.Errorf("%s: %v, moved %d times", what, ok, e.era)
		}
		e.Add(now, now+7000, now+7000, now+100)
		if offset, wrong, ok := last(e); !ok || offset != 6950 || wrong > 60 {
			t.Errorf("%s: then %d ± %d, %v", what, offset, wrong, ok)
		}
	}
}

// What is kept is bounded, for long runs and for an agent that says any time.
func TestMemory(t *testing.T) {
	r := fresh(t)
	now := int64(1_800_000_000e9)
	long, wild := &Estimator{}, &Estimator{}
	for range 20_000 {
		now += 1e9
		long.Add(now, now+500, now+500, now+1000)
		said := r.Int64N(2e18)
		wild.Add(now, said, said, now+1000)
	}
	if len(long.marks) > mostMarks || len(wild.marks) > mostMarks || long.era != 0 || wild.era < 19_000 {
		t.Errorf("%d and %d marks, moved %d and %d times", len(long.marks), len(wild.marks), long.era, wild.era)
	}
	for range 1000 {
		at := int64(1_800_000_000e9) + r.Int64N(20_000e9)
		if offset, wrong, _ := long.At(at); max(offset, -offset) > wrong || wrong > 4e6 {
			t.Fatalf("%d ± %d", offset, wrong)
		}
	}
}

// FuzzAdd: times are an agent's word.
func FuzzAdd(f *testing.F) {
	f.Add(int64(0), int64(0), int64(0), int64(0), int64(1))
	f.Add(int64(1_800_000_000e9), int64(math.MaxInt64), int64(math.MinInt64), int64(1_800_000_001e9), int64(5))
	f.Fuzz(func(t *testing.T, sent, received, answered, back, at int64) {
		e := &Estimator{}
		for i := range int64(12) {
			e.Add(sent+i*4e9, received+i*4e9, answered+i*4e9, back+i*4e9)
		}
		if _, wrong, ok := e.At(at); ok && wrong < 0 {
			t.Errorf("an error of %d", wrong)
		}
		_, _, _ = last(e)
	})
}

// last is the estimate at the moment of the last exchange.
func last(e *Estimator) (offset, err int64, ok bool) {
	if len(e.marks) == 0 {
		return 0, 0, false
	}
	return e.At(e.marks[len(e.marks)-1].at)
}
