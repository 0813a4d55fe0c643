package workload

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/inferometer/inferometer/internal/option"
)

// traceCase is what vLLM's own classes made of a file: testdata/make_traces.py.
type traceCase struct {
	Dataset, Tokenizer string
	NumPrompts         int `json:"num_prompts"`
	Seed               uint64
	HashSeed           int `json:"hash_seed"`
	Chunk              int
	Multiplier         float64
	Labels             []string
	File               string
	Rows               [][]any // start of the prompt's hash, tokens, output tokens, time
	After              string
}

func (c *traceCase) options(t *testing.T) Options {
	o := Defaults(c.Dataset)
	o.NumPrompts, o.Seed, o.Tokenizer = c.NumPrompts, c.Seed, testTokenizer(t, c.Tokenizer)
	o.Path = writeFile(t, "trace", c.File)
	if c.Dataset == "timed_trace" {
		o.Own = &TimedTraceOptions{
			ChunkSize: c.Chunk, Multiplier: c.Multiplier, Timestamp: c.Labels[0], Input: c.Labels[1], Output: c.Labels[2], IDs: c.Labels[3], HashSeed: c.HashSeed,
		}
	}
	return o
}

func TestTracesAreThoseOfVLLM(t *testing.T) {
	b, err := os.ReadFile(filepath.Join("testdata", "traces.json"))
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Cases []traceCase }
	if err := json.Unmarshal(b, &file); err != nil {
		t.Fatal(err)
	}
	if len(file.Cases) != 16 {
		t.Fatalf("%d cases", len(file.Cases))
	}
	for i, c := range file.Cases {
		t.Run(fmt.Sprint(i, " ", c.Dataset, " ", c.Tokenizer), func(t *testing.T) {
			d, err := Open(c.options(t))
			if err != nil {
				t.Fatal(err)
			}
			defer d.Close()
			if d.Len() != len(c.Rows) {
				t.Fatalf("Len %d, want %d", d.Len(), len(c.Rows))
			}
			for i, want := range c.Rows {
				r, err := d.Next()
				if err != nil {
					t.Fatal(err)
				}
				got := []any{hashHex(r.Prompt)[:16], float64(r.PromptTokens), float64(r.OutputTokens)}
				if got[0] != want[0] || got[1] != want[1] || got[2] != want[2] {
					t.Errorf("row %d: %v, want %v", i, got, want)
				}
				if len(want) > 3 && r.Due != time.Duration(math.Round(want[3].(float64)*1e9)) {
					t.Errorf("row %d is due at %v, want %v", i, r.Due, want[3])
				}
			}
			checkNumPyState(t, d, c.After)
		})
	}
}

func TestTimedTraceErrors(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{`{"timestamp": 1, "input_length": 5}`, `row 1: it needs a number as "output_length": --timed-trace-label-output-length names the key`},
		{`{"timestamp": -1, "input_length": 5, "output_length": 5}`, "row 1: a time of -1 s"},
		{`{"timestamp": 1, "input_length": 5, "output_length": 5, "hash_ids": [1.5]}`, `row 1: "hash_ids" must hold whole numbers, not 1.5`},
		{`{"timestamp": 1, "input_length": 5, "output_length": 5, "hash_ids": "x"}`, `row 1: "hash_ids" must be a list`},
		{`{"timestamp": 1, "input_length": 5000000000, "output_length": 5}`, "row 1: 5000000000 input and 5 output tokens are out of bounds"},
		{`hello`, "row 1: invalid character"},
		{"\n\n", "has no row"},
	} {
		o := Defaults("timed_trace")
		o.Tokenizer = &fakeVocabulary{}
		o.Path = writeFile(t, "t.jsonl", c.text)
		_, err := Open(o)
		wantError(t, err, c.want)
	}
	o := Defaults("timed_trace")
	o.Path, o.Chat = "x", true
	_, err := Open(o)
	wantError(t, err, "backend must send completions")
	o.Chat = false
	_, err = Open(o)
	wantError(t, err, "needs a tokenizer.json")
}

func wantError(t *testing.T, err error, want string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
}

func FuzzTimedTrace(f *testing.F) {
	f.Add([]byte(`{"timestamp": 1500.5, "input_length": 17, "output_length": 1, "hash_ids": [0, 123456789]}`))
	f.Add([]byte(`{"timestamp": 1e308, "input_length": -17, "output_length": 1, "hash_ids": [1e9, "x"]}`))
	own := option.New[TimedTraceOptions]()
	f.Fuzz(func(t *testing.T, raw []byte) {
		r, err := own.parse(raw)
		if err == nil && (r.input < 0 || r.output < 1 || r.at < 0 || len(r.ids) > mostTimedIDs) {
			t.Errorf("%+v", r)
		}
	})
}
