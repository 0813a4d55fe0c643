// Package sweep is vLLM's `bench sweep`: many settings of a server times many of a
// benchmark, each run a few times, with the results in files that plots are made of.
//
//	parameter files ─▶ combinations ─▶ a server for each setting of it ─▶ a benchmark command for each run
//	                                                                          │
//	    plot, plot_pareto ◀── summary.json of each combination, summary.csv ◀─┘
//
// The package knows no load and no metric of ours: a server and a benchmark are
// command lines, and a result is a JSON object. So it works with any program that
// takes vLLM's flags, and its folders are those that vLLM's own plots read.
package sweep

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/inferometer/inferometer/internal/compat/pyjson"
)

// Params are the settings of one parameter file, in its order.
type Params []Item

// Item is one setting: flags by their names. The key _benchmark_name names it.
type Item Object

// nameKey is no flag but the setting's name.
const nameKey = "_benchmark_name"

// NoParams is the command as it is.
func NoParams() Params { return Params{Item{}} }

// ReadParams reads a parameter file.
func ReadParams(file string) (Params, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	p, err := ParseParams(b)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return p, nil
}

// ParseParams reads a list of objects, or an object of named objects.
func ParseParams(b []byte) (Params, error) {
	v, err := parseJSON(b)
	if err != nil {
		return nil, err
	}
	var p Params
	switch v := v.(type) {
	case []any:
		for i, e := range v {
			o, ok := e.(Object)
			if !ok {
				return nil, fmt.Errorf("item %d is no object of flags, as in {\"max_num_seqs\": 32}", i)
			}
			p = append(p, Item(o))
		}
	case Object:
		for _, m := range v {
			o, ok := m.Value.(Object)
			if !ok {
				return nil, fmt.Errorf("%q is no object of flags, as in {\"max_num_seqs\": 32}", m.Key)
			}
			p = append(p, Item(Object{{nameKey, m.Key}}.With(o)))
		}
	default:
		return nil, errors.New("parameters are a list of objects, or an object of named objects")
	}
	if len(p) == 0 {
		return nil, errors.New("there is no setting in it; [{}] runs the command as it is")
	}
	return p, p.uniqueNames()
}

func (p Params) uniqueNames() error {
	seen := map[string]bool{}
	for _, it := range p {
		if !Object(it).Has(nameKey) {
			continue
		}
		name := pyjson.Str(Object(it).Get(nameKey))
		if seen[name] {
			return fmt.Errorf("%s %q is there twice", nameKey, name)
		}
		seen[name] = true
	}
	return nil
}

// Name is the setting's name: _benchmark_name, or all its flags and values.
func (it Item) Name() string {
	if Object(it).Has(nameKey) {
		return pyjson.Str(Object(it).Get(nameKey))
	}
	return it.text("-")
}

// Text is all flags and values, for people.
func (it Item) Text() string { return it.text(", ") }

func (it Item) text(sep string) string {
	var parts []string
	for _, m := range it {
		if m.Key != nameKey {
			parts = append(parts, m.Key+"="+pyjson.Str(m.Value))
		}
	}
	return strings.Join(parts, sep)
}

// String is the setting as Python prints a dict.
func (it Item) String() string { return pyjson.Repr(Object(it)) }

// has says whether a flag is set, however its words are joined.
func (it Item) has(key string) bool {
	for _, m := range it {
		if flagName(m.Key) == flagName(key) {
			return true
		}
	}
	return false
}

// with is a copy with one more flag set.
func (it Item) with(key string, value any) Item { return Item(Object(it).With(Object{{key, value}})) }
