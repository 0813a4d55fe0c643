package main

import (
	"math"
	"testing"

	"github.com/inferometer/inferometer/internal/testfiles"
)

// Of 500 simulated runs of each model the 95 % intervals of medians and p95s hold
// the truth in 92 to 98 %. All seeds are fixed, so that this holds or doesn't on
// all machines alike. Means, p99s and rates are held to what they reach; the 80 % busy
// model's queue is so bursty that 2,000 requests say little of its worst moments.
func TestCoverage(t *testing.T) {
	if testing.Short() || testfiles.RaceDetector {
		t.Skip("some 1,500 runs: without -short and the race detector only; .ci/run has a step for it")
	}
	for _, m := range models() {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			truth, err := m.truth(500_000)
			if err != nil {
				t.Fatal(err)
			}
			list, err := m.coverage(500, 2000, truth)
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range list {
				low, high := bounds(c.Key)
				if held := 100 * float64(c.Inside) / float64(c.Runs); held < low || held > high || c.Runs != 500 {
					t.Errorf("%s: the truth %.2f lies inside in %.1f %% of %d runs, want %v to %v %%", c.Key, truth[c.Key], held, c.Runs, low, high)
				}
			}
		})
	}
}

// slack is two runs of 500: another processor may round a logarithm the other way.
const slack = 0.4

func bounds(key string) (low, high float64) {
	switch key[:3] {
	case "med", "p95":
		return 92 - slack, 98 + slack
	}
	return 86, 99.5
}

// A few runs under any detector: the model is in a steady state, and its truth is
// what the theory says.
func TestModels(t *testing.T) {
	for _, m := range models() {
		truth, err := m.truth(20_000)
		if err != nil {
			t.Fatal(err)
		}
		rate := m.rate
		if rate == 0 {
			rate = float64(m.places) * 1000 / serviceMS // all places are busy
		}
		if got := truth["request_throughput"]; math.Abs(got-rate) > 0.03*rate {
			t.Errorf("%s: %v requests a second, want %v", m.name, got, rate)
		}
		if m.clients > 0 { // Little's law
			if got := truth["mean_e2el_ms"] / 1000 * rate; math.Abs(got-float64(m.clients)) > 0.03*float64(m.clients) {
				t.Errorf("%s: %v requests in the system, want %d", m.name, got, m.clients)
			}
		}
		list, err := m.coverage(10, 500, truth)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range list {
			if m.clients > 0 && c.Key == "request_throughput" {
				continue // the drain is a tenth of so short a run: docs/confidence.md
			}
			if c.Runs != 10 || c.Inside < 5 {
				t.Errorf("%s: %s lies inside in %d of %d", m.name, c.Key, c.Inside, c.Runs)
			}
		}
	}
}

// MLPerf's early stopping holds what it says where values are independent, and not where
// requests wait in the same queue: docs/confidence.md has the figures.
func TestEarlyStoppingNeedsIndependentValues(t *testing.T) {
	if testing.Short() || testfiles.RaceDetector {
		t.Skip("some hundred runs: without -short and the race detector only")
	}
	held := func(m model) (share float64) {
		truth, err := m.truth(300_000)
		if err != nil {
			t.Fatal(err)
		}
		list, err := m.coverage(150, 2000, truth)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range list {
			if c.Key == "p95_ttft_ms" {
				return float64(c.EarlyHeld) / float64(max(c.Early, 1))
			}
		}
		return 0
	}
	if got := held(idle()); got < 0.96 {
		t.Errorf("of independent values it holds in %.3f of the runs", got)
	}
	if got := held(models()[1]); got > 0.9 {
		t.Errorf("of a queue it holds in %.3f of the runs: then docs/confidence.md is wrong", got)
	}
}

// Stopping when an interval is narrow costs little of its coverage.
func TestCoverageOfUntil(t *testing.T) {
	if testing.Short() || testfiles.RaceDetector {
		t.Skip("some hundred runs: without -short and the race detector only")
	}
	m := models()[2]
	truth, err := m.truth(300_000)
	if err != nil {
		t.Fatal(err)
	}
	c, requests, err := m.untilCoverage(100, "p95_ttft±5%", "p95_ttft_ms", truth["p95_ttft_ms"])
	if err != nil {
		t.Fatal(err)
	}
	if c.Runs != 100 || c.Inside < 88 || c.Width > 0.06 || requests < 300 || requests > 10_000 {
		t.Errorf("%+v after %.0f requests on average", c, requests)
	}
}
