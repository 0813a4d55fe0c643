// Package lengths draws numbers of tokens from a distribution that is written as
// kind:key=value,key=value.
//
//	fixed:len=512
//	uniform:min=100,max=900
//	normal:mean=512,std=128,min=1,max=4096
//	lognormal:mean=512,sigma=1,max=4096     (or median=)
//	zipf:a=1.2,min=16,max=8192
//	empirical:file=trace.jsonl              (a trace, or a whole number on each line)
//
// A length is the value of the distribution at one uniform number, so that it costs one
// draw, and bounds cut the distribution rather than heap up at its ends.
package lengths

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Most is the longest length.
const Most = 1 << 20

// Dist is a distribution as it was written.
type Dist struct {
	kind   *kind
	values map[string]float64 // all that the kind knows, defaults included
	file   string
	text   string
}

// kind is a family of distributions.
type kind struct {
	name     string
	needs    []string           // keys that must be given; a|b: one of them
	defaults map[string]float64 // keys that may be
	check    func(v map[string]float64) string
	quantile func(d *Dist) (quantile, error) // nil: it reads a file
}

// quantile is the value of a distribution at p, from 0 to 1.
type quantile func(p float64) float64

var bounds = map[string]float64{"min": 1, "max": Most}

var kinds = []*kind{
	{name: "fixed", needs: []string{"len"}, quantile: fixed},
	{name: "uniform", needs: []string{"min", "max"}, quantile: uniform},
	{name: "normal", needs: []string{"mean", "std"}, defaults: bounds, check: positive("mean", "std"), quantile: normal},
	{name: "lognormal", needs: []string{"mean|median", "sigma"}, defaults: bounds, check: positive("mean", "median", "sigma"), quantile: lognormal},
	{name: "zipf", needs: []string{"a", "max"}, defaults: bounds, check: positive("a"), quantile: zipf},
	{name: "empirical", needs: []string{"file"}},
}

// kindNames are the names of all kinds.
func kindNames() string {
	var names []string
	for _, k := range kinds {
		names = append(names, k.name)
	}
	return strings.Join(names, ", ")
}

// positive says which of some keys is not above 0.
func positive(keys ...string) func(map[string]float64) string {
	return func(v map[string]float64) string {
		for _, key := range keys {
			if x, given := v[key]; given && !(x > 0) {
				return fmt.Sprintf("must have a %s above 0, not %g", key, x)
			}
		}
		return ""
	}
}

// UnmarshalText reads a distribution.
func (d *Dist) UnmarshalText(text []byte) error {
	name, rest, _ := strings.Cut(strings.TrimSpace(string(text)), ":")
	i := slices.IndexFunc(kinds, func(k *kind) bool { return k.name == name })
	if i < 0 {
		return fmt.Errorf("must be a distribution such as lognormal:mean=512,sigma=1,max=4096, of the kinds %s, not %.60q", kindNames(), text)
	}
	parsed := Dist{kind: kinds[i], values: map[string]float64{}, text: strings.TrimSpace(string(text))}
	for rest != "" {
		var pair string
		if strings.HasPrefix(rest, "file=") {
			pair, rest = rest, "" // a name may have commas
		} else {
			pair, rest, _ = strings.Cut(rest, ",")
		}
		if err := parsed.set(pair); err != nil {
			return err
		}
	}
	if err := parsed.complete(); err != nil {
		return err
	}
	*d = parsed
	return nil
}

// set takes one key with its value.
func (d *Dist) set(pair string) error {
	key, value, found := strings.Cut(strings.TrimSpace(pair), "=")
	if !found || !d.kind.knows(key) {
		return fmt.Errorf("%s has the keys %s, as in key=value, not %.60q", d.kind.name, strings.Join(d.kind.keys(), ", "), pair)
	}
	if key == "file" {
		d.file = value
		return nil
	}
	v, err := strconv.ParseFloat(value, 64)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		return fmt.Errorf("needs a number as %s of %s, not %.60q", key, d.kind.name, value)
	}
	if _, twice := d.values[key]; twice {
		return fmt.Errorf("has %s twice", key)
	}
	d.values[key] = v
	return nil
}

func (k *kind) keys() []string {
	var keys []string
	for _, need := range k.needs {
		keys = append(keys, strings.Split(need, "|")...)
	}
	for _, key := range []string{"min", "max"} {
		if _, ok := k.defaults[key]; ok && !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	return keys
}

func (k *kind) knows(key string) bool { return slices.Contains(k.keys(), key) }

// complete fills in defaults and looks at all values together.
func (d *Dist) complete() error {
	for _, need := range d.kind.needs {
		n := 0
		for _, key := range strings.Split(need, "|") {
			if _, given := d.values[key]; given || key == "file" && d.file != "" {
				n++
			}
		}
		if n != 1 {
			return fmt.Errorf("%s needs %s", d.kind.name, strings.ReplaceAll(need, "|", " or "))
		}
	}
	for key, v := range d.kind.defaults {
		if _, given := d.values[key]; !given {
			d.values[key] = v
		}
	}
	for _, key := range []string{"len", "min", "max"} {
		if v, ok := d.values[key]; ok && (v != math.Trunc(v) || v < 1 || v > Most) {
			return fmt.Errorf("must have a %s from 1 to %d tokens, not %g", key, Most, v)
		}
	}
	if d.values["min"] > d.values["max"] {
		return fmt.Errorf("has a min of %g above its max of %g", d.values["min"], d.values["max"])
	}
	if d.kind.check != nil {
		if wrong := d.kind.check(d.values); wrong != "" {
			return fmt.Errorf("%s", wrong)
		}
	}
	return nil
}

// File is the one that the lengths come from; empty: they come from none.
func (d *Dist) File() string { return d.file }

// MarshalText writes what UnmarshalText reads.
func (d Dist) MarshalText() ([]byte, error) { return []byte(d.text), nil }

// Equal says whether two are written the same.
func (d Dist) Equal(other Dist) bool { return d.text == other.text }

// JSONSchema implements option.SchemaOf.
func (*Dist) JSONSchema() map[string]any {
	return map[string]any{"type": "string", "pattern": "^(" + strings.ReplaceAll(kindNames(), ", ", "|") + "):"}
}

// Column says which lengths of a trace are meant.
type Column int

// The columns.
const (
	Input Column = iota
	Output
)

// Sampler gives lengths.
type Sampler struct {
	at   quantile
	mean float64
}

// Sampler makes the distribution ready to be drawn from; of a trace it takes a column.
func (d *Dist) Sampler(of Column) (*Sampler, error) {
	q, err := quantile(nil), error(nil)
	if d.kind.quantile == nil {
		q, err = empirical(d.file, of)
	} else {
		q, err = d.kind.quantile(d)
	}
	if err != nil {
		return nil, err
	}
	s := &Sampler{at: q}
	const grid = 4096
	for i := range grid {
		s.mean += s.at((float64(i) + 0.5) / grid)
	}
	s.mean /= grid
	return s, nil
}

// At is the length for a uniform number in [0, 1).
func (s *Sampler) At(u float64) int { return int(s.at(u)) }

// Mean is about the mean length.
func (s *Sampler) Mean() float64 { return s.mean }

func fixed(d *Dist) (quantile, error) {
	n := d.values["len"]
	return func(float64) float64 { return n }, nil
}

func uniform(d *Dist) (quantile, error) {
	low, high := d.values["min"], d.values["max"]
	return func(p float64) float64 { return low + math.Floor(p*(high-low+1)) }, nil
}

// cut is a continuous distribution within the bounds, rounded to whole numbers: below is
// its distribution function, inverse the inverse of that.
func (d *Dist) cut(below func(x float64) float64, inverse func(p float64) float64) (quantile, error) {
	low, high := d.values["min"], d.values["max"]
	from, to := below(low-0.5), below(high+0.5)
	if !(to-from > 1e-9) {
		return nil, fmt.Errorf("next to nothing of %s lies from %g to %g", d.text, low, high)
	}
	return func(p float64) float64 {
		x := math.Round(inverse(from + p*(to-from)))
		return min(max(x, low), high)
	}, nil
}

func normal(d *Dist) (quantile, error) {
	mean, std := d.values["mean"], d.values["std"]
	return d.cut(
		func(x float64) float64 { return 0.5 * math.Erfc((mean-x)/(std*math.Sqrt2)) },
		func(p float64) float64 { return mean + std*math.Sqrt2*math.Erfinv(2*p-1) },
	)
}

// lognormal: its mean is that of the whole distribution, before the bounds cut it.
func lognormal(d *Dist) (quantile, error) {
	sigma := d.values["sigma"]
	mu := math.Log(d.values["median"])
	if mean, given := d.values["mean"]; given {
		mu = math.Log(mean) - sigma*sigma/2
	}
	return d.cut(
		func(x float64) float64 { return 0.5 * math.Erfc((mu-math.Log(x))/(sigma*math.Sqrt2)) },
		func(p float64) float64 { return math.Exp(mu + sigma*math.Sqrt2*math.Erfinv(2*p-1)) },
	)
}

// zipf: a length n from min to max has a weight of (n-min+1)^-a, so that the shortest is the most frequent.
func zipf(d *Dist) (quantile, error) {
	low := int(d.values["min"])
	sums := make([]float64, int(d.values["max"])-low+1)
	sum := 0.0
	for i := range sums {
		sum += math.Pow(float64(i+1), -d.values["a"])
		sums[i] = sum
	}
	return bySums(sums, func(i int) float64 { return float64(low + i) }), nil
}

// bySums finds a value by its share of all weights, which are summed up.
func bySums(sums []float64, value func(i int) float64) quantile {
	total := sums[len(sums)-1]
	return func(p float64) float64 {
		i, found := slices.BinarySearch(sums, p*total)
		if found {
			i++ // a sum belongs to the next
		}
		return value(min(i, len(sums)-1))
	}
}
