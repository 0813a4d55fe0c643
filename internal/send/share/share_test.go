package share

import (
	"slices"
	"testing"
)

func TestParse(t *testing.T) {
	for text, want := range map[string]Share{
		"":            {},
		"1/1":         {0, []int{1}},
		"2/3":         {1, []int{1, 1, 1}},
		"3/3:1,0,250": {2, []int{1, 0, 250}},
	} {
		got, err := Parse(text)
		if err != nil || got.Index != want.Index || !slices.Equal(got.Weights, want.Weights) {
			t.Errorf("%q: %v, %v", text, got, err)
		}
		if got.String() != text {
			t.Errorf("%q is written as %q", text, got)
		}
	}
	for _, text := range []string{"x", "0/2", "3/2", "1/0", "-1/2", "1/2:1", "1/2:1,-1", "1/2:0,0", "1/2:1,1001", "1/2:", "1/20000", "1/2/3"} {
		if s, err := Parse(text); err == nil {
			t.Errorf("%q was taken as %v", text, s)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("2/3:1,4,2")
	f.Add("9/10")
	f.Fuzz(func(t *testing.T, text string) {
		s, err := Parse(text)
		if err != nil {
			return
		}
		again, err := Parse(s.String())
		if err != nil || again.Index != s.Index || !slices.Equal(again.Weights, s.Weights) {
			t.Errorf("%q: %v, then %v, %v", text, s, again, err)
		}
		for unit := range 20 {
			if of := s.Owner().Of(unit); of < 0 || of >= s.Of() {
				t.Errorf("%q: unit %d belongs to %d", text, unit, of)
			}
		}
	})
}

// The parts add up, and none is further than one from its exact size.
func TestDivide(t *testing.T) {
	for _, c := range []struct {
		total   int
		weights []int
		want    []int
	}{
		{10, []int{1, 1, 1}, []int{4, 3, 3}},
		{2, []int{1, 1, 1, 1}, []int{1, 1, 0, 0}},
		{7, []int{3, 1}, []int{5, 2}},
		{5, []int{0, 2, 0}, []int{0, 5, 0}},
		{0, []int{1, 2}, []int{0, 0}},
		{3, []int{0, 0}, []int{0, 0}},
	} {
		if got := Divide(c.total, c.weights); !slices.Equal(got, c.want) {
			t.Errorf("%d by %v: %v, not %v", c.total, c.weights, got, c.want)
		}
	}
}

// Over a cycle each client has its weight's number of turns, spread evenly.
func TestOwner(t *testing.T) {
	o := NewOwner([]int{2, 0, 4, 6})
	var counts [4]int
	var order []int
	for unit := range 60 {
		counts[o.Of(unit)]++
		order = append(order, o.Of(unit))
	}
	if counts != [4]int{10, 0, 20, 30} {
		t.Errorf("turns: %v", counts)
	}
	if want := []int{3, 2, 0, 3, 2, 3}; !slices.Equal(order[:6], want) || !slices.Equal(order[6:12], want) {
		t.Errorf("order: %v", order[:12])
	}
	alike := NewOwner([]int{1, 1, 1})
	for unit := range 9 {
		if alike.Of(unit) != unit%3 {
			t.Errorf("unit %d belongs to %d", unit, alike.Of(unit))
		}
	}
}

// A closed loop of fewer slots than clients leaves some without requests.
func TestSlots(t *testing.T) {
	if s := Equal(3, 4).Slots(2); s.Weights[3] != 0 || s.Owner().Of(1) != 1 {
		t.Errorf("%v", s.Weights)
	}
}
