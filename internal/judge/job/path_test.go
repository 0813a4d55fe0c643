package job

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/inferometer/inferometer/internal/testfiles"
)

// turnAt is a turn that was sent when it was due, whose prompt took 10 and whose answer took 20 more.
func turnAt(index, follows int, due, pause int64) Turn {
	return Turn{Index: index, Follows: follows, Pause: pause, Due: due, Released: due, Sent: due, First: due + 10, End: due + 30}
}

func total(path []Step) (s Split) {
	for i := range path {
		s.Add(&path[i].Split)
	}
	return s
}

func TestPath(t *testing.T) {
	change := func(turn Turn, f func(*Turn)) Turn {
		f(&turn)
		return turn
	}
	for name, c := range map[string]struct {
		begin   int64
		turns   []Turn
		limited bool
		want    Split
		on      []int // turns of the path, the last one first
	}{
		"one turn": {5, []Turn{turnAt(0, -1, 5, 0)}, false, Split{Prefill: 10, Decode: 20, Turns: 1}, []int{0}},
		"a chain with a tool": {
			0, []Turn{turnAt(0, -1, 0, 0), turnAt(1, 0, 130, 100)}, false, Split{Pause: 100, Prefill: 20, Decode: 40, Turns: 2}, []int{1, 0},
		},
		"a first turn that waits": {0, []Turn{turnAt(7, -1, 40, 40)}, false, Split{Pause: 40, Prefill: 10, Decode: 20, Turns: 1}, []int{7}},
		"a fork whose slow child is joined": {0, []Turn{
			turnAt(0, -1, 0, 0),
			turnAt(1, 0, 30, 0), // ends at 60
			change(turnAt(2, 0, 35, 5), func(t *Turn) { t.End = 90 }), // ends later
			turnAt(3, 2, 92, 2),
		}, false, Split{Pause: 7, Prefill: 30, Decode: 85, Turns: 3}, []int{3, 2, 0}},
		"a child that began with the send of its parent": {0, []Turn{
			change(turnAt(0, -1, 0, 0), func(t *Turn) { t.Released, t.Sent, t.First, t.End = 3, 4, 14, 24 }),
			change(turnAt(1, 0, 23, 20), func(t *Turn) { t.OfSent = true }), // ends at 53
		}, false, Split{Late: 3, Pause: 20, Prefill: 10, Decode: 20, Turns: 1}, []int{1, 0}},
		"late, and a slot waited for": {0, []Turn{
			change(turnAt(0, -1, 0, 0), func(t *Turn) { t.Released, t.Sent, t.First, t.End = 3, 8, 18, 38 }),
		}, true, Split{Late: 3, Slot: 5, Prefill: 10, Decode: 20, Turns: 1}, []int{0}},
		"without a limit all of it is ours": {0, []Turn{
			change(turnAt(0, -1, 0, 0), func(t *Turn) { t.Released, t.Sent, t.First, t.End = 3, 8, 18, 38 }),
		}, false, Split{Late: 8, Prefill: 10, Decode: 20, Turns: 1}, []int{0}},
		"the server says how long it computed": {0, []Turn{
			change(turnAt(0, -1, 0, 0), func(t *Turn) { t.Computed = 4 }),
		}, false, Split{Queue: 6, Prefill: 4, Decode: 20, Turns: 1, Queued: 1}, []int{0}},
		"and more than there was": {0, []Turn{
			change(turnAt(0, -1, 0, 0), func(t *Turn) { t.Computed = 400 }),
		}, false, Split{Prefill: 10, Decode: 20, Turns: 1, Queued: 1}, []int{0}},
		"an answer in one piece": {0, []Turn{change(turnAt(0, -1, 0, 0), func(t *Turn) { t.First = -1 })}, false, Split{Whole: 30, Turns: 1}, []int{0}},
		"the pace was stopped":   {0, []Turn{turnAt(0, -1, 0, 0), turnAt(1, 0, 130, 40)}, false, Split{Pause: 40, Held: 60, Prefill: 20, Decode: 40, Turns: 2}, []int{1, 0}},
		"none":                   {0, nil, false, Split{}, nil},
		"its parent is missing":  {0, []Turn{turnAt(1, 0, 5, 0)}, false, Split{}, nil},
		"a circle":               {0, []Turn{turnAt(0, 1, 0, 0), turnAt(1, 0, 0, 0)}, false, Split{}, nil},
		"itself":                 {0, []Turn{turnAt(0, 0, 0, 0)}, false, Split{}, nil},
		"sent before its parent's end": {
			0, []Turn{turnAt(0, -1, 0, 0), turnAt(1, 0, 29, 0)}, false, Split{}, nil,
		},
		"let go after its own end": {0, []Turn{
			change(turnAt(0, -1, 0, 0), func(t *Turn) { t.Released = 35 }),
			change(turnAt(1, 0, 35, 0), func(t *Turn) { t.OfSent = true }),
		}, false, Split{}, nil},
		"sent before the begin": {9, []Turn{turnAt(0, -1, 5, 0)}, false, Split{}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			path := Path(c.begin, c.turns, c.limited)
			var on []int
			for _, s := range path {
				on = append(on, s.Turn.Index)
			}
			if diff := cmp.Diff(c.on, on); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(c.want, total(path)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// edge is what a turn of a drawn tree waits for: another turn, or -1 for the begin.
type edge struct {
	of    int
	delay int64
	sent  bool
}

// drawn is a tree whose turns are known by what they took.
type drawn struct {
	begin int64
	waits [][]edge
	took  []Split // of each turn alone, without its pause
	skip  []int64
	turns []Turn
}

// draw makes a job as a client would have lived it: each turn is due when the last of its waits is over.
func draw(r *rand.Rand, n int) *drawn {
	d := &drawn{begin: r.Int64N(1000)}
	some := func() int64 { return r.Int64N(1_000_000_007) }
	for i := range n {
		waits := []edge{{-1, some(), false}}
		if i > 0 {
			waits = nil
			for range 1 + r.IntN(3) {
				waits = append(waits, edge{r.IntN(i), some(), r.IntN(4) == 0})
			}
		}
		t := Turn{Index: 100 + i, Due: -1}
		for _, w := range waits {
			from, of := d.begin, -1
			if w.of >= 0 {
				p := &d.turns[w.of]
				from, of = p.End, p.Index
				if w.sent {
					from = p.Released
				}
			}
			if from+w.delay >= t.Due {
				t.Due, t.Follows, t.OfSent, t.Pause = from+w.delay, of, w.sent, w.delay
			}
		}
		skip := int64(0)
		if r.IntN(3) == 0 {
			skip = r.Int64N(t.Pause + 1)
		}
		t.Due, t.Pause = t.Due-skip, t.Pause-skip
		s := Split{Late: some(), Slot: some(), Queue: some(), Prefill: 1 + some(), Decode: some(), Turns: 1, Queued: 1}
		t.Released = t.Due + s.Late
		t.Sent = t.Released + s.Slot
		t.First = t.Sent + s.Queue + s.Prefill
		t.Computed, t.End = s.Prefill, t.First+s.Decode
		d.waits, d.took, d.skip, d.turns = append(d.waits, waits), append(d.took, s), append(d.skip, skip), append(d.turns, t)
	}
	return d
}

// longest is the longest way from the begin to the end of a turn, or to its release: it tries every one.
func (d *drawn) longest(i int, released bool) (best Split) {
	for _, w := range d.waits[i] {
		var s Split
		if w.of >= 0 {
			s = d.longest(w.of, w.sent)
		}
		s.Pause += w.delay
		if s.Time() >= best.Time() {
			best = s
		}
	}
	best.Pause -= d.skip[i]
	if released {
		best.Late += d.took[i].Late
		return best
	}
	best.Add(&d.took[i])
	return best
}

// TestPathOfDrawnTrees: the path that is read backwards from times is the longest way through the plan, to the nanosecond.
func TestPathOfDrawnTrees(t *testing.T) {
	r := testfiles.Random(t)
	for range 3000 {
		d := draw(r, 1+r.IntN(9))
		var want Split
		for i := range d.turns {
			if s := d.longest(i, false); s.Time() > want.Time() {
				want = s
			}
		}
		turns := d.turns
		r.Shuffle(len(turns), func(i, k int) { turns[i], turns[k] = turns[k], turns[i] })
		path := Path(d.begin, turns, true)
		if diff := cmp.Diff(want, total(path)); diff != "" {
			t.Fatalf("%+v\n%s", d, diff)
		}
		if took := path[0].Turn.End - d.begin; total(path) != want || want.Time() != took {
			t.Fatalf("parts of %d ns are %d", took, want.Time())
		}
	}
}

// A journal may hold anything: no times and no references make it hang or give parts that do not add up.
func FuzzPath(f *testing.F) {
	f.Add([]byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, true)
	f.Add([]byte{255, 0, 255, 0, 1, 1, 1, 1, 0, 0, 0, 0, 9, 9, 9, 9, 9, 9}, false)
	f.Fuzz(func(t *testing.T, b []byte, limited bool) {
		var turns []Turn
		for ; len(b) >= 8; b = b[8:] {
			n := func(i int) int64 { return int64(int8(b[i])) << (i * 3) }
			turns = append(turns, Turn{
				Index: int(b[0] % 8), Follows: int(b[1]%9) - 1, OfSent: b[1] > 128, Pause: max(n(2), 0),
				Due: n(3), Released: n(4), Sent: n(5), First: n(6), End: n(7), Computed: int64(b[0]),
			})
		}
		path := Path(0, turns, limited)
		if path == nil {
			return
		}
		s := total(path)
		last := path[0].Turn.End
		for _, part := range []int64{s.Pause, s.Held, s.Late, s.Slot, s.Queue, s.Prefill, s.Decode, s.Whole} {
			if part < 0 {
				t.Fatalf("%+v", s)
			}
		}
		if s.Time() != last {
			t.Fatalf("parts of %d are %d: %+v", last, s.Time(), s)
		}
	})
}
