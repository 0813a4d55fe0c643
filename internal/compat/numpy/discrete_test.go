package numpy

import (
	"encoding/json"
	"math"
	"os"
	"testing"
)

// TestDiscreteDraws: the draws of NumPy's own legacy generator, made by testdata/discrete.py.
func TestDiscreteDraws(t *testing.T) {
	b, err := os.ReadFile("testdata/discrete.json")
	if err != nil {
		t.Fatal(err)
	}
	var golden struct {
		Cases []struct {
			Seed   uint64
			Name   string
			Args   []float64
			Values []float64
		}
	}
	if err := json.Unmarshal(b, &golden); err != nil || len(golden.Cases) < 20 {
		t.Fatalf("%d cases, %v", len(golden.Cases), err)
	}
	for _, c := range golden.Cases {
		r := NewRandomState(c.Seed)
		for i, want := range c.Values {
			var got float64
			switch c.Name {
			case "zipf":
				got = float64(r.Zipf(c.Args[0]))
			case "poisson":
				got = float64(r.Poisson(c.Args[0]))
			case "lognormal":
				got = r.LogNormal(c.Args[0], c.Args[1])
			case "uniform":
				got = r.Uniform(c.Args[0], c.Args[1])
			case "randint":
				got = float64(r.Randint(int64(c.Args[0]), int64(c.Args[1])))
			default:
				t.Fatalf("%s is unknown", c.Name)
			}
			// exp differs from libm's by a last bit here and there.
			if math.Abs(got-want) > 1e-14*math.Abs(want) {
				t.Fatalf("%s(%v) with the seed %d: draw %d is %v, want %v", c.Name, c.Args, c.Seed, i, got, want)
			}
		}
	}
}
