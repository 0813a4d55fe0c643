package pace

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/inferometer/inferometer/internal/option"
)

const drawnSeeds = 200

// seeded is a pace with a rate and a burstiness, of each of many seeds.
func seeded(t *testing.T, rate, burstiness float64, n int, length time.Duration, see func(due []time.Duration)) {
	t.Helper()
	spec := bounded(said(t, false, "rate", option.FormatFloat(rate), "burstiness", option.FormatFloat(burstiness)), n, length)
	for seed := range uint64(drawnSeeds) {
		spec.Seed = seed
		due := all(t, must(t, spec), 1_000_000)
		if again := all(t, must(t, spec), 1_000_000); !slices.Equal(due, again) {
			t.Fatalf("seed %d gives two schedules", seed)
		}
		if !slices.IsSorted(due) || len(due) > 0 && (due[0] < 0 || due[len(due)-1] > length) {
			t.Fatalf("rate %g, burstiness %g, seed %d: times step back or lie outside of %v: %v", rate, burstiness, seed, length, due)
		}
		see(due)
	}
}

// Whatever the seed, a run of a time has the rate that was asked for.
func TestATimeHasTheRequestsAskedFor(t *testing.T) {
	for _, c := range []struct {
		rate, burstiness float64
		n                int
		length           time.Duration
		want             float64 // requests
	}{
		{rate: 2, burstiness: 1, length: 10 * time.Second, want: 20},
		{rate: 2, burstiness: 0.25, length: 10 * time.Second, want: 20},
		{rate: 2, burstiness: 8, length: 10 * time.Second, want: 20},
		{rate: 3.35, burstiness: 1, length: 5 * time.Second, want: 16.75},
		{rate: 2, burstiness: 1, n: 1000, length: 10 * time.Second, want: 20},
		{rate: 0.1, burstiness: 1, length: time.Second, want: 1}, // a tenth of a request: one, and never none
	} {
		sum, squares := 0.0, 0.0
		seeded(t, c.rate, c.burstiness, c.n, c.length, func(due []time.Duration) {
			got := float64(len(due))
			if got != math.Floor(c.want) && got != math.Ceil(c.want) {
				t.Errorf("%+v: %g requests", c, got)
			}
			sum, squares = sum+got, squares+got*got
		})
		mean := sum / drawnSeeds
		fraction := c.want - math.Floor(c.want)
		if off := math.Abs(mean - c.want); off > 4*math.Sqrt(fraction*(1-fraction)/drawnSeeds)+1e-9 {
			t.Errorf("%+v: %.3f requests on average", c, mean)
		}
		t.Logf("%g/s, burstiness %g, %v: sent rate %.4f on average, from seed to seed ±%.4f", c.rate, c.burstiness, c.length,
			mean/c.length.Seconds(), math.Sqrt(max(squares/drawnSeeds-mean*mean, 0))/c.length.Seconds())
	}
}

// A long time is drawn in pieces.
func TestALongTimeHasTheRequestsAskedFor(t *testing.T) {
	const n = 2*largestPiece + 1000
	due := all(t, must(t, bounded(said(t, false, "rate", "1000"), 0, n*time.Millisecond)), 2*n)
	if len(due) != n || !slices.IsSorted(due) {
		t.Errorf("%d requests, want %d", len(due), n)
	}
	if half, _ := slices.BinarySearch(due, n/2*time.Millisecond); half == n/2 {
		t.Error("each half has the same number, as if all came evenly")
	}
}

// Rates that nobody can keep are no reason to hang.
func TestImmenseRates(t *testing.T) {
	for _, rate := range []string{"1e9", "1e30", "1e300", "1.7e308"} {
		if due := all(t, must(t, bounded(said(t, false, "rate", rate), 0, time.Hour)), 100); len(due) != 100 || due[99] > time.Second {
			t.Errorf("rate %s: %v", rate, due)
		}
	}
}

// Where the number ends the run before its time does, the times are vLLM's.
func TestANumberBeforeATimeIsAsInVLLM(t *testing.T) {
	spec := bounded(said(t, false, "rate", "20"), 100, 0)
	want := all(t, must(t, spec), 1000)
	spec.Duration = 5 * time.Second // 100 requests at 20 a second
	if got := all(t, must(t, spec), 1000); !slices.Equal(got, want) {
		t.Error("a time that changes nothing changes the times")
	}
}

// Each stage has the requests that its rates say, in every seed.
func TestAStageHasTheRequestsAskedFor(t *testing.T) {
	spec := said(t, false, "stages", "10s@2,5s@0,10s@4.5,10s@0-3", "burstiness", "0.5")
	for seed := range uint64(drawnSeeds) {
		spec.Seed = seed
		var count [4]int
		for _, d := range all(t, must(t, spec), 1000) {
			switch {
			case d <= 10*time.Second:
				count[0]++
			case d < 15*time.Second:
				count[1]++
			case d <= 25*time.Second:
				count[2]++
			default:
				count[3]++
			}
		}
		if count != [4]int{20, 0, 45, 15} {
			t.Errorf("seed %d: %v requests by stage", seed, count)
		}
	}
}

// A run that may end at any time has about the rate asked for whenever it does.
func TestAnEndlessPaceKeepsItsRate(t *testing.T) {
	for _, burstiness := range []string{"1", "0.5"} {
		spec := said(t, false, "rate", "10", "burstiness", burstiness)
		for seed := range uint64(20) {
			spec.Seed = seed
			due := all(t, must(t, spec), 3000)
			for _, n := range []int{500, 999, 3000} {
				if off := float64(n) - 10*due[n-1].Seconds(); math.Abs(off) > 50 {
					t.Errorf("burstiness %s, seed %d: %d requests by %v", burstiness, seed, n, due[n-1])
				}
			}
		}
	}
}

// The requests of a time lie as a Poisson process has them once their number is known: each
// anywhere, with exponential gaps. Other burstiness keeps its variation of gaps, also
// at the ends of the time.
func TestTheGapsAreAsAsked(t *testing.T) {
	const rate, length = 20.0, 10 * time.Second
	for _, burstiness := range []float64{0.5, 1, 4} {
		var gaps, places []float64
		edge := 0.0
		seeded(t, rate, burstiness, 0, length, func(due []time.Duration) {
			for i, d := range due {
				places = append(places, d.Seconds()/length.Seconds())
				if i > 0 {
					gaps = append(gaps, (d-due[i-1]).Seconds()*rate)
				}
			}
			edge += (due[0] + length - due[len(due)-1]).Seconds() * rate / drawnSeeds
		})
		mean, square := 0.0, 0.0
		for _, g := range gaps {
			mean += g / float64(len(gaps))
			square += g * g / float64(len(gaps))
		}
		variation := math.Sqrt(square-mean*mean) / mean
		if want := 1 / math.Sqrt(burstiness); math.Abs(variation/want-1) > 0.03 {
			t.Errorf("burstiness %g: gaps vary by %.3f, want %.3f", burstiness, variation, want)
		}
		// The gap that holds a given moment is (1 + 1/burstiness) long on average.
		if want := 1 + 1/burstiness; math.Abs(edge/want-1) > 0.2 {
			t.Errorf("burstiness %g: from the last request round to the first %.3f gaps, want %.3f", burstiness, edge, want)
		}
		if burstiness != 1 {
			continue
		}
		// Kolmogorov's bound at 0.1 %.
		if d, bound := distance(places, func(x float64) float64 { return x }), 1.95/math.Sqrt(float64(len(places))); d > bound {
			t.Errorf("places are %.4f from uniform, bound %.4f", d, bound)
		}
		n := rate * length.Seconds()
		given := func(x float64) float64 { return 1 - math.Pow(max(1-x/n, 0), n) } // of one gap of n in a time of n
		if d, bound := distance(gaps, given), 1.95/math.Sqrt(float64(len(gaps))); d > bound {
			t.Errorf("gaps are %.4f from exponential, bound %.4f", d, bound)
		}
	}
}

// distance is Kolmogorov's and Smirnov's, of values from a distribution.
func distance(values []float64, below func(float64) float64) (d float64) {
	slices.Sort(values)
	n := float64(len(values))
	for i, v := range values {
		p := below(v)
		d = max(d, p-float64(i)/n, float64(i+1)/n-p)
	}
	return d
}

func TestAsked(t *testing.T) {
	for _, c := range []struct {
		spec     Spec
		requests float64
		over     time.Duration // 0: not known
	}{
		{bounded(said(t, false, "rate", "2"), 0, 10*time.Second), 20, 10 * time.Second},
		{bounded(said(t, false, "rate", "2", "burstiness", "inf"), 0, 10*time.Second), 20, 10 * time.Second},
		{bounded(said(t, false, "rate", "2", "burstiness", "0.5"), 1000, 10*time.Second), 20, 10 * time.Second},
		{bounded(said(t, false, "rate", "2"), 5, 10*time.Second), 0, 0},
		{bounded(said(t, false, "rate", "2"), 5, 0), 0, 0},
		{said(t, false, "rate", "2"), 0, 0},
		{said(t, false, "stages", "10s@2,10s@4"), 60, 20 * time.Second},
		{bounded(said(t, false, "stages", "10s@2,10s@4"), 10, 0), 0, 0},
		{said(t, false, "ramp_rate", "0..4", "ramp_duration", "2s"), 4, 2 * time.Second},
		{bounded(said(t, true), 0, time.Second), 0, 0},
	} {
		a, ok := c.spec.Asked()
		if ok != (c.over > 0) || ok && (a != Asked{c.requests, c.over}) {
			t.Errorf("%+v: %+v, %v", c.spec, a, ok)
		}
	}
}
