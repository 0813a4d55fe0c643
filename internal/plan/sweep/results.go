package sweep

import (
	"cmp"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/inferometer/inferometer/internal/compat/pyjson"
)

// ReadResults reads the summaries of an experiment, or of a folder of several, in the
// order of their names.
func ReadResults(dir string) ([]Object, error) {
	var all []Object
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() != summaryFile {
			return err
		}
		records, err := readSummary(path)
		all = append(all, records...)
		return err
	})
	if err != nil {
		return nil, err
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("there is no %s with results under %s; give the folder of an experiment", summaryFile, dir)
	}
	return all, nil
}

func readSummary(path string) ([]Object, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	v, err := parseJSON(b)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	list, ok := v.([]any)
	if !ok {
		return nil, fmt.Errorf("%s is no summary of a sweep: it holds no array", path)
	}
	var records []Object
	for _, e := range list {
		o, ok := e.(Object)
		if !ok {
			return nil, fmt.Errorf("%s is no summary of a sweep: its array holds something else than results", path)
		}
		records = append(records, o)
	}
	return records, nil
}

// valueOf is a variable of a result as a number. An infinite rate is a word in JSON.
func valueOf(o Object, key string) (float64, bool) {
	v := o.Get(key)
	switch v {
	case "inf":
		return math.Inf(1), true
	case "-inf":
		return math.Inf(-1), true
	}
	return numeric(v)
}

// known says by an error which variables there are, if one is in no result.
func known(records []Object, what string, keys ...string) error {
	all := columns(records)
	for _, key := range keys {
		if !slices.Contains(all, key) {
			slices.Sort(all)
			return fmt.Errorf("%w: %s: no result has %q; there are %s", ErrPlan, what, key, strings.Join(all, ", "))
		}
	}
	return nil
}

// group is the results in which some variables have the same values.
type group struct {
	keys    []string
	values  []any
	text    string // k=v of each
	records []Object
}

// groupBy splits results by variables, smallest values first.
func groupBy(records []Object, keys []string) []group {
	at := map[string]int{}
	var groups []group
	for _, o := range records {
		var values []any
		var parts []string
		for _, key := range keys {
			v := o.Get(key)
			values = append(values, v)
			parts = append(parts, key+"="+pyjson.Str(v))
		}
		text := strings.Join(parts, "\n")
		i, ok := at[text]
		if !ok {
			i = len(groups)
			at[text] = i
			groups = append(groups, group{keys: keys, values: values, text: text})
		}
		groups[i].records = append(groups[i].records, o)
	}
	slices.SortStableFunc(groups, func(a, b group) int { return slices.CompareFunc(a.values, b.values, compareValues) })
	return groups
}

// title is the group's values for a person.
func (g *group) title() string { return strings.ReplaceAll(g.text, "\n", ", ") }

// compareValues orders numbers by value, and before everything else, which is ordered by text.
func compareValues(a, b any) int {
	x, ok1 := numeric(a)
	y, ok2 := numeric(b)
	switch {
	case ok1 && ok2:
		return cmp.Compare(x, y)
	case ok1:
		return -1
	case ok2:
		return 1
	}
	return cmp.Compare(pyjson.Str(a), pyjson.Str(b))
}
