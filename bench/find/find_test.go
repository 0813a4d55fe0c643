package main

import (
	"math"
	"testing"
	"time"

	"github.com/inferometer/inferometer/internal/judge/slo"
	"github.com/inferometer/inferometer/internal/sim/engine"
)

// small is a server that is quick to reckon with: some 20 requests a second.
func small(t *testing.T, closed bool, text string) *config {
	t.Helper()
	objective, err := slo.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return &config{
		seed: 1, closed: closed, input: 100, output: 16, spread: 0.3, slo: objective,
		engine: engine.BatchConfig{
			Base: 20 * time.Millisecond, PerPrefillToken: 100 * time.Microsecond, PerSequence: 500 * time.Microsecond,
			MaxNumBatchedTokens: 1024, MaxNumSeqs: 256, BlockSize: 16, NumBlocks: 4096,
		},
	}
}

// Two configurations of the comparison. All is in virtual time, so that the numbers
// are the same on any machine: the truths are those of config.truth, the times of
// the sweeps those of config.sweep, which would take half a minute here.
func TestFindsTheTruth(t *testing.T) {
	for _, tt := range []struct {
		closed       bool
		slo          string
		truth, swept float64
	}{
		{false, "p90_ttft<=150ms and failed<1%", 37.24, 1347},
		{true, "median_ttft<=120ms and failed<1%", 35, 1164},
	} {
		b := &bench{short: 10 * time.Second, long: time.Minute}
		a, err := b.virtual(small(t, tt.closed, tt.slo))
		if err != nil {
			t.Fatal(err)
		}
		if a.X == nil || math.Abs(*a.X/tt.truth-1) > 0.05 || a.Spent > tt.swept/3 {
			t.Errorf("%s: %+v, true %g, in %.0f s of %.0f s", tt.slo, a, tt.truth, a.Spent, tt.swept)
		}
	}
}

// A step of the virtual engine takes what the formula says.
func TestProbeIsExact(t *testing.T) {
	c := small(t, true, "median_ttft<=120ms and mean_itl<=1s")
	c.spread = 0
	o, err := c.probe(1, 10*time.Second, 1, false)
	if err != nil {
		t.Fatal(err)
	}
	// One at a time: a step with 100 prompt tokens takes 30 ms and begins at once,
	// each further token 20.5 ms.
	ttft, itl := *o.Clauses[0].Value, *o.Clauses[1].Value
	if math.Abs(ttft-30.15) > 0.01 || math.Abs(itl-20.5) > 0.01 {
		t.Errorf("TTFT %.3f ms, ITL %.3f ms", ttft, itl)
	}
}
