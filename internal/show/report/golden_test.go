package report

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/inferometer/inferometer/internal/judge/measure"
	"github.com/inferometer/inferometer/internal/show/fakerun"
)

var update = flag.Bool("update", false, "write the golden files anew")

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), string(got)); d != "" {
		t.Errorf("%s (-want +got):\n%s", name, d)
	}
}

// results are the runs that all reports are tested with.
func results(t *testing.T) map[string]*measure.Result {
	vllm := "vllm"
	return map[string]*measure.Result{
		"closed":      measured(t, closed(), measure.Options{Detailed: true}),
		"closed_vllm": measured(t, closed(), measure.Options{Detailed: true, Compat: &vllm}),
		"ramp":        measured(t, ramp(), measure.Options{}),
		"thinking":    measured(t, thinking(), measure.Options{}),
		"killed":      measured(t, killed(), measure.Options{}),
		"targets":     measured(t, replicas(), measure.Options{}),
		"served":      measured(t, scraped(), measure.Options{}),
		"fleet":       measuredFleet(t),
		"eval":        measuredEval(t, 40, 3, "one"),
		"categories":  measuredEval(t, 120, 60, "one"),
		"agents":      measured(t, agents(), measure.Options{Percentiles: []float64{95, 99}}),
	}
}

func measuredFleet(t *testing.T) *measure.Result {
	r, err := measure.Measure(&fakerun.Journal{N: 40, Words: "one", Agents: 12}, measure.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r.End.WorkloadSHA = strings.Repeat("b5bb9d80", 8)
	return r
}

func TestGolden(t *testing.T) {
	for name, r := range results(t) {
		t.Run(name, func(t *testing.T) {
			opt := Options{RunDir: "runs/" + name, Detailed: r.Details != nil}
			var b bytes.Buffer
			if err := JSON(&b, r, opt); err != nil {
				t.Fatal(err)
			}
			golden(t, name+".json", b.Bytes())
			b.Reset()
			opt.Details = true
			if err := Console(&b, r, opt); err != nil {
				t.Fatal(err)
			}
			golden(t, name+".txt", b.Bytes())
		})
	}
}
