package sweep

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/inferometer/inferometer/internal/compat/pyjson"
)

// Filter keeps the results in which a variable compares so with a value.
type Filter struct{ Var, Op, Value string }

// The longer ones come first: < stands in <= too.
var filterOps = []string{"==", "!=", "<=", ">=", "<", ">"}

// ParseFilters reads conditions between commas, as in max_concurrency<=64.
func ParseFilters(text string) ([]Filter, error) {
	if text == "" {
		return nil, nil
	}
	var out []Filter
	for item := range strings.SplitSeq(text, ",") {
		f, err := parseFilter(item)
		if err != nil {
			return nil, err
		}
		out = append(out, f)
	}
	return out, nil
}

func parseFilter(item string) (Filter, error) {
	for _, op := range filterOps {
		name, value, ok := strings.Cut(item, op)
		if !ok {
			continue
		}
		f := Filter{strings.TrimSpace(name), op, strings.Trim(strings.Trim(strings.TrimSpace(value), "'"), `"`)}
		if _, err := strconv.ParseFloat(f.Value, 64); err != nil && op != "==" && op != "!=" {
			return f, fmt.Errorf("%q compares with %q, which is no number", item, f.Value)
		}
		return f, nil
	}
	return Filter{}, fmt.Errorf("%q is no condition; use one of %s", item, strings.Join(filterOps, " "))
}

// keeps says whether a result stays. What is missing equals nothing and is neither
// more nor less, as in pandas.
func (f *Filter) keeps(o Object) bool {
	want, wantErr := strconv.ParseFloat(f.Value, 64)
	got, isNumber := valueOf(o, f.Var)
	v := o.Get(f.Var)
	text, isText := v.(string)
	equal := wantErr == nil && isNumber && got == want || wantErr != nil && isText && text == f.Value
	switch f.Op {
	case "==":
		return equal
	case "!=":
		return !equal
	case "<":
		return isNumber && got < want
	case "<=":
		return isNumber && got <= want
	case ">":
		return isNumber && got > want
	}
	return isNumber && got >= want
}

// Bin rounds a variable down to a multiple of a size.
type Bin struct {
	Var  string
	Size float64
}

// ParseBins reads var%size between commas.
func ParseBins(text string) ([]Bin, error) {
	if text == "" {
		return nil, nil
	}
	var out []Bin
	for item := range strings.SplitSeq(text, ",") {
		name, size, ok := strings.Cut(item, "%")
		v, err := strconv.ParseFloat(strings.TrimSpace(size), 64)
		if !ok || err != nil || !(v > 0) || math.IsInf(v, 0) {
			return nil, fmt.Errorf("%q is no bin, as in max_concurrency%%8", item)
		}
		out = append(out, Bin{strings.TrimSpace(name), v})
	}
	return out, nil
}

func (b *Bin) apply(o Object) Object {
	v, ok := valueOf(o, b.Var)
	if !ok || math.IsInf(v, 0) {
		return o
	}
	return o.With(Object{{b.Var, json.Number(pyjson.Float(math.Floor(v/b.Size) * b.Size))}})
}
