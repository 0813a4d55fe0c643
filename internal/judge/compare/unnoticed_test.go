package compare

import (
	"math"
	"strings"
	"testing"

	"github.com/inferometer/inferometer/internal/judge/result"
	"github.com/inferometer/inferometer/internal/stats"
)

// What bench/mutation broke and nothing noticed: formulas, each by itself.

func exactly(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-9 {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

// A change is too low where B was measured too low or A too high: their errors on those sides make that of the change.
func TestSkewedErrorsStayOnTheirSides(t *testing.T) {
	a := estimate{known: true, bounded: true, value: 100, runs: 2, below: 0.01, above: 0.03, degrees: 5, under: 0.1, over: 0.2}
	b := estimate{known: true, bounded: true, value: 110, runs: 2, below: 0.02, above: 0.04, degrees: 5, under: 0.3, over: 0.5}
	c := changeOf(a, b)
	exactly(t, "the error below", c.below, math.Hypot(0.02, 0.03))
	exactly(t, "the error above", c.above, math.Hypot(0.04, 0.01))
	exactly(t, "what it may lie below", c.under, 0.3+0.2)
	exactly(t, "what it may lie above", c.over, 0.5+0.1)
}

// What a change may be off by towards no change is taken from it, and what it may be off by away from it is not.
func TestOnlyWhatLeadsTowardsNoChangeCountsAgainstIt(t *testing.T) {
	for _, sign := range []float64{1, -1} {
		c := &Change{log: sign * 0.1, below: 0.01, above: 0.01, degrees: 50}
		plain := c.tail()
		towards, away := &c.under, &c.over
		if sign < 0 {
			towards, away = away, towards
		}
		*away = 0.2
		exactly(t, "p beside what leads away", c.tail(), plain)
		*towards = 0.05
		exactly(t, "p without half of it", c.tail(), stats.StudentTail(5, 50))
		*towards = 0.2
		exactly(t, "p without all of it", c.tail(), 1)
	}
}

// The worst of all sides decides: one that is undecided does not hide another that is worse for certain.
func TestABrokenAccuracyBehindAnUndecidedOne(t *testing.T) {
	first := letters(500, func(i int) bool { return i < 400 })
	worse := letters(500, func(i int) bool { return i >= 40 && i < 400 })
	undecided := first[:480] + strings.Repeat("-", 20)
	g, err := ParseGate("accuracy")
	if err != nil {
		t.Fatal(err)
	}
	for _, order := range [][2]string{{undecided, worse}, {worse, undecided}, {first, worse}} {
		got, found, err := g.Judge(mustCompare(t, sides(resultOf(t, "a", 1000, evalOf(first)), resultOf(t, "b", 1000, evalOf(order[0])), resultOf(t, "c", 1000, evalOf(order[1])))))
		if err != nil || got != Broken {
			t.Errorf("%s: %+v, %v", got, found, err)
		}
	}
}

// The own error of a side's runs is the mean of their variances, however many runs there are.
func TestTheOwnErrorOfRepeatsIsTheirMean(t *testing.T) {
	side := known("a", 100, 0.02, "mean_ttft_ms")
	one := repeatsOf(&Side{Runs: side.Runs[:1]}, metricOf("mean_ttft_ms", nil), 0.95)
	all := repeatsOf(&side, metricOf("mean_ttft_ms", nil), 0.95)
	if len(all.runs) != 3 || one.below <= 0 || one.above <= 0 {
		t.Fatalf("%+v, %+v", one, all)
	}
	exactly(t, "the variance below of three runs", all.below/one.below, 1)
	exactly(t, "the variance above of three runs", all.above/one.above, 1)
}

// Yuen's error by hand: of five values the outermost are drawn in to the next ones, wherever they lie.
func TestTheTrimmedMeanByHand(t *testing.T) {
	for _, values := range [][]float64{{1, 2, 3, 4, 5}, {4, 3, 2, -100, 1000}} {
		c := trimmedOf(values)
		exactly(t, "the trimmed mean", c.at, 3)
		exactly(t, "its degrees of freedom", c.degrees, 2)
		// Drawn in: 2, 2, 3, 4, 4, of variance 1.
		exactly(t, "its error", c.err, math.Sqrt(1.0/5)/(3.0/5)*(1+fewKept/9))
	}
}

// A look at so many rounds is held against Student's quantile with the degrees of what is kept.
func TestTheDegreesOfATrimmedLook(t *testing.T) {
	const level = 0.01
	for n, kept := range map[int]int{5: 3, 9: 7, 10: 6, 15: 9} {
		bound := stats.StudentQuantile(1-level/2, float64(kept-1))
		for _, tt := range []struct{ t, want float64 }{{bound * 0.999, 0}, {bound * 1.001, 1}} {
			d := nulls{least: n, series: [][]nullLook{{{trimmed: tt.t}}}}
			if got := d.positives(level); got != tt.want {
				t.Errorf("%d rounds, t %.3f: %v positives, want %v", n, tt.t, got, tt.want)
			}
		}
	}
}

// A question that was asked on both sides and answered on one has failed on the other.
func TestFailedQuestionsOfEitherSide(t *testing.T) {
	base := letters(100, func(i int) bool { return i%5 != 0 })
	some := base[:90] + strings.Repeat("-", 10)
	of := func(right string) []result.Result { return []result.Result{resultOf(t, "x", 1, evalOf(right))} }
	if p := pairOf(of(base), of(some)); p.OnlyFirst != 10 || p.OnlySecond != 0 || p.Failed != 10 {
		t.Errorf("ten failed on the second side: %+v", p)
	}
	if p := pairOf(of(some), of(base)); p.OnlyFirst != 0 || p.OnlySecond != 10 || p.Failed != 10 {
		t.Errorf("ten failed on the first side: %+v", p)
	}
}

// A name with words of both directions tells none.
func TestANameOfBothDirections(t *testing.T) {
	for _, key := range []string{"error_score", "latency_per_s", "lossy_cost_accuracy"} {
		if m := metricOf(key, nil); !m.Unsure {
			t.Errorf("%s: higher is better: %v", key, m.Higher)
		}
	}
}

// The noise of a round is the deviation of an even spread between the ratios of the bounds.
func TestTheNoiseOfBoundsByHand(t *testing.T) {
	of := func(low, high float64) *result.Result {
		return &result.Result{Values: map[string]float64{"m": 100}, Bounds: map[string]result.Bounds{"m": {Low: low, High: high}}}
	}
	exactly(t, "the noise of one side's bounds", noiseOf(of(100, 100), of(90, 110), "m"), math.Log(110.0/90)/math.Sqrt(12))
	exactly(t, "the noise of bounds alike", noiseOf(of(90, 110), of(90, 110), "m"), 0)
	exactly(t, "the noise of no bounds", noiseOf(of(0, 0), of(0, 0), "m"), 0)
}
