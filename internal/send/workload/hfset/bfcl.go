package hfset

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/inferometer/inferometer/internal/compat/numpy"
	"github.com/inferometer/inferometer/internal/files/table"
	"github.com/inferometer/inferometer/internal/ordered"
)

// The Berkeley Function-Calling Leaderboard has a file for each category, which vLLM takes
// row by row in turn, and functions that are described in a way of its own.

var bfclCategories = []string{"simple", "live_simple", "multiple"}

var bfclName = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)

func bfclFiles(root string, o *Options) (files []string, err error) {
	categories := o.Categories
	if len(categories) == 0 {
		categories = bfclCategories
	}
	for _, c := range categories {
		if !bfclName.MatchString(c) {
			return nil, fmt.Errorf("%q is no category of BFCL", c)
		}
		file := filepath.Join(root, "BFCL_v3_"+c+".json")
		if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("there is no category %q: %s is not there (--bfcl-categories; usual are %s)", c, file, strings.Join(bfclCategories, ", "))
		} else if err != nil {
			return nil, err
		}
		files = append(files, file)
	}
	return files, nil
}

// bfclOrder takes a row of each file in turn, and shuffles as Python does.
func bfclOrder(s shards, o *Options) order {
	var all []place
	for row := 0; ; row++ {
		before := len(all)
		for file, n := range s.rows {
			if row < n {
				all = append(all, place{file, row})
			}
		}
		if len(all) == before {
			break
		}
	}
	if o.Shuffle {
		numpy.NewPython(o.Seed).Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	}
	return listed(all)
}

func readBFCL(row table.Object, _ *Options) (s Sample, ok bool, err error) {
	turns, _ := row.Get("question").([]any)
	functions, isList := row.Get("function").([]any)
	if one := row.Get("function"); !isList && one != nil {
		functions = []any{one}
	}
	if len(turns) == 0 || len(functions) == 0 {
		return s, false, nil
	}
	if s.Messages, _ = turns[0].([]any); len(s.Messages) == 0 {
		return s, false, nil
	}
	last, _ := s.Messages[len(s.Messages)-1].(table.Object)
	s.Prompt, _ = table.Text(last.Get("content"))
	for _, f := range functions {
		s.Tools = append(s.Tools, table.Object{{Key: "type", Value: "function"}, {Key: "function", Value: translated(f)}})
	}
	return s, true, nil
}

// bfclTypes are its names of types, and JSON Schema's.
var bfclTypes = map[string]string{"dict": "object", "float": "number", "tuple": "array", "any": "string"}

// translated gives types their names in JSON Schema.
func translated(v any) any {
	switch v := v.(type) {
	case table.Object:
		out := make(table.Object, len(v))
		for i, f := range v {
			out[i] = ordered.Member{Key: f.Key, Value: translated(f.Value)}
			if name, ok := out[i].Value.(string); ok && f.Key == "type" && bfclTypes[name] != "" {
				out[i].Value = bfclTypes[name]
			}
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = translated(e)
		}
		return out
	}
	return v
}
