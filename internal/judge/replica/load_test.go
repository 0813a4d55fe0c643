package replica

import (
	"math"
	"testing"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/testfiles"
)

func TestLoad(t *testing.T) {
	l := LoadOf([]float64{300, 100, 100, 100})
	if *l.BusiestOverMean != 2 || *l.MaxOverMin != 3 || math.Abs(*l.CV-1/math.Sqrt(3)) > 1e-12 || l.Luck {
		t.Errorf("%+v", l)
	}
	if l := LoadOf([]float64{5, 0}); *l.BusiestOverMean != 2 || l.MaxOverMin != nil {
		t.Errorf("one without a request: %+v", l)
	}
	for _, none := range [][]float64{nil, {7}, {0, 0}} {
		if l := LoadOf(none); l.BusiestOverMean != nil || l.CV != nil {
			t.Errorf("%v: %+v", none, l)
		}
	}
}

// Dice are called luck in 99 of 100 runs, and a router that sends one twice as many is not.
func TestLuck(t *testing.T) {
	rnd := testfiles.Random(t)
	for _, replicas := range []int{2, 3, 8, 64} {
		luck, unfair := 0, 0
		const runs = 2000
		for range runs {
			even, uneven := make([]float64, replicas), make([]float64, replicas)
			for range 100 * replicas {
				even[rnd.IntN(replicas)]++
				uneven[rnd.IntN(replicas+1)%replicas]++ // the first has two tickets
			}
			if LoadOf(even).Luck {
				luck++
			}
			if !LoadOf(uneven).Luck {
				unfair++
			}
		}
		if luck < runs*98/100 || luck > runs*997/1000 || unfair < runs*96/100 {
			t.Errorf("%d replicas: dice were called luck in %d of %d runs, unfair ones were not in %d", replicas, luck, runs, unfair)
		}
	}
}

func TestAffinity(t *testing.T) {
	f := NewFollowed()
	turn := func(conversation, number, branch, replica int) {
		f.Add(&journal.Request{Conversation: conversation, Turn: number, Branch: branch}, replica)
	}
	turn(1, 1, 0, 0)
	turn(2, 1, 0, 1)
	turn(1, 2, 0, 0)       // kept
	turn(2, 2, 0, 0)       // moved
	turn(2, 3, 0, 0)       // kept there, not on the first
	turn(1, 3, 0, Unknown) // says nothing
	turn(1, 4, 0, 0)       // nor does the one behind it
	turn(1, 5, 0, 0)       // kept
	turn(1, 2, 1, 2)       // a branch begins
	turn(1, 3, 1, 2)       // kept within it, and not on the first of all
	f.Ended(&journal.Conversation{Number: 1, Branches: make([]journal.Branch, 2)})
	turn(1, 1, 0, 1) // another one of the same number is none that follows
	a := f.Result([]float64{0.5, 0.5})
	if a.Turns != 5 || a.Kept != 4 || a.KeptFirst != 2 || *a.Chance != 0.5 || *a.Share() != 0.8 {
		t.Errorf("%+v", a)
	}
	if len(f.turns) != 2 || len(f.starts) != 2 {
		t.Errorf("%d branches and %d conversations are still kept", len(f.turns), len(f.starts))
	}
	if a := NewFollowed().Result(nil); a != nil || a.Share() != nil || a.ElsewhereShare() != nil {
		t.Errorf("of nothing: %+v", a)
	}
}

func TestAffinityOfPrefixes(t *testing.T) {
	f := NewFollowed()
	for i, replica := range []int{0, 0, 0, 1, 2, 2, 1, Unknown} {
		prefix := 1 // on three replicas
		if i >= 4 {
			prefix = 2
		}
		f.Add(&journal.Request{Prefix: prefix}, replica)
	}
	f.Add(&journal.Request{Prefix: 9}, 0) // nobody shares it
	a := f.Result(nil)
	if a.Prefixes != 2 || a.Prefixed != 7 || a.Elsewhere != 2 || a.Copies != 4 {
		t.Errorf("%+v", a)
	}
}
