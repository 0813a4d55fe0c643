package startup

import (
	"testing"
	"time"
)

// answers have these times between their eleven tokens, in ms.
func answers(gaps ...int) (all []Answer) {
	for _, gap := range gaps {
		all = append(all, Answer{First: 50 * time.Millisecond, Whole: time.Duration(50+10*gap) * time.Millisecond, Tokens: 11})
	}
	return all
}

func TestSteadyAnswer(t *testing.T) {
	for _, test := range []struct {
		name string
		all  []Answer
		want int
		ok   bool
	}{
		{"at once", answers(10, 10, 10, 10, 10, 10), 0, true},
		{"the third, after two that were compiled for", answers(90, 30, 10, 10, 11, 10), 2, true},
		{"one that something held up later", answers(40, 10, 10, 10, 80, 10), 1, true},
		{"still getting faster", answers(100, 80, 60, 40, 20, 10), 4, true},
		{"slower by less than a tenth", answers(11, 10, 10, 10, 10, 10), 0, true},
		{"one answer says nothing", answers(10), 0, false},
		{"none", nil, 0, false},
		{"faster only at the end", answers(50, 10), 0, false},
	} {
		if got, ok := SteadyAnswer(test.all); got != test.want || ok != test.ok {
			t.Errorf("%s: %d %v, want %d %v", test.name, got, ok, test.want, test.ok)
		}
	}
}

// TestPhasesAddUp: the phases of a start are the whole time, whichever were reached.
func TestPhasesAddUp(t *testing.T) {
	s := Start{Began: time.Unix(1000, 0)}
	for reached, at := range []time.Duration{20, 150, 151, 160, 400, 900} {
		s.mark(s.Began.Add(at * time.Millisecond))
		var sum time.Duration
		for i := range Phases() {
			d, ok := s.Phase(i)
			if ok != (i <= reached) {
				t.Fatalf("after %d marks phase %d is known: %v", reached+1, i, ok)
			}
			sum += d
		}
		if sum != s.Whole() || s.Whole() != at*time.Millisecond {
			t.Errorf("after %d marks the phases add up to %v of %v", reached+1, sum, s.Whole())
		}
	}
}
