package compare

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/inferometer/inferometer/internal/judge/result"
)

var (
	tables     = flag.Int("tables", 40, "simulated tables for each number of TestFalseAlarms and TestPower; below 1000 only some of the numbers are made")
	tablesSeed = flag.Uint64("tables-seed", 20261115, "of those tables; not the one that the rules were chosen on")
)

// world is a set of servers whose truth is known: repeats of each differ by chance.
type world struct {
	name    string
	metrics []string
	change  float64                         // of the second side, in truth
	spread  func(side int) float64          // of one run, in logarithms
	noise   func(random *rand.Rand) float64 // of spread 1
	aside   bool                            // not the usual case
}

// table draws the runs of some sides. The metrics of one run resemble each other: half
// of their variance is the run's.
func (w *world) table(random *rand.Rand, sides, repeats int) []Side {
	out := make([]Side, sides)
	for i := range out {
		out[i].Name = fmt.Sprint(i)
		for range repeats {
			r := result.Result{Tool: result.VLLM, Values: map[string]float64{}}
			whole := w.noise(random)
			for _, key := range w.metrics {
				v := w.spread(i) * (whole + w.noise(random)) / math.Sqrt2
				if i == 1 {
					v += math.Log1p(w.change)
				}
				r.Values[key] = math.Pi * 100 * math.Exp(v)
			}
			out[i].Runs = append(out[i].Runs, r)
		}
	}
	return out
}

// rates are the shares of tables with a number called real that is not, and of changes
// of the second side's first metric that are called real.
func (w *world) rates(t *testing.T, random *rand.Rand, sides, repeats, tables int) (alarms, found float64) {
	t.Helper()
	for range tables {
		c := mustCompare(t, w.table(random, sides, repeats))
		alarm := false
		for _, row := range c.Rows {
			for side, cell := range row.Cells[1:] {
				isReal := cell.Change.Call == Real
				alarm = alarm || isReal && (side > 0 || w.change == 0)
			}
		}
		if alarm {
			alarms += 1 / float64(tables)
		}
		if c.Rows[0].Cells[1].Change.Call == Real {
			found += 1 / float64(tables)
		}
	}
	return alarms, found
}

func steady(spread float64) func(int) float64 { return func(int) float64 { return spread } }

var sixteen = []string{
	"request_throughput", "output_throughput", "total_token_throughput", "request_goodput",
	"mean_ttft_ms", "median_ttft_ms", "p99_ttft_ms", "mean_tpot_ms", "median_tpot_ms", "p99_tpot_ms",
	"mean_itl_ms", "median_itl_ms", "p99_itl_ms", "mean_e2el_ms", "median_e2el_ms", "p99_e2el_ms",
}

// TestFalseAlarms: of tables without any change at most one in twenty has a number that
// is called real, however few the repeats and however many the sides.
func TestFalseAlarms(t *testing.T) {
	slack := 3 * math.Sqrt(0.05*0.95/float64(*tables)) // of a share that is counted
	normal := (*rand.Rand).NormFloat64
	uneven := func(side int) float64 { return []float64{0.10, 0.01, 0.03}[side%3] }
	for _, w := range []world{
		{"16 metrics", sixteen, 0, steady(0.03), normal, false},
		{"one metric", sixteen[:1], 0, steady(0.03), normal, false},
		{"16 metrics, runs of each side differ by 10, 1, 3 %", sixteen, 0, uneven, normal, true},
		{"one metric, runs of each side differ by 10, 1, 3 %", sixteen[:1], 0, uneven, normal, true},
		{"16 metrics, rare large outliers", sixteen, 0, steady(0.03), heavy, true},
	} {
		t.Logf("| %s | 2 sides | 3 sides | 4 sides | 5 sides |", w.name)
		for _, repeats := range []int{2, 3, 5} {
			line := fmt.Sprintf("| %d repeats |", repeats)
			for sides := 2; sides <= 5; sides++ {
				if *tables < 1000 && w.aside && (sides == 3 || sides == 4) {
					continue
				}
				random := rand.New(rand.NewPCG(*tablesSeed, uint64(100*repeats+sides)))
				alarms, _ := w.rates(t, random, sides, repeats, *tables)
				line += fmt.Sprintf(" %.1f %% |", alarms*100)
				if alarms > 0.05+slack {
					t.Errorf("%s, %d sides with %d repeats: %.1f %% of tables without a change have one that is called real", w.name, sides, repeats, alarms*100)
				}
			}
			t.Log(line)
		}
	}
}

// TestPower: how often a change of a given size is found, for the table of docs/compare.md.
func TestPower(t *testing.T) {
	normal := (*rand.Rand).NormFloat64
	t.Log("| change, spread of runs, metrics | 2 repeats | 3 | 4 | 5 | 7 | 10 |")
	for _, c := range []struct {
		change, spread float64
		metrics        int
		want           map[int]float64 // at least this share is found, with so many repeats
	}{
		{0.10, 0.01, 1, map[int]float64{3: 0.95, 5: 0.99}},
		{0.10, 0.01, 16, map[int]float64{5: 0.99}},
		{0.10, 0.03, 1, map[int]float64{5: 0.9}},
		{0.10, 0.03, 16, map[int]float64{10: 0.9}},
		{0.05, 0.01, 1, map[int]float64{5: 0.95}},
		{0.05, 0.01, 16, map[int]float64{7: 0.9}},
		{0.05, 0.03, 1, nil},
		{0.05, 0.03, 16, nil},
	} {
		w := world{"", sixteen[:c.metrics], c.change, steady(c.spread), normal, false}
		line := fmt.Sprintf("| %+.0f %%, %.0f %%, %d |", c.change*100, c.spread*100, c.metrics)
		for _, repeats := range []int{2, 3, 4, 5, 7, 10} {
			if *tables < 1000 && c.want[repeats] == 0 {
				continue
			}
			random := rand.New(rand.NewPCG(*tablesSeed, uint64(1000+repeats)))
			_, found := w.rates(t, random, 2, repeats, *tables)
			line += fmt.Sprintf(" %.0f %% |", found*100)
			if want := c.want[repeats]; found < want-3*math.Sqrt(0.05/float64(*tables)) {
				t.Errorf("%+.0f %% with %.0f %%, %d metrics, %d repeats: found in only %.0f %%", c.change*100, c.spread*100, c.metrics, repeats, found*100)
			}
		}
		t.Log(line)
	}
}
