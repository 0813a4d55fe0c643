package sweep

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
)

// The variables that a workload can be explored by.
const (
	RequestRate    = "request_rate"
	MaxConcurrency = "max_concurrency"
)

// Workload is a sweep that finds its own levels of load: the serial and the batch
// extreme are run first, and levels between what they give are run then.
type Workload struct {
	Runner
	Var    string
	Levels int // with the two extremes
}

// usualPrompts is what bench serve sends unless told.
const usualPrompts = 1000

// Explore runs all levels of all combinations and writes the table.
func (w *Workload) Explore(ctx context.Context, drain <-chan struct{}) error {
	if w.Levels < 2 {
		return fmt.Errorf("%w: there must be at least 2 levels of load, the two extremes", ErrPlan)
	}
	for _, bench := range w.BenchParams {
		if bench.has(w.Var) {
			return fmt.Errorf("%w: %s is set in the parameters of the benchmark, but it is what is explored", ErrPlan, w.Var)
		}
	}
	return w.each(ctx, drain, w.levels)
}

func (w *Workload) levels(walk *walk, c comb) error {
	w.Log.say("[WL START]\nServe parameters: %s\nBench parameters: %s\nNumber of workload iterations: %d",
		orNone(w.Log.setting(c.serve).Text()), orNone(w.Log.setting(c.bench).Text()), w.Levels)
	defer w.Log.say("[WL END]")
	prompts, err := w.prompts(c.bench)
	if err != nil {
		return err
	}
	used := map[string]bool{}
	level := func(bench Item, value int) ([]Object, error) {
		at := w.at(c.serve, bench, value)
		if used[at.folder] {
			w.Log.say("%s=%d has been run", w.Var, value)
			return nil, nil
		}
		used[at.folder] = true
		records, err := w.runs(walk, at)
		if err != nil {
			w.records = append(w.records, records...)
		}
		return records, err
	}
	serial, err := level(c.bench.with(MaxConcurrency, json.Number("1")), 1)
	if err != nil {
		return err
	}
	batch, err := level(c.bench.with(MaxConcurrency, json.Number(strconv.Itoa(prompts))), prompts)
	w.records = append(w.records, serial...)
	if err != nil {
		return err
	}
	if w.DryRun {
		w.Log.say("the levels between are known when the extremes have been run")
		return nil
	}
	// The batch extreme comes last in the table, however early it was run.
	defer func() { w.records = append(w.records, batch...) }()
	values, err := w.between(serial, batch)
	if err != nil {
		return err
	}
	for _, v := range values {
		records, err := level(c.bench, v)
		if err != nil {
			return err
		}
		w.records = append(w.records, records...)
	}
	return nil
}

// at is the combination of a level; its folder names the level too.
func (w *Workload) at(serve, bench Item, value int) comb {
	text := strconv.Itoa(value)
	return comb{serve, bench.with(w.Var, json.Number(text)), combFolder(w.Dir, w.benchWord(), serve, bench, "WL-", w.Var+"="+text)}
}

// prompts is how many requests a run sends.
func (w *Workload) prompts(bench Item) (int, error) {
	text := strconv.Itoa(usualPrompts)
	if v, ok := flagValue(bench.Apply(w.Bench), "num-prompts"); ok {
		text = v
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		return 0, fmt.Errorf("num_prompts is %q: levels of load need a number of requests", text)
	}
	return n, nil
}

// between are the levels between the extremes.
func (w *Workload) between(serial, batch []Object) ([]int, error) {
	low, err := w.estimate(serial)
	if err != nil {
		return nil, err
	}
	high, err := w.estimate(batch)
	if err != nil {
		return nil, err
	}
	low, high = math.Ceil(low), math.Floor(high)
	w.Log.say("serial: %s=%.0f; batch: %s=%.0f", w.Var, low, w.Var, high)
	values := spread(low, high, w.Levels)
	if len(values) > 0 && values[0] < 1 {
		w.Log.say("levels below 1 are left out: a whole number of them can't be sent")
		values = slices.DeleteFunc(values, func(v int) bool { return v < 1 })
	}
	return values, nil
}

// spread gives n-2 evenly spaced values between two others, rounded, without duplicates.
func spread(low, high float64, n int) []int {
	var out []int
	for i := 1; i < n-1; i++ {
		v := float64(i)*((high-low)/float64(n-1)) + low // in numpy.linspace's order of operations
		out = append(out, int(math.RoundToEven(v)))
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// estimate is the mean load of some runs: the requests per second, or by Little's law
// the requests in flight.
func (w *Workload) estimate(runs []Object) (float64, error) {
	total := 0.0
	for _, o := range runs {
		v, err := metric(o, "request_throughput")
		if err != nil {
			return 0, err
		}
		if w.Var == MaxConcurrency {
			latency, err := metric(o, "mean_e2el_ms")
			if err != nil {
				return 0, err
			}
			v *= latency / 1000
		}
		total += v
	}
	return total / float64(len(runs)), nil
}

func metric(o Object, key string) (float64, error) {
	v := o.Get(key)
	f, ok := numeric(v)
	if !ok {
		return 0, fmt.Errorf("the benchmark's result has no %s, from which the next levels are computed", key)
	}
	return f, nil
}
