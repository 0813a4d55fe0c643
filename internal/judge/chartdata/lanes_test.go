package chartdata

import (
	"math"
	"testing"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/row"
)

// request is a row of a request that was sent at a time, with token chunks after it; all in milliseconds.
func laneOf(t *testing.T, index int, sent int64, outcome journal.Outcome, chunks ...int64) *row.Request {
	t.Helper()
	const ms = int64(1e6)
	q := &journal.Request{Index: index, Due: sent * ms, Sent: sent * ms, Outcome: outcome, Status: 200, UsagePrompt: 7, UsageOutput: len(chunks)}
	at := int64(0)
	for _, c := range chunks {
		q.Events.At = append(q.Events.At, (c-at)*ms)
		q.Events.Kind = append(q.Events.Kind, journal.EventChoices|journal.EventText)
		at = c
	}
	q.End = q.Sent + (at+3)*ms
	var r row.Request
	if err := r.Read(row.NewRules(&journal.Options{}, ""), q); err != nil {
		t.Fatal(err)
	}
	return &r
}

// Gaps of one class that follow each other are one stretch, and what a lane shows adds up to its request.
func TestLanes(t *testing.T) {
	l := &Lanes{Thresholds: [2]float64{25, 50}}
	warm := laneOf(t, 0, -5, journal.Complete, 1)
	warm.Warmup = true
	for _, r := range []*row.Request{
		warm, laneOf(t, 1, 130, journal.Truncated, 5, 10), laneOf(t, 0, 100, journal.Complete, 10, 20, 30, 55, 100, 160, 170),
	} {
		if err := l.Add(r); err != nil {
			t.Fatal(err)
		}
	}
	list := l.Sorted()
	if l.Total != 2 || len(list) != 2 || list[0].Index != 0 || list[0].Start != 0 || list[1].Start != 30 {
		t.Fatalf("lanes: %+v", list)
	}
	want := []Stretch{{0, 2, 20, 10}, {1, 2, 70, 45}, {2, 1, 60, 60}, {0, 1, 10, 10}}
	got := list[0].Stretches
	if len(got) != len(want) {
		t.Fatalf("stretches: %+v, want %+v", got, want)
	}
	sum := list[0].First
	for i := range want {
		if got[i].Class != want[i].Class || got[i].Gaps != want[i].Gaps || math.Abs(got[i].Total-want[i].Total) > 1e-9 || math.Abs(got[i].Longest-want[i].Longest) > 1e-9 {
			t.Errorf("stretch %d: %+v, want %+v", i, got[i], want[i])
		}
		sum += got[i].Total
	}
	if math.Abs(sum-list[0].End) > 1e-9 || list[0].End != 170 {
		t.Errorf("the parts last %v ms, the request %v", sum, list[0].End)
	}
	if list[1].End != 13 || list[1].Outcome != journal.Truncated {
		t.Errorf("the failure: %+v", list[1])
	}
}

// However many requests there are, what is kept is bounded, and the rest is counted.
func TestLanesAreBounded(t *testing.T) {
	l, n := &Lanes{Thresholds: [2]float64{25, 50}}, &Lengths{}
	r := laneOf(t, 0, 0, journal.Complete, 1, 2, 40, 41, 99)
	for range MostLanes + 10 {
		if l.Add(r) != nil || n.Add(r) != nil {
			t.Fatal("not taken")
		}
	}
	if len(l.List) != MostLanes || l.Total != MostLanes+10 || n.Total != MostLanes+10 || n.Sorted()[0].Output != 5 || n.List[0].Prompt != 7 {
		t.Errorf("%d lanes of %d, %d lengths", len(l.List), l.Total, len(n.List))
	}
}
