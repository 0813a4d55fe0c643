package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/measure"
	"github.com/inferometer/inferometer/internal/judge/row"
)

func TestMetadataCannotDisplaceNumbers(t *testing.T) {
	var b bytes.Buffer
	if err := JSON(&b, measured(t, ramp(), measure.Options{}), Options{}); err != nil {
		t.Fatal(err)
	}
	names, kinds := keys(t, b.Bytes())
	if kinds["duration"] != "float" || kinds["inferometer"] != "object" || kinds["tp"] != "string" {
		t.Errorf("%v", kinds)
	}
	if names[len(names)-1] != "inferometer" {
		t.Errorf("the last key is %s", names[len(names)-1])
	}
}

func TestAppendPutsEachResultOnALine(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "results.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for range 3 {
		if err := Append(f, measured(t, closed(), measure.Options{}), Options{}); err != nil {
			t.Fatal(err)
		}
	}
	b, err := os.ReadFile(f.Name())
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(b), "\n")
	if len(lines) != 3 {
		t.Fatalf("%d lines, want 3", len(lines))
	}
	for _, l := range lines {
		if !json.Valid([]byte(l)) {
			t.Errorf("not JSON: %.60s", l)
		}
	}
}

func TestFileName(t *testing.T) {
	tests := []struct {
		name string
		set  func(o *journal.Options)
		want string
	}{
		{"closed", func(*journal.Options) {}, "vllm-infqps-concurrency4-sim-20261115-014640.json"},
		{"rate", func(o *journal.Options) { o.RequestRate, o.MaxConcurrency = 10, 0 }, "vllm-10.0qps-sim-20261115-014640.json"},
		{"label", func(o *journal.Options) { o.Label, o.RequestRate = "x", 0.5 }, "x-0.5qps-concurrency4-sim-20261115-014640.json"},
		{
			"ramp", func(o *journal.Options) { o.RampUp = &journal.RampUp{Strategy: "exponential", StartRPS: 1, EndRPS: 9} },
			"vllm-ramp-up-exponential-1qps-9qps-concurrency4-sim-20261115-014640.json",
		},
		{"plain model", func(o *journal.Options) { o.ModelID = "tiny" }, "vllm-infqps-concurrency4-tiny-20261115-014640.json"},
	}
	for _, tt := range tests {
		r := &measure.Result{Run: run()}
		tt.set(&r.Run.Options)
		if got := FileName(r); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}

func TestWriteErrorsAreReturned(t *testing.T) {
	full := errors.New("no space")
	r := measured(t, closed(), measure.Options{})
	if err := JSON(broken{full}, r, Options{}); !errors.Is(err, full) {
		t.Errorf("JSON: %v", err)
	}
	if err := Console(broken{full}, r, Options{Details: true}); !errors.Is(err, full) {
		t.Errorf("Console: %v", err)
	}
	if err := JSON(io.Discard, r, Options{Detailed: true}); err == nil {
		t.Error("a detailed report of a result without details must be refused")
	}
}

type broken struct{ err error }

func (b broken) Write([]byte) (int, error) { return 0, b.err }

// BenchmarkJSON writes the arrays of a million requests.
func BenchmarkJSON(b *testing.B) {
	r := &measure.Result{Run: run(), Rows: make([]row.Row, 1e6)}
	for i := range r.Rows {
		r.Rows[i] = row.Row{Index: i, OK: true, Last: int64(i) * 7919, Queue: int64(i) * 104729}
	}
	b.ReportAllocs()
	for b.Loop() {
		if err := JSON(io.Discard, r, Options{}); err != nil {
			b.Fatal(err)
		}
	}
}
