package results

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// ErrNothing says that a file holds no result that we know.
var ErrNothing = errors.New("no result of a known tool in it: inferometer, vllm bench serve (JSON, JSONL, or its console block in any text), " +
	"sglang, guidellm, aiperf, genai-perf, inference-perf, inferencex, llama-bench, locust")

// maxSize is how much of a file is read: a detailed result of a million requests is smaller.
const maxSize = 1 << 30

// ReadFile reads all runs in a file, in its order.
func ReadFile(path string) ([]Run, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.Size() > maxSize {
		return nil, fmt.Errorf("%s: %d bytes are too many for a result", path, info.Size())
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return Read(path, data)
}

// Read reads all runs in a file's bytes. The path only gives names.
func Read(path string, data []byte) ([]Run, error) {
	runs, err := read(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	stem := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	for i := range runs {
		r := &runs[i]
		r.Path = path
		if r.Name == "" {
			r.Name = stem
			if len(runs) > 1 {
				r.Name = fmt.Sprintf("%s #%d", stem, i+1)
			}
		}
	}
	distinct(runs)
	return runs, nil
}

func read(data []byte) ([]Run, error) {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	if begin := bytes.TrimSpace(data); len(begin) > 0 && (begin[0] == '{' || begin[0] == '[') {
		runs, err := readJSON(begin)
		if err == nil && len(runs) > 0 {
			return runs, nil
		}
		if text := readText(data); len(text) > 0 { // a log may begin with a bracket
			return text, nil
		}
		if err == nil {
			err = ErrNothing
		}
		return nil, err
	}
	if runs := readLlamaCSV(data); len(runs) > 0 {
		return runs, nil
	}
	if runs := readText(data); len(runs) > 0 {
		return runs, nil
	}
	return nil, ErrNothing
}

// distinct numbers runs of the same name: a table needs to tell them apart.
func distinct(runs []Run) {
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
