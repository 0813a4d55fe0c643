package verdict

import (
	"fmt"
	"math"
	"strings"
)

// samples holds each percentile asked for against the values that it rests on.
type samples struct{ manyTokens int64 }

func (c *samples) add(v *view) {
	if n, _ := v.got(); !v.Warmup && v.complete && max(n, v.TextTokens, v.chunks) > 1 {
		c.manyTokens++
	}
}

// needs is how many values a percentile takes: so many that one lies beyond it.
func needs(p float64) int64 {
	tail := min(p, 100-p) / 100
	if tail <= 0 { // the smallest or largest value is what it is
		return 1
	}
	return int64(math.Ceil(1/tail - 1e-6))
}

// have is how many values a metric has.
func (c *samples) have(f *facts, metric string) int64 {
	switch metric {
	case "itl":
		return f.gaps.n
	case "tpot":
		return c.manyTokens
	}
	return f.complete
}

func (c *samples) result(f *facts, _ limits) Check {
	switch {
	case f.measured == 0:
		return Check{Level: Invalid, Figure: "0 requests", Sentence: "no request was measured"}
	case f.complete == 0:
		return skip("no request completed, see outcomes")
	}
	var thin []string
	enough := true // requests were sent, had they not failed
	least := f.complete
	for _, m := range f.opt.PercentileMetrics {
		n := c.have(f, m)
		for _, p := range f.opt.Percentiles {
			if n > 0 && n < needs(p) { // a metric without values shows none
				thin = append(thin, fmt.Sprintf("p%g of %s (%d < %d)", p, m, n, needs(p)))
				least = min(least, n)
				enough = enough && f.measured >= needs(p)
			}
		}
	}
	value := float64(least)
	if len(thin) == 0 {
		return Check{Level: OK, Value: &value, Figure: fmt.Sprintf("%d requests", f.complete), Sentence: "each percentile asked for rests on enough samples"}
	}
	k := Check{
		Level: Suspect, Value: &value, Figure: fmt.Sprintf("%d samples", least),
		Sentence: "too few samples for " + strings.Join(thin, ", "),
		Effect:   "these percentiles are no more than the largest value; they would be others in the next run",
	}
	if enough && f.judge("outcomes").Level.Bad() {
		k.Because = "outcomes"
	}
	return k
}
