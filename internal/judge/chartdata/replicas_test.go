package chartdata

import (
	"fmt"
	"math"
	"testing"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/row"
)

// drawnReplicas is a run of so many replicas in turn, of which the last is slow.
func drawnReplicas(t *testing.T, replicas int) *Run {
	t.Helper()
	c := NewCollector(0)
	c.Begin(&journal.Run{})
	for i := range 20 * replicas {
		first := int64(50e6)
		if i%replicas == replicas-1 {
			first = 500e6
		}
		sent := int64(i) * int64(10e9) / int64(20*replicas)
		r := &row.Request{Request: &journal.Request{Index: i, Replica: fmt.Sprintf("r%03d", i%replicas)}}
		r.Row = row.Row{Index: i, Due: sent, Sent: sent, First: first, Last: first, End: sent + first, OK: true}
		if err := c.Add(r); err != nil {
			t.Fatal(err)
		}
	}
	return c.Run(nil, nil)
}

func TestReplicasOverTime(t *testing.T) {
	run := drawnReplicas(t, 3)
	if len(run.Replicas) != 3 || run.Replicas[2].Name != "r002" {
		t.Fatalf("%+v", run.Replicas)
	}
	for i, want := range []float64{50, 50, 500} {
		sent := 0.0
		for k, v := range run.Replicas[i].Sent {
			sent += v * run.Slot
			if ttft := run.Replicas[i].TTFT[k]; !math.IsNaN(ttft) && math.Abs(ttft-want) > 1e-9 {
				t.Errorf("%s: TTFT %v in slot %d, want %v", run.Replicas[i].Name, ttft, k, want)
			}
		}
		if math.Abs(sent-20) > 1e-6 {
			t.Errorf("%s: %v requests, want 20", run.Replicas[i].Name, sent)
		}
	}
	if one := drawnReplicas(t, 1); one.Replicas != nil {
		t.Error("one replica is drawn beside nobody")
	}
}

// Two hundred can't be told apart: the odd one is drawn by itself, and the others together.
func TestManyReplicasOverTime(t *testing.T) {
	run := drawnReplicas(t, 200)
	last := len(run.Replicas) - 1
	if last != MostReplicas-1 || run.Replicas[last].Together != 200-last || run.Replicas[last-1].Name != "r199" {
		t.Fatalf("%d lines, %d together, before them %s", last+1, run.Replicas[last].Together, run.Replicas[last-1].Name)
	}
	sent := 0.0
	for i := range run.Replicas {
		for _, v := range run.Replicas[i].Sent {
			sent += v * run.Slot * float64(max(run.Replicas[i].Together, 1))
		}
	}
	if math.Abs(sent-4000) > 1e-6 {
		t.Errorf("%v requests are drawn, want 4000", sent)
	}
}
