package drawn

import (
	"maps"
	"math"
	"math/rand/v2"
	"strings"

	"github.com/inferometer/inferometer/internal/judge/result"
)

// Pool is runs of one size and one σ, of which tables are drawn: to measure each run anew would take hours.
type Pool []result.Result

// NewPools draws n runs of so many requests for each of Sigmas.
func NewPools(random *rand.Rand, requests, n int) ([]Pool, error) {
	out := make([]Pool, len(Sigmas))
	for i, sigma := range Sigmas {
		for range n {
			r, err := Run(random, requests, sigma)
			if err != nil {
				return nil, err
			}
			out[i] = append(out[i], r)
		}
	}
	return out, nil
}

// Change is how the second side differs from the first in truth, as logarithms of ratios.
type Change struct{ TTFT, TPOT float64 }

// Slower is a server all of whose times are longer by this share.
func Slower(share float64) Change { return Change{math.Log1p(share), math.Log1p(share)} }

// Of is the true change of a metric of a run, relative. E2EL has a part of both.
func (c Change) Of(r *result.Result, key string) float64 { return math.Expm1(c.log(r, key)) }

func (c Change) log(r *result.Result, key string) float64 {
	first := r.Values["mean_ttft_ms"] / r.Values["mean_e2el_ms"]
	whole := math.Log(first*math.Exp(c.TTFT) + (1-first)*math.Exp(c.TPOT))
	switch {
	case strings.Contains(key, "ttft"):
		return c.TTFT
	case strings.Contains(key, "tpot"), strings.Contains(key, "itl"):
		return c.TPOT
	case strings.Contains(key, "e2el"):
		return whole
	}
	return -whole // throughput, in a closed loop
}

// times makes a run slower.
func (c Change) times(r *result.Result) result.Result {
	out := *r
	out.Values, out.Intervals = maps.Clone(r.Values), maps.Clone(r.Intervals)
	for key := range out.Values {
		by := math.Exp(c.log(r, key))
		out.Values[key] *= by
		if i, ok := out.Intervals[key]; ok {
			i.Low, i.High = i.Low*by, i.High*by
			out.Intervals[key] = i
		}
	}
	return out
}

// Table draws repeats of two sides. drift is the standard deviation of what differs from run to run, as a logarithm: half of its
// variance is the whole run's, the other half that of the first token or of the tokens after it.
func (p Pool) Table(random *rand.Rand, repeats int, drift float64, truth Change) (a, b []result.Result) {
	order := random.Perm(len(p))
	draw := func(i int, c Change) result.Result {
		half := drift / math.Sqrt2
		whole := half * random.NormFloat64()
		c.TTFT += whole + half*random.NormFloat64()
		c.TPOT += whole + half*random.NormFloat64()
		return c.times(&p[order[i]])
	}
	for i := range repeats {
		a = append(a, draw(2*i, Change{}))
		b = append(b, draw(2*i+1, truth))
	}
	return a, b
}
