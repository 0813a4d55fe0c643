package scenario

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/inferometer/inferometer/internal/foreign/serverlog"
	"github.com/inferometer/inferometer/internal/plan/run"
)

// fabricated is a scenario of all that a table can show: replicas beside one of
// them, a number that can't be trusted, a point that failed and one that was not run.
const fabricated = `
name: fabricated
targets:
  four: {command: "serve {port}", replicas: 4, balance: sticky}
  one: {command: "serve {port}", version: "serve --version"}
  fast: {base_url: "http://h:1"}
matrix: {concurrency: [8, 32]}
repeat: 2
slo: p99_ttft<=300ms and failed<1%
`

// fabricate writes what a run would have left.
func fabricate(t *testing.T, plan *Plan, folder Folder) (records []*Record) {
	t.Helper()
	for _, p := range plan.Points {
		rec := &Record{ID: p.ID, Values: p.Values, Repeat: p.Repeat, State: run.Done, Fingerprint: p.Fingerprint}
		verdict, reasons := "VALID", ""
		switch p.ID {
		case "fast_concurrency-8_r2":
			rec.State, rec.Error = run.Failed, "bench serve: it is no good\nmore of it"
		case "one_concurrency-32_r1", "one_concurrency-32_r2":
			records = append(records, nil)
			continue
		case "fast_concurrency-32_r1":
			verdict, reasons = "INVALID", `"lag"`
		case "one_concurrency-8_r1":
			rec.Version, rec.Startup = "1.0", []run.Startup{{Server: "one", HealthyS: 1.5, FirstAnswerS: 2.25}}
		case "one_concurrency-8_r2":
			rec.Version, rec.Startup = "1.1", []run.Startup{{Server: "one", HealthyS: 1.5}}
		}
		records = append(records, rec)
		c := float64(p.Concurrency()) + float64(p.Repeat)/10
		targets := ""
		if p.Target() == "four" {
			targets = fmt.Sprintf(`, "targets": {"balance": "sticky", "each": [{"output_throughput": %g}, {"output_throughput": %g}, {"output_throughput": %g}, {"output_throughput": %g}],
				"skew": {"output_throughput": {"max_over_min": 1.25}}}`, c*20, c*25, c*25, c*25)
		}
		text := fmt.Sprintf(`{"completed": 100, "failed": 0, "request_throughput": %g, "output_throughput": %g, "request_goodput": null,
			"median_ttft_ms": %g, "p99_ttft_ms": %g, "median_tpot_ms": 9.5, "p99_tpot_ms": 12, "label": "x",
			"inferometer": {"verdict": {"level": %q, "reasons": [%s]}%s}}`, c, c*95, c*5, c*10, verdict, reasons, targets)
		if err := errors.Join(os.MkdirAll(folder.Run(p.ID), 0o755), os.WriteFile(folder.result(p.ID), []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	return records
}

func TestTable(t *testing.T) {
	plan := planOf(t, fabricated)
	folder := Folder{t.TempDir()}
	s := Summarize(plan, fabricate(t, plan, folder), folder)
	var b bytes.Buffer
	if err := s.Markdown(&b); err != nil {
		t.Fatal(err)
	}
	golden := filepath.Join("testdata", "table.md")
	if *update {
		if err := os.WriteFile(golden, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), b.String()); diff != "" {
		t.Error(diff)
	}
	if s.Done != 9 || s.Failed != 1 || s.Missing != 2 {
		t.Errorf("%d done, %d failed, %d missing", s.Done, s.Failed, s.Missing)
	}
}

func TestAnswers(t *testing.T) {
	for _, tt := range []struct{ name, set, want string }{
		{"no SLO", "slo=null", "The most within an SLO: the scenario sets none."},
		{"none keeps it", "slo=p99_ttft<=1ms", "no point keeps it. At the lowest throughput, 769.5 tok/s, 8.10 req/s (fast, concurrency 8): p99_ttft<=1ms: broken, at 81ms."},
		{"none is known", "slo=p99_itl<=1ms", "The most within p99_itl<=1ms: no point keeps it."},
	} {
		plan := planOf(t, fabricated, tt.set)
		folder := Folder{t.TempDir()}
		s := Summarize(plan, fabricate(t, plan, folder), folder)
		if got := strings.Join(s.Answers.Lines, "\n"); !strings.Contains(got, tt.want) {
			t.Errorf("%s: %s", tt.name, got)
		}
	}
}

// A result that can't be read is told, and the others are shown.
func TestBrokenResult(t *testing.T) {
	plan := planOf(t, fabricated)
	folder := Folder{t.TempDir()}
	records := fabricate(t, plan, folder)
	if err := os.WriteFile(folder.result("four_concurrency-8_r1"), []byte(`{"completed": Infinity`), 0o644); err != nil {
		t.Fatal(err)
	}
	s := Summarize(plan, records, folder)
	if row := s.Rows[0]; row.Done != 1 || len(row.Errors) != 1 || !strings.Contains(row.Errors[0], "four_concurrency-8_r1") {
		t.Errorf("%d done, %v", row.Done, row.Errors)
	}
	if err := s.Write(folder); err != nil {
		t.Error(err)
	}
}

// Speculative decoding has columns where a point knows of it, from the server's
// counters or, where those say nothing, from its log.
func TestSpecDecodeColumns(t *testing.T) {
	plan := planOf(t, "name: spec\ntargets: {a: {base_url: \"http://h:1\"}}\nmatrix: {concurrency: [1, 2, 4]}\n")
	folder := Folder{t.TempDir()}
	length := 3.42
	var records []*Record
	for i, p := range plan.Points {
		rec := &Record{ID: p.ID, Values: p.Values, Repeat: p.Repeat, State: run.Done, SpecDecode: &serverlog.Accepted{AcceptanceRate: 80.5, AcceptanceLength: &length}}
		numbers := `"spec_decode_acceptance_rate": 71.25, "spec_decode_acceptance_length": 4.5, `
		if i > 0 {
			numbers = ""
		}
		if i == 2 {
			rec.SpecDecode = nil
		}
		records = append(records, rec)
		text := `{` + numbers + `"completed": 100, "failed": 0, "request_throughput": 5, "output_throughput": 100}`
		if err := errors.Join(os.MkdirAll(folder.Run(p.ID), 0o755), os.WriteFile(folder.result(p.ID), []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	s := Summarize(plan, records, folder)
	if err := s.Write(folder); err != nil {
		t.Fatal(err)
	}
	for file, wants := range map[string][]string{
		"table.md":     {"| accepted % | accepted length |", "| 71.25      | 4.50            |", "| 80.50      | 3.42            |", "| –          | –               |", "server's log (in 1 of the results)"},
		"summary.csv":  {",spec_decode_acceptance_rate,spec_decode_acceptance_length,", ",71.25,4.5,", ",80.5,3.42,"},
		"summary.json": {`"spec_decode_acceptance_rate": 71.25`, `"spec_decode_acceptance_rate": 80.5`},
	} {
		got, err := os.ReadFile(folder.file(file))
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range wants {
			if !strings.Contains(string(got), want) {
				t.Errorf("%s lacks %q:\n%s", file, want, got)
			}
		}
	}
	plain := Summarize(plan, []*Record{nil, nil, records[2]}, folder)
	if got := strings.Join(plain.table().Head, ","); strings.Contains(got, "accepted") {
		t.Errorf("columns that no point has: %s", got)
	}
}

// The highest number is the most that a server can do only where more load gives no
// more. Points of another target, or of no trust, are no evidence.
func TestSaturatedOrNot(t *testing.T) {
	for _, tt := range []struct {
		name, verdict string
		tokens        []float64 // of concurrency 8, 16, 32
		saturated     any
		want          string
	}{
		{"it still doubles", "VALID", []float64{500, 1000, 1990}, false, "The most measured: 1990 tok/s, 5.00 req/s (a, concurrency 32); not saturated: from concurrency 16 to 32 throughput still grew by 99 %."},
		{"a plateau", "VALID", []float64{500, 900, 930}, true, "The most it can do: 930.0 tok/s, 5.00 req/s (a, concurrency 32); saturated: from concurrency 16 to 32 throughput grew by 3 % only."},
		{"it falls", "VALID", []float64{500, 900, 800}, true, "The most it can do: 900.0 tok/s, 5.00 req/s (a, concurrency 16); saturated: from concurrency 16 to 32 throughput did not grow."},
		{"one load", "VALID", []float64{500}, nil, "The most measured: 500.0 tok/s, 5.00 req/s (a, concurrency 8); whether more load would give more is not known"},
		{"the plateau can't be trusted", "INVALID", []float64{500, 900, 880}, false, "The most measured: 900.0 tok/s, 5.00 req/s (a, concurrency 16); not saturated: from concurrency 8 to 16 throughput still grew by 80 %."},
	} {
		plan := planOf(t, "name: s\ntargets: {a: {base_url: \"http://h:1\"}, b: {base_url: \"http://h:2\"}}\nmatrix: {concurrency: [8, 16, 32]}\n")
		folder := Folder{t.TempDir()}
		var records []*Record
		for _, p := range plan.Points {
			i := map[int]int{8: 0, 16: 1, 32: 2}[p.Concurrency()]
			tokens, verdict := 100.0, "VALID" // of b: a plateau far below
			if p.Target() == "a" {
				if i >= len(tt.tokens) {
					records = append(records, nil)
					continue
				}
				tokens = tt.tokens[i]
				if i == 2 {
					verdict = tt.verdict
				}
			}
			records = append(records, &Record{ID: p.ID, Values: p.Values, Repeat: p.Repeat, State: run.Done})
			text := fmt.Sprintf(`{"completed": 100, "failed": 0, "request_throughput": 5, "output_throughput": %g, "inferometer": {"verdict": {"level": %q, "reasons": []}}}`, tokens, verdict)
			if err := errors.Join(os.MkdirAll(folder.Run(p.ID), 0o755), os.WriteFile(folder.result(p.ID), []byte(text), 0o644)); err != nil {
				t.Fatal(err)
			}
		}
		s := Summarize(plan, records, folder)
		if got := s.Answers.Lines[0]; !strings.HasPrefix(got, tt.want) {
			t.Errorf("%s: %s", tt.name, got)
		}
		var saturated any
		if s.Answers.Saturated != nil {
			saturated = *s.Answers.Saturated
		}
		if saturated != tt.saturated {
			t.Errorf("%s: saturated %v, want %v", tt.name, saturated, tt.saturated)
		}
	}
}
