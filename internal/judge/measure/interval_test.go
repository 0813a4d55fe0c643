package measure

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/inferometer/inferometer/internal/judge/row"
	"github.com/inferometer/inferometer/internal/judge/sample"
	"github.com/inferometer/inferometer/internal/stats"
)

// sampleOf is a sample whose statistics have been asked for, and its chain.
func sampleOf(values []float64) (*sample.Sample, *stats.Chain, sample.Stats) {
	s := sample.New(0)
	for _, v := range values {
		s.Add(v)
	}
	st := s.Stats([]float64{95, 99})
	c := stats.InSequence(values)
	return s, &c, st
}

// draws are lognormal values, each of which stays for a while.
func draws(seed uint64, n, stay int) []float64 {
	random := rand.New(rand.NewPCG(seed, 1))
	out := make([]float64, n)
	for i := range out {
		if i%stay == 0 {
			out[i] = math.Exp(random.NormFloat64())
			continue
		}
		out[i] = out[i-1]
	}
	return out
}

// Values that come ten at a time are worth a tenth, and their intervals are √10 as wide.
func TestCorrelatedValuesAreWorthLess(t *testing.T) {
	s, c, st := sampleOf(draws(1, 5000, 1))
	s10, c10, st10 := sampleOf(draws(1, 5000, 10))
	for _, in := range []struct {
		name   string
		of     sample.Interval
		of10   sample.Interval
		method string
	}{
		{"median", sample.PercentileInterval(s, c, 50, st.Median), sample.PercentileInterval(s10, c10, 50, st10.Median), sample.ByOrderStatistics},
		{"p95", sample.PercentileInterval(s, c, 95, st.Percentiles[0].Value), sample.PercentileInterval(s10, c10, 95, st10.Percentiles[0].Value), sample.ByOrderStatistics},
		{"mean", sample.MeanInterval(&st, c), sample.MeanInterval(&st10, c10), sample.ByLongRunVariance},
	} {
		if in.of.Method != in.method || in.of.N != 5000 || in.of.Reason != "" {
			t.Errorf("%s: %+v", in.name, in.of)
		}
		if in.of.Effective < 2500 || in.of.Effective > 5000 {
			t.Errorf("%s: 5000 independent values are worth %v", in.name, in.of.Effective)
		}
		if in.of10.Effective < 200 || in.of10.Effective > 900 {
			t.Errorf("%s: 500 values ten times over are worth %v", in.name, in.of10.Effective)
		}
		if *in.of.Low > in.of.Estimate || *in.of.High < in.of.Estimate {
			t.Errorf("%s: the estimate lies outside: %+v", in.name, in.of)
		}
		if ratio := in.of10.HalfWidth() / in.of.HalfWidth(); ratio < 2 || ratio > 6 {
			t.Errorf("%s: the interval is %v times as wide, want about 3.2", in.name, ratio)
		}
	}
}

func TestIntervalsThatCannotBeHad(t *testing.T) {
	s, c, st := sampleOf(draws(2, 36, 1))
	for _, tt := range []struct {
		name      string
		in        sample.Interval
		low, high bool
		reason    string
	}{
		{"p99 of 36", sample.PercentileInterval(s, c, 99, st.Percentiles[1].Value), true, false, "no upper end: 36 values"},
		{"the maximum", sample.PercentileInterval(s, c, 100, st.Max), false, false, "an extreme"},
		{"median of 36", sample.PercentileInterval(s, c, 50, st.Median), true, true, ""},
		{"mean of 36", sample.MeanInterval(&st, c), true, true, ""},
		{"mean of five", shortMean(), false, false, "5 values are fewer than the 10"},
		{"median of nothing", sample.PercentileInterval(sample.New(0), &stats.Chain{}, 50, 0), false, false, "no values"},
		{"rate of nothing", sample.RateInterval(make([]float64, rateSlots), 0, 0, 0), false, false, "0 requests"},
		{"rate of one block", sample.RateInterval(oneBlock(), 10, 10, 100), true, true, "may be too narrow"},
	} {
		if (tt.in.Low != nil) != tt.low || (tt.in.High != nil) != tt.high || !strings.Contains(tt.in.Reason, tt.reason) ||
			(tt.reason == "") != (tt.in.Reason == "") {
			t.Errorf("%s: %+v", tt.name, tt.in)
		}
		if !(tt.low && tt.high) && !math.IsInf(tt.in.HalfWidth(), 1) {
			t.Errorf("%s: a half width without an end: %v", tt.name, tt.in.HalfWidth())
		}
	}
}

func shortMean() sample.Interval {
	_, c, st := sampleOf(draws(3, 5, 1))
	return sample.MeanInterval(&st, c)
}

// oneBlock is a rate that was there for the first half of the run only.
func oneBlock() []float64 {
	slots := make([]float64, rateSlots)
	for i := range slots[:rateSlots/2] {
		slots[i] = 100.0 / (rateSlots / 2)
	}
	return slots
}

func TestRateInterval(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 4))
	slots := make([]float64, rateSlots)
	for range 10_000 {
		slots[random.IntN(rateSlots)]++
	}
	in := sample.RateInterval(slots, 100, 100, 10_000) // 100 a second; Poisson: ± 2 %
	if half := in.HalfWidth(); half < 0.012 || half > 0.03 || in.Reason != "" || in.Effective != 40 {
		t.Errorf("%+v, half width %v", in, half)
	}
}

// Gaps of many streams that wait for the same step are worth no more than steps.
func TestGapsOfOneStepAreOne(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 5))
	g := gapLog{limit: gapLogLen}
	const steps, streams = 1000, 20
	for step := range int64(steps) {
		gap := int64(10e6 * math.Exp(0.3*random.NormFloat64()))
		for range streams {
			g.add(step*10e6, gap)
		}
	}
	s := sample.New(0)
	for _, v := range g.values {
		s.Add(v)
	}
	c := g.chain()
	st := s.Stats(nil)
	in := sample.PercentileInterval(s, &c, 50, st.Median)
	if in.N != steps*streams || in.Effective < steps/3 || in.Effective > steps*2 {
		t.Errorf("%d gaps of %d steps are worth %v", in.N, steps, in.Effective)
	}
	g.limit = len(g.values)
	if g.add(1, 1); len(g.values) != steps*streams {
		t.Error("the log grew beyond its limit")
	}
}

// Aggregates keep no rows, and still has the intervals of latencies and rates that
// slots count, close to those of rows.
func TestIntervalsOfACrowd(t *testing.T) {
	exact := measured(t, crowded(600), Options{})
	many := measured(t, crowded(600), Options{RowLimit: 300})
	byKey := map[string]sample.Interval{}
	for _, in := range exact.Confidence.Intervals {
		byKey[in.Key] = in.Interval
	}
	if len(byKey) != len(exact.Confidence.Intervals) || len(byKey) < 20 {
		t.Fatalf("%d keys of %d intervals", len(byKey), len(exact.Confidence.Intervals))
	}
	for _, in := range many.Confidence.Intervals {
		want := byKey[in.Key]
		if in.Key == "total_token_throughput" || in.Key == "request_goodput" {
			if in.Low != nil || in.Reason == "" {
				t.Errorf("%s: %+v", in.Key, in)
			}
			continue
		}
		if math.Abs(in.Estimate-want.Estimate) > 0.01*want.Estimate || in.N != want.N {
			t.Errorf("%s: %+v, want about %+v", in.Key, in.Interval, want)
		}
		if (in.Low == nil) != (want.Low == nil) {
			t.Errorf("%s: low %v, want %v", in.Key, in.Low, want.Low)
		}
	}
}

// Where requests go in step, there are too few waves for an interval: it is said how many requests would give one, and with as many of the
// same kind there is one.
func TestTooFewWaves(t *testing.T) {
	_, c, st := sampleOf(draws(3, 48, 16))
	in := sample.MeanInterval(&st, c)
	in.Ask(48)
	if in.Low != nil || !strings.Contains(in.Reason, "too few independent waves") || !strings.Contains(in.Reason, "send about ") {
		t.Fatalf("%+v", in)
	}
	_, more, st := sampleOf(draws(3, int(3*in.Needed), 16))
	if with := sample.MeanInterval(&st, more); with.Low == nil {
		t.Errorf("of %.0f there is none either: %+v", 3*in.Needed, with)
	}
}

// Eight clients whose requests all take the same time end in waves. Their rate is as steady as can be, and its interval says so:
// counted where requests end it was half as wide as the rate itself.
func TestWavesAreASteadyRate(t *testing.T) {
	const clients, waves, each = 8, 16, int64(1_300_000_000)
	var e evidence
	for wave := range int64(waves) {
		for client := range int64(clients) {
			late := client * 2_000_000
			e.rows = append(e.rows, row.Row{OK: true, Sent: wave*each + late, End: (wave+1)*each + late})
		}
	}
	duration := seconds(waves*each + clients*2_000_000)
	slots := e.slots(duration, func(*row.Row) float64 { return 1 })
	sum := 0.0
	for _, v := range slots {
		sum += v
	}
	if math.Abs(sum-clients*waves) > 1e-9*sum {
		t.Errorf("%v requests in the slots, of %d", sum, clients*waves)
	}
	rate := clients * waves / duration
	in := sample.RateInterval(slots, duration, rate, clients*waves)
	if in.Low == nil || in.High == nil || *in.High-*in.Low > 0.1*rate {
		t.Errorf("%.2f req/s has the interval %+v", rate, in)
	}
}
