package workload

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/inferometer/inferometer/internal/send/workload/lengths"
)

// referenceCase is a dataset made in Python by testdata/make_prompts.py.
type referenceCase struct {
	Dataset, Tokenizer string
	NumPrompts         int `json:"num_prompts"`
	Seed               uint64
	InputLen           int `json:"input_len"`
	OutputLen          int `json:"output_len"`
	PrefixLen          int `json:"prefix_len"`
	SuffixLen          int `json:"suffix_len"`
	NumPrefixes        int `json:"num_prefixes"`
	Ratio              float64
	Rows               [][3]any // start of the prompt's hash, tokens, output tokens
	After              string   // NumPy's next uniform number
}

func (c referenceCase) options(t *testing.T) Options {
	o := Options{Dataset: c.Dataset, NumPrompts: c.NumPrompts, Seed: c.Seed, Tokenizer: testTokenizer(t, c.Tokenizer)}
	switch c.Dataset {
	case "random":
		o.Own = &RandomOptions{InputLen: c.InputLen, OutputLen: c.OutputLen, PrefixLen: c.PrefixLen, RangeRatio: lengths.RangeRatio{Input: c.Ratio, Output: c.Ratio}}
	case "prefix_repetition":
		o.Own = &PrefixRepetitionOptions{PrefixLen: c.PrefixLen, SuffixLen: c.SuffixLen, NumPrefixes: c.NumPrefixes, OutputLen: c.OutputLen}
	case "sonnet":
		o.Own = &SonnetOptions{c.InputLen, c.OutputLen, c.PrefixLen}
	}
	return o
}

func TestRequestsAreThoseOfThePythonReference(t *testing.T) {
	b, err := os.ReadFile(filepath.Join("testdata", "prompts.json"))
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Cases []referenceCase }
	if err := json.Unmarshal(b, &file); err != nil {
		t.Fatal(err)
	}
	for _, c := range file.Cases {
		t.Run(fmt.Sprintf("%s %s seed %d", c.Dataset, c.Tokenizer, c.Seed), func(t *testing.T) {
			d, err := Open(c.options(t))
			if err != nil {
				t.Fatal(err)
			}
			if d.Len() != len(c.Rows) {
				t.Fatalf("Len %d, want %d", d.Len(), len(c.Rows))
			}
			for i, want := range c.Rows {
				r, err := d.Next()
				if err != nil {
					t.Fatal(err)
				}
				got := [3]any{hashHex(r.Prompt)[:16], float64(r.PromptTokens), float64(r.OutputTokens)}
				if got != want {
					t.Errorf("row %d: %v, want %v", i, got, want)
				}
			}
			checkNumPyState(t, d, c.After)
		})
	}
}

func checkNumPyState(t *testing.T, d Dataset, after string) {
	t.Helper()
	state := NumPyState(d)
	if after == "" {
		if state != nil {
			t.Error("it says that it has drawn from NumPy's global generator")
		}
		return
	}
	want, err := strconv.ParseFloat(after, 64)
	if err != nil {
		t.Fatal(err)
	}
	if got := state.Float64(); got != want {
		t.Errorf("NumPy's next number is %v, want %v", got, want)
	}
	if got := NumPyState(d).Float64(); got != want {
		t.Errorf("asked again, NumPy's next number is %v, want %v: the state was used up", got, want)
	}
}
