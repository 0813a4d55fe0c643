package job

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestRollouts(t *testing.T) {
	const ms = 1_000_000
	b := NewBatches(20)
	// Answers of 10, 20, … 200 ms: the tail begins with the end of the 19th, when one of 20 is left.
	for i := range 20 {
		b.Add(i, 0, int64(i+1)*10*ms)
	}
	// A batch in which one takes ten times as long, and the first to be sent is the last to end.
	for i := range 20 {
		end := int64(400 * ms)
		if i == 19 {
			end = 1300 * ms
		}
		b.Add(39-i, 300*ms, end)
	}
	want := &Rollouts{
		Batches: 2, Answers: 40, Makespan: Spread{Mean: 600, Max: 1000}, Tail: Spread{Mean: 455, Max: 900}, Longest: (200.0/105 + 10) / 2,
	}
	if diff := cmp.Diff(want, b.Result(), cmpopts.EquateApprox(0, 1e-9)); diff != "" {
		t.Error(diff)
	}
	if NewBatches(0).Result() != nil || NewBatches(5).Result() != nil {
		t.Error("there were none")
	}
	one := NewBatches(1)
	one.Add(0, 0, 5*ms)
	if r := one.Result(); r.Tail.Max != 0 || r.Longest != 1 || r.Makespan.Max != 5 {
		t.Errorf("of one: %+v", r)
	}
}
