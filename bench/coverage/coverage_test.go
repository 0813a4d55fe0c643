package main

import (
	"math"
	"sync"
	"testing"

	"github.com/inferometer/inferometer/internal/testfiles"
)

// How many runs are simulated: few with -short, and under the race detector, where each takes ten times as long.
func counts() (runs, truth int) {
	if testing.Short() || testfiles.RaceDetector {
		return 50, 60_000
	}
	return 500, 500_000
}

// truths are those of the models, and of the idle one behind them: each is simulated once.
var truths = sync.OnceValues(func() (list []map[string]float64, err error) {
	_, n := counts()
	for _, m := range append(models(), idle()) {
		truth, err := m.truth(n)
		if err != nil {
			return nil, err
		}
		list = append(list, truth)
	}
	return list, nil
})

func truthOf(t *testing.T, model int) map[string]float64 {
	t.Helper()
	list, err := truths()
	if err != nil {
		t.Fatal(err)
	}
	return list[model]
}

// Of 500 simulated runs of each model the 95 % intervals of medians and p95s hold
// the truth in 92 to 98 %. All seeds are fixed, so that this holds or doesn't on
// all machines alike. Means, p99s and rates are held to what they reach; the 80 % busy
// model's queue is so bursty that 2,000 requests say little of its worst moments. Of 50 runs
// chance allows four standard errors more: other seeds would miss that in one number of 10,000.
func TestCoverage(t *testing.T) {
	runs, _ := counts()
	for i, m := range models() {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			truth := truthOf(t, i)
			list, err := m.coverage(runs, 2000, truth)
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range list {
				low, high := bounds(c.Key)
				if runs < 500 {
					low, high = low-400*math.Sqrt(low/100*(1-low/100)/float64(runs)), 100
				}
				if held := 100 * float64(c.Inside) / float64(c.Runs); held < low || held > high || c.Runs != runs {
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
	t.Parallel()
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
	t.Parallel()
	runs := 150
	if testing.Short() || testfiles.RaceDetector {
		runs = 60 // the seeds are fixed
	}
	held := func(m model, truth map[string]float64) (share float64) {
		list, err := m.coverage(runs, 2000, truth)
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
	if got := held(idle(), truthOf(t, 3)); got < 0.96 {
		t.Errorf("of independent values it holds in %.3f of the runs", got)
	}
	if got := held(models()[1], truthOf(t, 1)); got > 0.9 {
		t.Errorf("of a queue it holds in %.3f of the runs: then docs/confidence.md is wrong", got)
	}
}

// Stopping when an interval is narrow costs little of its coverage.
func TestCoverageOfUntil(t *testing.T) {
	t.Parallel()
	runs, least := 100, 88
	if testing.Short() || testfiles.RaceDetector {
		runs, least = 20, 15 // of 20, 95 % hold fewer than 15 in one case of 3,000; the seeds are fixed
	}
	c, requests, err := models()[2].untilCoverage(runs, "p95_ttft±5%", "p95_ttft_ms", truthOf(t, 2)["p95_ttft_ms"])
	if err != nil {
		t.Fatal(err)
	}
	if c.Runs != runs || c.Inside < least || c.Width > 0.06 || requests < 300 || requests > 10_000 {
		t.Errorf("%+v after %.0f requests on average", c, requests)
	}
}
