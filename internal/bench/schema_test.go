package bench_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/judged"
	"github.com/inferometer/inferometer/internal/judge/measure"
	"github.com/inferometer/inferometer/internal/show/report"
)

// A run's journal has its Spec; one of schema 1, with all options in their own words, gives the same result.
func TestAJournalOfSchema1GivesTheSameResult(t *testing.T) {
	play(t, func(s *stage) {
		address, _ := s.sim(nil)
		s.bench(address, usual+`,"keep":{"label":"night","metadata":[{"key":"tp","value":"8"}]},"judge":{"goodput":{"ttft":60},"percentile_metrics":["ttft","e2el"],"metric_percentiles":[50,99]}`)
		now := filepath.Join(s.state, "run-1")
		old := t.TempDir()
		asSchema1(t, filepath.Join(now, journal.FileName), filepath.Join(old, journal.FileName))
		if a, b := resultOf(t, now), resultOf(t, old); a != b || len(a) < 1000 {
			t.Errorf("with the Spec:\n%s\nof schema 1:\n%s", a, b)
		}
	})
}

// asSchema1 writes a journal again as earlier versions did.
func asSchema1(t *testing.T, from, to string) {
	t.Helper()
	packed, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1))
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	all, err := d.DecodeAll(packed, nil)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, _ := bytes.Cut(all, []byte("\n"))
	var line journal.Line
	if err := json.Unmarshal(head, &line); err != nil || line.Run == nil || line.Run.Spec == nil || line.Run.Schema != journal.Schema {
		t.Fatalf("the first line is %s, %v", head, err)
	}
	line.Run.Schema, line.Run.Spec = 1, nil
	if head, err = json.Marshal(line); err != nil {
		t.Fatal(err)
	}
	e, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	if err := os.WriteFile(to, e.EncodeAll(append(append(head, '\n'), rest...), nil), 0o600); err != nil {
		t.Fatal(err)
	}
}

// resultOf is a run's result as JSON.
func resultOf(t *testing.T, folder string) string {
	t.Helper()
	r, err := judged.Read(folder, measure.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := report.JSON(&b, r.Result, report.Options{Verdict: r.Verdict}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
