package handoff

import (
	"math"
	"math/rand/v2"
	"testing"
)

// drawn are pairs as a system with this transfer would give them, on a machine that holds some of them up.
func drawn(seed uint64, perToken, fixed float64, repeats int) (groups [][]Sample) {
	r := rand.New(rand.NewPCG(seed, 7))
	for _, tokens := range []int{256, 512, 1024, 2048, 4096} {
		var g []Sample
		for range repeats {
			late := func() float64 {
				v := math.Abs(r.NormFloat64()) * 0.3e-3
				if r.Float64() < 0.05 {
					v += 20e-3 * r.Float64()
				}
				return v
			}
			alone := 5e-3 + 20e-6*float64(tokens)
			g = append(g, Sample{tokens, alone + late(), alone + fixed + perToken*float64(tokens) + late()})
		}
		groups = append(groups, g)
	}
	return groups
}

// TestKnownTransfer holds the split against systems whose transfer is known, on seeds of its own.
func TestKnownTransfer(t *testing.T) {
	inside, of := 0, 0
	for seed := range uint64(60) {
		perToken, fixed := []float64{5e-6, 20e-6, 80e-6}[seed%3], []float64{2e-3, 11e-3}[seed%2]
		s := Of(drawn(90_000+seed, perToken, fixed, 12))
		if !s.Known {
			t.Fatal("the split is not known")
		}
		if off := math.Abs(s.PerToken.Value/perToken - 1); off > 0.10 {
			t.Errorf("seed %d: %.3g s a token, and it is %.3g", seed, s.PerToken.Value, perToken)
		}
		if off := math.Abs(s.Fixed.Value - fixed); off > 0.5e-3 {
			t.Errorf("seed %d: %.3g s fixed, and it is %.3g", seed, s.Fixed.Value, fixed)
		}
		if of++; s.PerToken.Low <= perToken && perToken <= s.PerToken.High {
			inside++
		}
	}
	if share := float64(inside) / float64(of); share < 0.85 {
		t.Errorf("the truth is within %.0f %% of the intervals", 100*share)
	}
}

// TestNoTransfer: where nothing is transferred no bandwidth is claimed, but for one interval in twenty or so.
func TestNoTransfer(t *testing.T) {
	claimed := 0
	for seed := range uint64(60) {
		if _, ok := Of(drawn(91_000+seed, 0, 3e-3, 12)).Bandwidth(1000); ok {
			claimed++
		}
	}
	if claimed > 6 {
		t.Errorf("%d of 60 systems without a transfer got a bandwidth", claimed)
	}
}

func TestOneLength(t *testing.T) {
	s := Of([][]Sample{{{100, 0.010, 0.015}, {100, 0.010, 0.016}}})
	if s.Known || len(s.Lengths) != 1 {
		t.Errorf("of one length %+v", s)
	}
	if _, ok := s.Bandwidth(1); ok {
		t.Error("one length gives no bandwidth")
	}
}

// TestSecondGap: the sign is kept.
func TestSecondGap(t *testing.T) {
	g, ok := SecondGapOf([][]float64{{0.002, 0.010, 0.010}, {0.004, 0.010, 0.012, 0.010}, {0.5}})
	if !ok || g.Answers != 2 || math.Abs(g.Median-0.003) > 1e-9 || math.Abs(g.Excess+0.007) > 1e-9 {
		t.Errorf("%+v %v", g, ok)
	}
	if _, ok := SecondGapOf(nil); ok {
		t.Error("there is one of nothing")
	}
}

func TestBursts(t *testing.T) {
	quiet, burst := make([]float64, 50), make([]float64, 50)
	for i := range quiet {
		quiet[i], burst[i] = 0.01, 0.01+0.001*float64(i)
	}
	b, ok := BurstsOf(quiet, burst)
	if !ok || b.QuietP99 != 0.01 || b.BurstP99 < 0.05 {
		t.Errorf("%+v %v", b, ok)
	}
	if _, ok := BurstsOf(quiet[:5], burst); ok {
		t.Error("five gaps are too few")
	}
}

// TestManySecondGaps: of a hundred thousand answers some are kept, and their median is that of all.
func TestManySecondGaps(t *testing.T) {
	const answers = 100_000
	r := rand.New(rand.NewPCG(3, 4))
	var all SecondGaps
	for range answers {
		all.Add([]float64{0.002 + 0.008*r.Float64(), 0.010, 0.010})
	}
	g, ok := all.Result()
	if !ok || g.Answers != answers || math.Abs(g.Median-0.006) > 0.0002 || math.Abs(g.Excess+0.004) > 0.0002 {
		t.Errorf("%+v %v", g, ok)
	}
	if n := len(all.second); n > maxSecondGaps {
		t.Errorf("%d are kept", n)
	}
}
