package duel

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/inferometer/inferometer/internal/bench"
	"github.com/inferometer/inferometer/internal/judge/compare"
	"github.com/inferometer/inferometer/internal/plan/plantest"
	"github.com/inferometer/inferometer/internal/spec"
)

// quiet is a Progress that keeps the lines that stay.
type quiet struct{ said []string }

func (q *quiet) Say(text string)    { q.said = append(q.said, text) }
func (*quiet) Running(string)       {}
func (*quiet) Round(string, string) {}

// No round begins that would end after --max-time. Each run takes a minute, of a clock that no one waits for.
func TestTheTimeOfADuel(t *testing.T) {
	for _, tt := range []struct {
		most   time.Duration
		rounds int
		ended  string
	}{
		{time.Second, 1, "--max-time 1s leaves no time for another round of 2m0s"},
		{4 * time.Minute, 2, "--max-time 4m0s leaves no time for another round of 2m0s"},
		{5 * time.Minute, 2, "--max-time 5m0s leaves no time for another round of 2m0s"},
		{time.Hour, 6, "--max-rounds 6 are run"},
	} {
		synctest.Test(t, func(t *testing.T) {
			d, err := New(compare.ABOptions{Metrics: []string{"mean_ttft"}, MinRounds: 6, MaxRounds: 6})
			if err != nil {
				t.Fatal(err)
			}
			d.Folder, d.MaxTime, d.Progress = t.TempDir(), tt.most, &quiet{}
			for side := range d.Children {
				server := &plantest.Server{TTFT: time.Second, ITL: time.Millisecond, Spread: 0.9, Noise: uint64(side)}
				server.Ends = func(*spec.Spec) error { time.Sleep(time.Minute); return nil }
				asked := spec.Default()
				asked.URLs, asked.NumPrompts, asked.PercentileMetrics, asked.MetricPercentiles = []string{"http://" + Sides[side]}, 20, []string{"ttft"}, []float64{99}
				d.Children[side] = bench.Child{Spec: &asked, Instead: server.Run}
			}
			began := time.Now()
			if err := d.Rounds(t.Context(), nil); err != nil {
				t.Fatal(err)
			}
			if took := time.Since(began); d.analysis.Rounds != tt.rounds || d.ended != tt.ended || took != time.Duration(tt.rounds)*2*time.Minute {
				t.Errorf("%v: %d rounds in %v: %s", tt.most, d.analysis.Rounds, took, d.ended)
			}
		})
	}
}
