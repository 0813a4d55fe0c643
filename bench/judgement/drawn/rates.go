package drawn

import (
	"fmt"
	"io"
	"math"
	"math/rand/v2"

	"github.com/inferometer/inferometer/internal/judge/compare"
	"github.com/inferometer/inferometer/internal/judge/result"
)

// Judged is what compare said of one table, held against the truth.
type Judged struct {
	FalseReal bool            // a number is called real that did not change, or that changed the other way
	Dismissed bool            // a number is called within noise that changed by more than what matters
	Found     map[string]bool // called real, and so it is
	Differs   bool            // a number of one run per side is said to differ
	Gate      compare.Outcome
}

// interest is compare's: from here on a change matters.
const interest = 0.05

// Judge compares two sides whose true change is known.
func Judge(a, b []result.Result, truth Change, gate compare.Gate) (Judged, error) {
	out := Judged{Found: map[string]bool{}}
	c, err := compare.Compare([]compare.Side{{Name: "a", Runs: a}, {Name: "b", Runs: b}}, compare.Options{})
	if err != nil {
		return out, err
	}
	for i := range c.Rows {
		key, ch := c.Rows[i].Metric.Key, c.Rows[i].Cells[1].Change
		if ch == nil {
			continue
		}
		change := truth.Of(&a[0], key)
		switch ch.Call {
		case compare.Real:
			right := math.Abs(change) > 1e-9 && change*ch.Ratio > 0
			out.Found[key] = right
			out.FalseReal = out.FalseReal || !right
		case compare.Noise:
			out.Dismissed = out.Dismissed || math.Abs(change) > interest*1.01
		case "differs": // spelled out, so that this judges older versions too
			out.Differs = true
		}
	}
	if gate != nil {
		out.Gate, _, err = gate.Judge(c)
	}
	return out, err
}

// Rates are shares of tables.
type Rates struct {
	FalseReal, Dismissed, Differs float64
	Found                         map[string]float64 // by metric
	Any                           float64            // at least one number was found
	Kept, Broken                  float64            // the gate
}

// Of judges tables that are drawn of the pools in turns.
func Of(random *rand.Rand, pools []Pool, tables, repeats int, drift float64, truth Change, gate compare.Gate) (Rates, error) {
	r := Rates{Found: map[string]float64{}}
	one := 1 / float64(tables)
	for i := range tables {
		a, b := pools[i%len(pools)].Table(random, repeats, drift, truth)
		j, err := Judge(a, b, truth, gate)
		if err != nil {
			return r, err
		}
		found := false
		for key, right := range j.Found {
			if right {
				r.Found[key] += one
				found = true
			}
		}
		for sum, is := range map[*float64]bool{
			&r.FalseReal: j.FalseReal, &r.Dismissed: j.Dismissed, &r.Differs: j.Differs, &r.Any: found,
			&r.Kept: j.Gate == compare.Kept, &r.Broken: j.Gate == compare.Broken,
		} {
			if is {
				*sum += one
			}
		}
	}
	return r, nil
}

// Repeats, Drifts and Sizes are those of the table in docs/compare.md.
var (
	Repeats = []int{1, 2, 3, 5}
	Drifts  = []float64{0, 0.01, 0.03}
	Sizes   = []int{50, 200, 1000}
)

// Table writes the table of docs/compare.md: false alarms and power by size, drift and repeats.
func Table(w io.Writer, seed uint64, tables, pool int) error {
	fmt.Fprint(w, "| requests | drift | repeats | no change: a number is real | … differs | all +10 %: found | mean TPOT | output tok/s | mean TTFT | … differs |\n|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n")
	for _, size := range Sizes {
		random := rand.New(rand.NewPCG(seed, uint64(size)))
		pools, err := NewPools(random, size, pool)
		if err != nil {
			return err
		}
		for _, drift := range Drifts {
			for _, repeats := range Repeats {
				same, err := Of(random, pools, tables, repeats, drift, Change{}, nil)
				if err != nil {
					return err
				}
				slower, err := Of(random, pools, tables, repeats, drift, Slower(0.10), nil)
				if err != nil {
					return err
				}
				fmt.Fprintf(w, "| %d | %.0f %% | %d | %.1f | %.0f | %.0f | %.0f | %.0f | %.0f | %.0f |\n", size, 100*drift, repeats, 100*same.FalseReal, 100*same.Differs,
					100*slower.Any, 100*slower.Found["mean_tpot_ms"], 100*slower.Found["output_throughput"], 100*slower.Found["mean_ttft_ms"], 100*slower.Differs)
			}
		}
	}
	return nil
}
