package bench

import (
	"testing"
	"time"

	"github.com/inferometer/inferometer/internal/send/pace"
	"github.com/inferometer/inferometer/internal/spec"
)

func TestLength(t *testing.T) {
	two, minute := 2, time.Minute
	for i, c := range []struct {
		pace spec.Pace
		load spec.Load
		want time.Duration
	}{
		{want: 0},
		{load: spec.Load{Duration: 90 * time.Second}, want: 90 * time.Second},
		{load: spec.Load{Duration: 90 * time.Second, MaxConcurrency: &two, SpawnRate: 0.5}, want: 92 * time.Second},
		{pace: spec.Pace{PaceOptions: &pace.StagesOptions{Stages: pace.Stages{{Length: time.Second}, {Length: 2 * time.Second}}}}, want: 3 * time.Second},
		{pace: spec.Pace{PaceOptions: &pace.RampTimeOptions{Over: &minute}}, want: time.Minute},
		{load: spec.Load{NumPrompts: 9, Deadline: time.Second}, want: 0},
	} {
		if got := (&spec.Spec{Pace: c.pace, Load: c.load}).Length(); got != c.want {
			t.Errorf("%d: %v, not %v", i, got, c.want)
		}
	}
}

func TestSetRate(t *testing.T) {
	s := spec.Default()
	s.PaceName, s.PaceOptions = pace.Gamma, &pace.GammaOptions{RateOptions: pace.RateOptions{Rate: 1}, SpreadOptions: pace.SpreadOptions{Burstiness: 0.5}}
	other := s
	other.SetRate(8)
	if s.Rate() != 1 || other.Rate() != 8 || other.Burstiness() != 0.5 {
		t.Errorf("%g, %g, %g", s.Rate(), other.Rate(), other.Burstiness())
	}
}
