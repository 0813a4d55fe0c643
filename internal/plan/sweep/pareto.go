package sweep

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/inferometer/inferometer/internal/compat/pyjson"
	"github.com/inferometer/inferometer/internal/show/chart"
)

// Pareto says how users and devices are counted, and what is written beside the best.
type Pareto struct {
	UserVar string
	GPUVar  string // empty: the product of the parallel sizes
	LabelBy []string
}

// ParetoFigure is the figure and its counts.
type ParetoFigure struct {
	Figure
	Frontier int // results that no other beats in both
	NoUsers  int // results left out because they tell no number of users
	Invalid  int // results that are drawn, and that are no best one: they are INVALID
}

const (
	perUser = "tokens_per_user"
	perGPU  = "tokens_per_gpu"
)

// Figure draws what each user gets against what each GPU gives.
func (p *Pareto) Figure(records []Object) (*ParetoFigure, error) {
	f := &ParetoFigure{}
	var points []Object
	for _, o := range records {
		prepared, err := p.prepare(o)
		switch {
		case err != nil:
			return nil, err
		case prepared == nil:
			f.NoUsers++
		default:
			points = append(points, prepared)
		}
	}
	if len(points) == 0 {
		return nil, fmt.Errorf("%w: no result has both a throughput and a number of users (%s, request_rate or max_concurrent_requests)", ErrPlan, p.UserVar)
	}
	sound := slices.DeleteFunc(slices.Clone(points), invalid)
	best := frontier(sound)
	f.Points, f.Frontier, f.Invalid = len(points), len(best), len(points)-len(sound)
	all, line := chart.Series{Name: "All runs", Kind: chart.Points, Color: 7}, chart.Series{Name: "Pareto frontier", Kind: chart.LinePoints, Color: 1}
	for _, o := range points {
		all.X, all.Y = append(all.X, at(o, perUser)), append(all.Y, at(o, perGPU))
	}
	for _, o := range best {
		line.X, line.Y = append(line.X, at(o, perUser)), append(line.Y, at(o, perGPU))
		line.Labels = append(line.Labels, p.label(o))
	}
	f.Name, f.Zoom = "PARETO", 2
	f.Panels = [][]*chart.Chart{{{
		X: chart.Axis{Label: "Tokens/s/user"}, Y: chart.Axis{Label: "Tokens/s/GPU"},
		Width: 640, Height: 480, Series: []chart.Series{all, line},
	}}}
	return f, nil
}

// prepare adds to a result what is drawn of it; nil if users can't be told.
func (p *Pareto) prepare(o Object) (Object, error) {
	throughput, ok := count(o, "output_throughput")
	if !ok {
		return nil, fmt.Errorf("%w: a result has no output_throughput", ErrPlan)
	}
	users, ok := p.users(o)
	if !ok {
		return nil, nil
	}
	gpus := p.gpus(o)
	float := func(v float64) json.Number { return json.Number(pyjson.Float(v)) }
	return o.With(Object{
		{perUser, float(throughput / users)},
		{perGPU, float(throughput / gpus)},
		{"user_count_estimate", float(users)},
		{"gpu_count", float(gpus)},
	}), nil
}

// users is how many are served at once: what was set, else the most that there were.
func (p *Pareto) users(o Object) (float64, bool) {
	for _, key := range []string{p.UserVar, "request_rate", "max_concurrent_requests"} {
		if n, ok := count(o, key); ok && n > 0 {
			return n, true
		}
	}
	return 0, false
}

// gpus is how many devices the server had: what a variable says, or the product of
// the ways in which a model is split and copied.
func (p *Pareto) gpus(o Object) float64 {
	if n, ok := count(o, p.GPUVar); ok && n > 0 {
		return n
	}
	n := 1.0
	for _, names := range [][]string{{"tensor_parallel_size", "tp"}, {"pipeline_parallel_size", "pp"}, {"data_parallel_size", "dp"}} {
		for _, name := range names {
			if size, ok := count(o, name); ok && size > 0 {
				n *= size
				break
			}
		}
	}
	return n
}

// count is a finite number of a result, by a name with dashes or underscores; it may
// be written as text.
func count(o Object, key string) (float64, bool) {
	for _, m := range o {
		if key == "" || strings.ReplaceAll(m.Key, "-", "_") != strings.ReplaceAll(key, "-", "_") {
			continue
		}
		f, ok := numeric(m.Value)
		if text, isText := m.Value.(string); isText {
			var err error
			f, err = strconv.ParseFloat(text, 64)
			ok = err == nil
		}
		return f, ok && !math.IsInf(f, 0) && !math.IsNaN(f)
	}
	return 0, false
}

// frontier are the results that no other result beats in both, by rising tokens per user.
func frontier(points []Object) []Object {
	sorted := slices.Clone(points)
	slices.SortStableFunc(sorted, func(a, b Object) int {
		return cmp.Or(cmp.Compare(at(b, perUser), at(a, perUser)), cmp.Compare(at(b, perGPU), at(a, perGPU)))
	})
	var best []Object
	most := math.Inf(-1)
	for _, o := range sorted {
		if y := at(o, perGPU); y >= most-1e-9 {
			best = append(best, o)
			most = max(most, y)
		}
	}
	slices.Reverse(best)
	return best
}

func at(o Object, key string) float64 {
	v, _ := valueOf(o, key)
	return v
}

func (p *Pareto) label(o Object) string {
	var parts []string
	for _, key := range p.LabelBy {
		if o.Has(key) {
			v := o.Get(key)
			text := pyjson.Str(v)
			if n, isNumber := numeric(v); isNumber {
				text = strconv.FormatFloat(n, 'g', -1, 64)
			}
			parts = append(parts, key+"="+text)
		}
	}
	return strings.Join(parts, ", ")
}
