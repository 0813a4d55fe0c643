package stats

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/inferometer/inferometer/internal/testfiles"
)

// Published examples. The two tables are those of Fagerland, Lydersen and Laake (BMC Medical
// Research Methodology 13:91, 2013; Statistics in Medicine 33, 2014, for the intervals): airway
// hyper-responsiveness, 1, 1, 7, 12, and complete response, 59, 6, 16, 80.
func TestMcNemarPublished(t *testing.T) {
	for _, c := range []struct {
		pairs          Pairs
		exact          float64
		low, high, eps float64
	}{
		{Pairs{1, 7, 1, 12}, 0.0703, -0.517, -0.026, 5e-4},
		{Pairs{59, 16, 6, 80}, 0.0525, -0.124, -0.0054, 5e-4},
	} {
		p := c.pairs
		if got := McNemar(p.First, p.Second); math.Abs(got-c.exact) > 5e-5 {
			t.Errorf("%v: exact p %v, want %v", p, got, c.exact)
		}
		low, high := p.Interval(0.95)
		if math.Abs(low-c.low) > c.eps || math.Abs(high-c.high) > c.eps {
			t.Errorf("%v: interval %.4f to %.4f, want %v to %v", p, low, high, c.low, c.high)
		}
	}
}

// TestMcNemarEdges: nothing differs, all differ, nothing was asked.
func TestMcNemarEdges(t *testing.T) {
	for _, c := range []struct {
		first, second int
		want          float64
	}{{0, 0, 1}, {1, 0, 1}, {5, 0, 2.0 / 32}, {0, 6, 2.0 / 64}, {10, 10, 1}, {3, 9, 2 * 299.0 / 4096}} {
		if got := McNemar(c.first, c.second); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("McNemar(%d, %d) = %v, want %v", c.first, c.second, got, c.want)
		}
	}
	for _, p := range []Pairs{{}, {Both: 1}, {First: 3}, {Second: 3}, {Both: 500}, {Neither: 2, Second: 1}, {40, 1_000_000, 3, 9}} {
		low, high := p.Interval(0.95)
		if d := p.Difference(); !(low >= -1 && low <= d+1e-12 && d-1e-12 <= high && high <= 1) {
			t.Errorf("%v: the difference %v is not in %v to %v", p, d, low, high)
		}
		flipped := Pairs{p.Both, p.Second, p.First, p.Neither}
		if l, h := flipped.Interval(0.95); math.Abs(l+high) > 1e-9 || math.Abs(h+low) > 1e-9 {
			t.Errorf("%v: %v to %v, the other way round %v to %v", p, low, high, l, h)
		}
	}
	// Five hundred pairs that all agree still allow for some difference: z²/(n + z²).
	if low, high := (Pairs{Both: 500}).Interval(0.95); math.Abs(high-3.8415/503.8415) > 1e-5 || math.Abs(low+high) > 1e-9 {
		t.Errorf("no pair differs: %v to %v", low, high)
	}
}

// drawn are pairs of answers: right with probability first and second. With probability
// same both answers hang on one and the same draw (how hard the question is).
func drawn(random *rand.Rand, n int, first, second, same float64) (p Pairs) {
	for range n {
		u := random.Float64()
		v := u
		if random.Float64() >= same {
			v = random.Float64()
		}
		switch a, b := u < first, v < second; {
		case a && b:
			p.Both++
		case a:
			p.First++
		case b:
			p.Second++
		default:
			p.Neither++
		}
	}
	return p
}

// atMost fails where a share of n trials is above its bound by more than chance (five
// standard errors: once in three million tests).
func atMost(t *testing.T, what string, hits, n int, bound float64) {
	t.Helper()
	if share, slack := float64(hits)/float64(n), 5*math.Sqrt(bound*(1-bound)/float64(n)); share > bound+slack {
		t.Errorf("%s: %.3f, want at most %.3f (+ %.3f)", what, share, bound, slack)
	}
}

// TestMcNemarFalseAlarms: equal servers are called different in at most 5 % of cases, at
// any accuracy, however much their answers are alike, and the interval holds zero.
func TestMcNemarFalseAlarms(t *testing.T) {
	random := testfiles.Random(t)
	const trials = 2000
	for _, accuracy := range []float64{0.5, 0.7, 0.85, 0.95} {
		for _, same := range []float64{0, 0.5, 0.9, 0.99, 1} {
			alarms, missed := 0, 0
			for range trials {
				p := drawn(random, 500, accuracy, accuracy, same)
				if McNemar(p.First, p.Second) < 0.05 {
					alarms++
				}
				if low, high := p.Interval(0.95); low > 0 || high < 0 {
					missed++
				}
			}
			t.Logf("accuracy %.2f, alike %.2f: alarms %.1f %%, interval without zero %.1f %%", accuracy, same, 100*float64(alarms)/trials, 100*float64(missed)/trials)
			atMost(t, "false alarms", alarms, trials, 0.05)
			atMost(t, "intervals that miss", missed, trials, 0.065) // Tango's is not exact
		}
	}
}

// TestMcNemarPower: eight points on 500 questions. Answers of two configurations of one
// model are alike; those of two unrelated ones are not, and there it takes more questions.
func TestMcNemarPower(t *testing.T) {
	random := testfiles.Random(t)
	const trials = 2000
	for _, c := range []struct {
		first, same, least float64
	}{{0.8466, 0.5, 0.90}, {0.8466, 0.9, 0.99}, {0.7, 0.5, 0.90}, {0.6, 0.5, 0.90}, {0.6, 0.8, 0.99}, {0.95, 0.5, 0.95}, {0.95, 0, 0}, {0.8466, 0, 0}, {0.7, 0, 0}, {0.6, 0, 0}} {
		found, holds := 0, 0
		for range trials {
			p := drawn(random, 500, c.first, c.first-0.08, c.same)
			if McNemar(p.First, p.Second) < 0.05 {
				found++
			}
			if low, high := p.Interval(0.95); low <= -0.08 && -0.08 <= high {
				holds++
			}
		}
		t.Logf("%.4f against %.4f, alike %.1f: found %.1f %%, interval holds the truth %.1f %%", c.first, c.first-0.08, c.same, 100*float64(found)/trials, 100*float64(holds)/trials)
		atMost(t, "not found", trials-found, trials, 1-c.least)
		atMost(t, "intervals that miss", trials-holds, trials, 0.065)
	}
}
