package foreign

import (
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/inferometer/inferometer/internal/judge/result"
	"github.com/inferometer/inferometer/internal/testfiles"
)

var update = flag.Bool("update", false, "write the golden files anew")

// summary is a run in lines that a person can check against the file.
func summary(r *result.Result) string {
	var b strings.Builder
	f := &r.Facts
	failed := "?"
	if f.Failed != nil {
		failed = fmt.Sprint(*f.Failed)
	}
	fmt.Fprintf(&b, "%q %s line %d: %d of %d completed, %s failed, concurrency %d, rate %g, model %q, %d + %d tokens in %g s\n",
		r.Name, r.Tool, r.Line, f.Completed, f.Asked, failed, f.Concurrency, f.Rate, f.Model, f.InputTokens, f.OutputTokens, f.Duration)
	for _, m := range r.Metrics() {
		if strings.HasPrefix(m, "p75") || strings.HasPrefix(m, "std") || strings.HasPrefix(m, "p90_") {
			continue
		}
		fmt.Fprintf(&b, "    %s %.6g\n", m, r.Values[m])
	}
	for _, m := range []string{"ttft", "tpot", "itl", "e2el"} {
		if s := r.Samples[m]; len(s) > 0 {
			fmt.Fprintf(&b, "    %d values of %s\n", len(s), m)
		}
	}
	return b.String()
}

func summaries(t *testing.T, files []string) string {
	t.Helper()
	var b strings.Builder
	for _, path := range files {
		fmt.Fprintf(&b, "# %s\n", filepath.Base(path))
		runs, err := ReadFile(path)
		if err != nil {
			t.Errorf("%v", err)
		}
		for i := range runs {
			b.WriteString(summary(&runs[i]))
		}
	}
	return b.String()
}

func golden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestANote(t *testing.T) {
	golden(t, "testdata/note.golden", summaries(t, []string{"testdata/note.md"}))
}

// TestResults reads the results of the real tools.
func TestResults(t *testing.T) {
	var files []string
	for _, pattern := range []string{"*/*.json", "llama-bench/*.jsonl", "llama-bench/*.md", "llama-bench/*.csv", "vllm_bench/*.txt"} {
		for _, f := range testfiles.Glob(t, "results/"+pattern) {
			if filepath.Base(f) != "stage_0_prometheus_metrics.json" { // has no latencies; see TestRefused
				files = append(files, f)
			}
		}
	}
	golden(t, "testdata/results.golden", summaries(t, files))
}

// TestFieldNotes reads the notes of real people as they are.
func TestFieldNotes(t *testing.T) {
	golden(t, "testdata/fieldnotes.golden", summaries(t, testfiles.Notes(t)))
}

// TestFailuresAreSeen: 36 of 64 is told, whether a tool counts failures or only a command says what was asked.
func TestFailuresAreSeen(t *testing.T) {
	two := 2
	for _, tt := range []struct {
		facts result.Facts
		want  int
	}{
		{result.Facts{Asked: 64, Completed: 36}, 28},
		{result.Facts{Asked: 64, Completed: 62, Failed: &two}, 2},
		{result.Facts{Asked: 64, Completed: 64}, 0},
		{result.Facts{Completed: 64}, 0},
		{result.Facts{Asked: 64}, 0}, // nothing is said about completion
	} {
		if got := tt.facts.Missing(); got != tt.want {
			t.Errorf("%+v: %d missing, want %d", tt.facts, got, tt.want)
		}
	}
}

// Results of agents, as our exports and InferenceX's script write them. Absurd numbers are no numbers.
func TestAgentic(t *testing.T) {
	for name, tool := range map[string]result.Tool{"theirs.json": result.InferenceX, "aggregate.json": result.InferenceX, "profile_export_aiperf.json": result.AIPerf} {
		b, err := os.ReadFile(filepath.Join("..", "show", "agentic", "testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		runs, err := Read(name, b)
		if err != nil || len(runs) != 1 {
			t.Fatal(name, len(runs), err)
		}
		r := &runs[0]
		if r.Tool != tool || r.Facts.Completed != 4 || r.Facts.Failed == nil || *r.Facts.Failed != 1 || r.Facts.Concurrency != 2 || r.Facts.Model != "sim" {
			t.Errorf("%s: %s, %+v", name, r.Tool, r.Facts)
		}
		for metric, want := range map[string]float64{"median_ttft_ms": 87.5, "output_throughput": 24.64789, "total_token_throughput": 242.48826} {
			if got := r.Values[metric]; math.Abs(got-want) > 1e-4 {
				t.Errorf("%s: %s %v, want %v", name, metric, got, want)
			}
		}
		for _, metric := range []string{"mean_tpot_ms", "p95_e2el_ms", "planned_cached_share", "cached_share", "request_throughput"} {
			if _, ok := r.Values[metric]; !ok {
				t.Errorf("%s has no %s", name, metric)
			}
		}
	}
	runs, err := Read("x", []byte(`{"scenario_type": "agentic-coding", "num_requests_successful": -5, "conc": -3, "request_metrics": {"latency": {"ttft": {"mean": -1, "p50": 1e308, "p90": null}}, "cache": {"theoretical_cache_hit_rate": 7}, "throughput": {"duration_seconds": -1, "output": {"tokens_per_second": 5}}}}`))
	if err != nil || len(runs) != 1 || len(runs[0].Values) != 1 {
		t.Errorf("%+v, %v", runs, err)
	}
}

func TestJSONForms(t *testing.T) {
	one := `{"request_throughput": 1.5, "completed": 3, "mean_ttft_ms": NaN, "request_rate": "inf", "label": "NaN is a word here"}`
	for name, tt := range map[string]struct {
		data string
		want int
	}{
		"one":           {one, 1},
		"one a line":    {one + "\n" + one + "\n", 2},
		"an array":      {"[" + one + "," + one + "]", 2},
		"byte order":    {"\xef\xbb\xbf" + one, 1},
		"bare Infinity": {`{"request_throughput": 2, "total_output_tokens_retokenized": 5, "request_rate": Infinity, "input_throughput": 1, "output_throughput": 2}`, 1},
	} {
		runs, err := Read(name+".json", []byte(tt.data))
		if err != nil || len(runs) != tt.want {
			t.Errorf("%s: %d runs, %v", name, len(runs), err)
			continue
		}
		if _, ok := runs[0].Values["mean_ttft_ms"]; ok {
			t.Errorf("%s: a NaN was taken for a number", name)
		}
	}
}

func TestRefused(t *testing.T) {
	for name, tt := range map[string]struct{ data, want string }{
		"nothing":   {"", "no result of a known tool"},
		"prose":     {"it was fast", "no result of a known tool"},
		"other":     {`{"a": 1}`, "no result of a known tool"},
		"numbers":   {`[1, 2]`, "no result of a known tool"},
		"broken":    {`{"request_throughput": `, "no JSON"},
		"no number": {`{"load_summary": {}, "successes": {"count": 3}}`, "has no number"},
		"types":     {`{"request_throughput": 1, "completed": "many"}`, "looks like a result of vllm bench serve"},
	} {
		_, err := Read("x", []byte(tt.data))
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// FuzzRead: any bytes give runs with numbers, or an error.
func FuzzRead(f *testing.F) {
	note, err := os.ReadFile("testdata/note.md")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(note)
	f.Add([]byte(`{"request_throughput": 1, "ttfts": [0.1], "itls": [[0.01]], "output_lens": [2], "errors": [""]}`))
	f.Add([]byte(`{"benchmarks": [{"requests": {"successful": [{}]}}], "metadata": {}}`))
	f.Add([]byte(`{"request_latency": {"avg": 1}, "time_to_first_token": {"p50": 2}, "input_config": 3}`))
	f.Add([]byte(`{"scenario_type": "", "request_metrics": {"latency": {"ttft": {"mean": 1}}, "throughput": {"output": {"tokens_per_second": 2}}}}`))
	f.Add([]byte("build_commit,avg_ts,n_prompt\na,1,2\n"))
	f.Add([]byte("* ===\n* Generations / Sec:            18.43\n"))
	f.Add([]byte("=== Summary ===\nQps  : 1.0\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		runs, err := Read("x", data)
		if err != nil {
			return
		}
		for i := range runs {
			if runs[i].Name == "" || len(runs[i].Values) == 0 && !runs[i].Facts.Nothing {
				t.Errorf("run %d has no name or no number", i)
			}
		}
	})
}
