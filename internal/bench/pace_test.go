package bench

import (
	"testing"
	"time"
)

func TestLength(t *testing.T) {
	two := 2
	for i, c := range []struct {
		pace Pace
		load Load
		want time.Duration
	}{
		{want: 0},
		{load: Load{Duration: 90 * time.Second}, want: 90 * time.Second},
		{load: Load{Duration: 90 * time.Second, MaxConcurrency: &two, SpawnRate: 0.5}, want: 92 * time.Second},
		{pace: Pace{Stages: "1s@5,2s@20"}, want: 3 * time.Second},
		{pace: Pace{RampRate: "1..9", RampDuration: time.Minute}, want: time.Minute},
		{load: Load{NumPrompts: 9, Deadline: time.Second}, want: 0},
	} {
		if got := (&Spec{Pace: c.pace, Load: c.load}).length(); got != c.want {
			t.Errorf("%d: %v, not %v", i, got, c.want)
		}
	}
}
