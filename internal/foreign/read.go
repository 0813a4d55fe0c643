package foreign

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/inferometer/inferometer/internal/outside"
)

// ErrNothing says that a file holds no result that we know.
var ErrNothing = errors.New("no result of a known tool in it: inferometer, vllm bench serve (JSON, JSONL, or its console block in any text), " +
	"sglang, guidellm, aiperf, genai-perf, inference-perf, inferencex, llama-bench, locust")

// Bounds of what is read. A detailed result of a million short answers is smaller than
// maxSize; a text of maxText has more blocks than maxRuns.
const (
	maxSize = 256 << 20
	maxText = 32 << 20
	maxRuns = 10_000 // in a file
)

// ReadFile reads all runs in a file, in its order.
func ReadFile(path string) ([]Run, error) {
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
func Read(path string, data []byte) ([]Run, error) {
	runs, err := read(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if len(runs) > maxRuns {
		return nil, fmt.Errorf("%s: more than %d results in one file", path, maxRuns)
	}
	stem := outside.Word(strings.TrimSuffix(filepath.Base(path), filepath.Ext(path)))
	if stem == "" {
		stem = "result"
	}
	for i := range runs {
		r := &runs[i]
		r.Path = path
		if r.clean(); r.Name == "" {
			r.Name = stem
			if len(runs) > 1 {
				r.Name = fmt.Sprintf("%s #%d", stem, i+1)
			}
		}
		if r.measured(); len(r.Values) == 0 && !r.Facts.Nothing {
			return nil, fmt.Errorf("%s: a result of %s has no number that could be compared", path, r.Tool)
		}
	}
	distinct(runs)
	return runs, nil
}

// statistic of a latency, as in p99_ttft_ms.
var latencyKey = regexp.MustCompile(`^(?:mean|median|std|p[0-9.]+)_.+_ms$`)

// measured drops what was not: numbers that are none, and latencies of zero, which tools
// write where no request had one (none completed, or all answers were of one token).
func (r *Run) measured() {
	for key, v := range r.Values {
		absurd := !(v >= 0 && v < most) // also what is no number
		if absurd || v == 0 && latencyKey.MatchString(key) && !strings.HasPrefix(key, "std_") {
			delete(r.Values, key)
		}
	}
}

func read(data []byte) ([]Run, error) {
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
			err = ErrNothing
		}
		return nil, err
	}
	for _, table := range []func([]byte) []Run{readLlamaCSV, readLocustCSV} {
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
	return nil, ErrNothing
}

// distinct tells runs of the same name apart: by the variables that were set for them and
// by their loads, where they differ in those, and by a number.
func distinct(runs []Run) {
	apart(runs, func(r *Run) string { return r.Facts.Environment })
	apart(runs, func(r *Run) string { return r.Facts.Load() })
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
func apart(runs []Run, word func(*Run) string) {
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
