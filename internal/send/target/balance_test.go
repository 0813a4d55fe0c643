package target

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func newBalancer(t *testing.T, rule string, n int) Balancer {
	t.Helper()
	b, err := NewBalancer(rule, n)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestBalance(t *testing.T) {
	for _, tt := range []struct {
		rule  string
		steps string // + picks, a digit ends a request to that server
		want  []int
	}{
		{RoundRobin, "+++++++", []int{0, 1, 2, 0, 1, 2, 0}},
		{RoundRobin, "+0+0+0+0", []int{0, 1, 2, 0}}, // whoever is free
		{LeastInFlight, "++++++", []int{0, 1, 2, 0, 1, 2}},
		{LeastInFlight, "+++1+1+1+", []int{0, 1, 2, 1, 1, 1}}, // only 1 is quick
		{LeastInFlight, "+0+1+2+0", []int{0, 1, 2, 0}},        // idle servers take turns
		{LeastInFlight, "++++++0000", []int{0, 1, 2, 0, 1, 2}},
	} {
		b := newBalancer(t, tt.rule, 3)
		var got []int
		for _, s := range tt.steps {
			if s == '+' {
				got = append(got, b.Pick(0))
			} else {
				b.Done(int(s - '0'))
			}
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s %s: %v, want %v", tt.rule, tt.steps, got, tt.want)
		}
	}
	if _, err := NewBalancer("fair", 2); err == nil || !strings.Contains(err.Error(), RoundRobin) {
		t.Errorf("an unknown rule gives %v", err)
	}
}

// TestSticky: prompts with the same beginning go together, whatever follows, and
// different beginnings are spread.
func TestSticky(t *testing.T) {
	b := newBalancer(t, Sticky, 4)
	counts := make([]int, 4)
	for i := range 4000 {
		system := fmt.Sprintf("conversation %d ", i) + strings.Repeat("x", StickyBytes)
		first := b.Pick(StickyKey(system))
		if again := b.Pick(StickyKey(system + "a second turn")); again != first {
			t.Fatalf("two turns of conversation %d go to %d and %d", i, first, again)
		}
		counts[first]++
	}
	for server, n := range counts {
		if n < 800 || n > 1200 {
			t.Errorf("server %d gets %d of 4000 conversations", server, n)
		}
	}
	if StickyKey("short") == StickyKey("shorter") {
		t.Error("a short prompt counts as a whole")
	}
}
