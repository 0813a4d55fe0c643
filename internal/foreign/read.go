// Package foreign reads the result files of any tool of this field into one form,
// so that they can be compared: our own, vLLM's JSON and console block (also inside
// a Markdown note or a log), GuideLLM, AIPerf and genai-perf, SGLang, llama-bench,
// inference-perf, InferenceX, and locust's summary of fw-ai/benchmark.
//
// One file a format, each listed once in [formats]; a format says whether bytes are
// its own and turns them into results.
package foreign

import (
	"bytes"
	"fmt"
	"io"
	"os"

	"github.com/inferometer/inferometer/internal/judge/result"
)

// Bounds of what is read. A detailed result of a million short answers is smaller than
// maxSize; a text of maxText has more blocks than maxRuns.
const (
	maxSize = 256 << 20
	maxText = 32 << 20
	maxRuns = 10_000 // in a file
)

// ReadFile reads all runs in a file, in its order.
func ReadFile(path string) ([]result.Result, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := atMost(f, maxSize)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return Read(path, data)
}

// atMost reads so many bytes at the most: what is no regular file tells no size.
func atMost(r io.Reader, limit int64) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err != nil {
		return nil, err
	}
	if int64(len(data)) > limit {
		return nil, fmt.Errorf("more than %d MB are too many for a result", limit>>20)
	}
	return data, nil
}

// Read reads all runs in a file's bytes. The path only gives names.
func Read(path string, data []byte) ([]result.Result, error) {
	runs, err := read(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if len(runs) > maxRuns {
		return nil, fmt.Errorf("%s: more than %d results in one file", path, maxRuns)
	}
	stem := result.Stem(path)
	for i := range runs {
		r := &runs[i]
		r.Path = path
		if r.Clean(); r.Name == "" {
			r.Name = stem
			if len(runs) > 1 {
				r.Name = fmt.Sprintf("%s #%d", stem, i+1)
			}
		}
		if len(r.Values) == 0 && !r.Facts.Nothing {
			return nil, fmt.Errorf("%s: a result of %s has no number that could be compared", path, r.Tool)
		}
	}
	distinct(runs)
	return runs, nil
}

func read(data []byte) ([]result.Result, error) {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	if begin := bytes.TrimSpace(data); len(begin) > 0 && (begin[0] == '{' || begin[0] == '[') {
		runs, err := readJSON(begin)
		if err == nil && len(runs) > 0 {
			return runs, nil
		}
		if len(data) <= maxText {
			if text := readText(data); len(text) > 0 { // a log may begin with a bracket
				return text, nil
			}
		}
		if err == nil {
			err = result.ErrNothing
		}
		return nil, err
	}
	for _, table := range []func([]byte) []result.Result{readLlamaCSV, readLocustCSV} {
		if runs := table(data); len(runs) > 0 {
			return runs, nil
		}
	}
	if len(data) > maxText {
		return nil, fmt.Errorf("a text of more than %d MB is too long", maxText>>20)
	}
	if runs := readText(data); len(runs) > 0 {
		return runs, nil
	}
	return nil, result.ErrNothing
}

// distinct tells runs of the same name apart: by the variables that were set for them and
// by their loads, where they differ in those, and by a number.
func distinct(runs []result.Result) {
	apart(runs, func(r *result.Result) string { return r.Facts.Environment })
	apart(runs, func(r *result.Result) string { return r.Facts.Load() })
	count := map[string]int{}
	for i := range runs {
		count[runs[i].Name]++
	}
	seen := map[string]int{}
	for i := range runs {
		name := runs[i].Name
		if count[name] > 1 {
			seen[name]++
			runs[i].Name = fmt.Sprintf("%s (%d)", name, seen[name])
		}
	}
}

// apart adds a word to the names of runs that share theirs and differ in the word.
func apart(runs []result.Result, word func(*result.Result) string) {
	words := map[string]map[string]bool{}
	for i := range runs {
		if words[runs[i].Name] == nil {
			words[runs[i].Name] = map[string]bool{}
		}
		words[runs[i].Name][word(&runs[i])] = true
	}
	for i := range runs {
		r := &runs[i]
		if w := word(r); len(words[r.Name]) > 1 && w != "" {
			r.Name += " " + w
		}
	}
}
