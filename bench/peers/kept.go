package main

import (
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// kept is one run of one client: all that the tables are made of.
type kept struct {
	Client  string   `json:"client"`
	Round   int      `json:"round"`
	Load    load     `json:"load"`
	Command []string `json:"command"` // folders and the address replaced by words
	Machine string   `json:"machine"`
	Average float64  `json:"load_average"` // when it began

	Exit    int     `json:"exit"` // -1: it was ended by us
	Seconds float64 `json:"seconds"`
	CPU     float64 `json:"cpu_seconds"` // of all its processes
	Peak    float64 `json:"peak_mb"`     // of all its processes at once; 0: not known

	Shown *shown `json:"shown,omitempty"` // nil: it has no result
	Why   string `json:"why,omitempty"`   // it has none
	Truth *truth `json:"truth"`
}

// shown is what a client says in its own result.
type shown struct {
	Values    map[string]float64 `json:"values"` // by vLLM's keys
	Completed int                `json:"completed"`
	Failed    *int               `json:"failed"` // nil: it doesn't tell
	Told      bool               `json:"told"`   // its console has that number beside a word for failure
}

const (
	ending  = ".json.gz"
	maxKept = 64 << 20 // of a file, unpacked
)

func (k *kept) write(folder string) error {
	name := fmt.Sprintf("%s-%d-%s%s", k.Load.Name, k.Round, strings.ReplaceAll(strings.ToLower(k.Client), ", ", "-"), ending)
	f, err := os.Create(filepath.Join(folder, name))
	if err != nil {
		return err
	}
	z, _ := gzip.NewWriterLevel(f, gzip.BestCompression)
	return errors.Join(json.NewEncoder(z).Encode(k), z.Close(), f.Close())
}

// readAll reads a folder of runs, in the order of their names.
func readAll(folder string) ([]kept, error) {
	names, err := filepath.Glob(filepath.Join(folder, "*"+ending))
	if err != nil {
		return nil, err
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("%s holds no raw files (*%s)", folder, ending)
	}
	var all []kept
	for _, name := range names {
		k, err := readOne(name)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		all = append(all, *k)
	}
	return all, nil
}

func readOne(name string) (*kept, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, err
	}
	var k kept
	if err := json.NewDecoder(io.LimitReader(z, maxKept)).Decode(&k); err != nil {
		return nil, err
	}
	if t := k.Truth; t == nil || len(t.First) != len(t.Begun) || len(t.Spread) != len(t.Begun) || len(t.Took) != len(t.Begun) || len(t.Tokens) != len(t.Begun) {
		return nil, errors.New("its truth is not whole")
	}
	return &k, nil
}
