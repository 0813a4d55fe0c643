package foreign

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// What people write around their results: one command for many blocks, loads in comments,
// headings inside a fence, tables made by hand, variables before a command, scores beside
// speeds.
func TestNotes(t *testing.T) {
	runs, err := ReadFile("testdata/notes.md")
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for i := range runs {
		r := &runs[i]
		fmt.Fprintf(&b, "%s| load %q, environment %q\n", summary(r), r.Facts.Load(), r.Facts.Environment)
	}
	golden(t, "testdata/notes.golden", b.String())
}

// What our own commands write is read, and so is what vLLM's write in their place.
func TestOwnForms(t *testing.T) {
	for _, tt := range []struct{ name, data, want string }{
		{
			"latency.json", `{"avg_latency": 1.25, "latencies": [1.2, 1.3], "percentiles": {"10": 1.21, "50": 1.25, "99": 1.299}}`,
			"bench latency: mean_batch_ms 1250, median_batch_ms 1250, p10_batch_ms 1210, p99_batch_ms 1299; 2 completed",
		},
		{
			"failed.json", `{"avg_latency": 1.25, "latencies": [1.25], "percentiles": {}, "failed_iterations": 3}`,
			"bench latency: mean_batch_ms 1250; 1 completed, 3 missing",
		},
		{
			"throughput.json", `{"elapsed_time": 10.0, "num_requests": 100, "total_num_tokens": 5000, "requests_per_second": 10.0, "tokens_per_second": 500.0}`,
			"bench throughput: request_throughput 10, total_token_throughput 500; 100 completed, 100 at once",
		},
		{
			"locust.csv", "Provider,Model,Concurrency,Time To First Token,Latency Per Token,Total Latency,Num Requests,Qps,P99 Total Latency\n" +
				"vllm,m,QPS 2.0 constant,57.35,0.0,572.2,118,1.99,600\n",
			"fw-ai/benchmark: mean_e2el_ms 572.2, mean_ttft_ms 57.35, p99_e2el_ms 600, request_throughput 1.99; 118 completed, 2/s",
		},
		{
			"aiperf.json", `{"aiperf_version": "1", "request_latency": {"unit": "s", "avg": 1.5}, "time_to_first_token": {"unit": "us", "p50": 2000},
				"request_throughput": {"unit": "requests/min", "avg": 120}, "request_count": {"avg": 7}}`,
			"aiperf: mean_e2el_ms 1500, median_ttft_ms 2, request_throughput 2; 7 completed",
		},
	} {
		runs, err := Read(tt.name, []byte(tt.data))
		if err != nil || len(runs) != 1 {
			t.Errorf("%s: %d runs, %v", tt.name, len(runs), err)
			continue
		}
		r := &runs[0]
		var values []string
		for _, m := range r.Metrics() {
			values = append(values, fmt.Sprintf("%s %.6g", m, r.Values[m]))
		}
		got := fmt.Sprintf("%s: %s; %d completed", r.Tool, strings.Join(values, ", "), r.Facts.Completed)
		if n := r.Facts.Missing(); n > 0 {
			got += fmt.Sprintf(", %d missing", n)
		}
		if load := r.Facts.Load(); load != "" {
			got += ", " + load
		}
		if got != tt.want {
			t.Errorf("%s:\n got %s\nwant %s", tt.name, got, tt.want)
		}
	}
	_, err := Read("x.json", []byte(`{"request_latency": {"unit": "fortnights", "avg": 1}, "time_to_first_token": {"unit": "ms"}}`))
	if err == nil || !strings.Contains(err.Error(), `"fortnights"`) {
		t.Errorf("a unit that nobody knows: %v", err)
	}
}

// A text full of blocks, commands and fences is read in one pass: as it was, 255 KB took
// 24 s, so that these would take minutes.
func TestManyBlocksAreQuick(t *testing.T) {
	block := "## heading\n```\n# comment\nvllm bench serve --model m \\\n" +
		"=== Serving Benchmark Result ===\nSuccessful requests: 1\nRequest throughput (req/s): 1.00\n===\n```\n"
	for name, text := range map[string]string{
		"blocks":   strings.Repeat(block, 4_000),
		"commands": strings.Repeat("vllm bench serve --model m \\\n", 80_000) + block,
		"fences":   strings.Repeat("```\n", 200_000) + block,
		"offline":  strings.Repeat("* ===\n* nothing\n", 40_000) + block,
		"tables":   strings.Repeat("| a | b | c |\n|---|---|---|\n", 40_000) + block,
	} {
		began := time.Now()
		if _, err := Read(name, []byte(text)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		t.Logf("%s: %d KB in %v", name, len(text)>>10, time.Since(began))
		if took := time.Since(began); took > time.Minute {
			t.Errorf("%s: %d KB took %v", name, len(text)>>10, took)
		}
	}
}

// What is too much is refused: bytes, runs, and the words of a run.
func TestBounds(t *testing.T) {
	if _, err := atMost(bytes.NewReader(make([]byte, 11)), 10); err == nil {
		t.Error("11 bytes of at most 10 were read")
	}
	one := `{"request_throughput": 1, "completed": 1}` + "\n"
	if _, err := Read("x", []byte(strings.Repeat(one, maxRuns+1))); err == nil || !strings.Contains(err.Error(), "more than 10000 results") {
		t.Errorf("too many runs: %v", err)
	}
	runs, err := Read("x", []byte(`{"request_throughput": 1, "label": "`+strings.Repeat("x", 100_000)+`"}`))
	if err != nil || len(runs[0].Name) > 1000 {
		t.Errorf("a long label: %v", err)
	}
}

// Words of a file steer no terminal and break no line.
func TestWordsAreClean(t *testing.T) {
	runs, err := Read(filepath.Join("folder", "x\x1b[31m.json"), []byte(`{"label": "a\u001b[2Jb\nc", "model_id": "m\u202e\u0007", "request_throughput": 1,
		"inferometer": {"verdict": {"level": "VALID", "reasons": ["r\u001b[0m"]}}, "note": "x\u001b]0;t\u0007y"}`))
	if err != nil {
		t.Fatal(err)
	}
	r := &runs[0]
	if r.Name != "ab c" || r.Facts.Model != "m" || r.Facts.Reasons[0] != "r" || r.Metadata["note"] != "xy" {
		t.Errorf("%q %q %q %q", r.Name, r.Facts.Model, r.Facts.Reasons, r.Metadata)
	}
	text := "## a\x1b[31mb\n|Tasks|Metric|Value|Stderr|\n|--|--|--|--|\n|bio\x1b[0mlogy|acc|0.5|0.1|\n"
	if runs, err = Read("x.md", []byte(text)); err != nil || runs[0].Name != "ab" || runs[0].Values["biology_acc"] != 0.5 {
		t.Errorf("%+v, %v", runs, err)
	}
}

// A line of the server's log above a block is about that block, and about no other.
func TestDraftsInANote(t *testing.T) {
	block := "============ Serving Benchmark Result ============\nSuccessful requests: 64\nRequest throughput (req/s): 2.60\n==================================================\n"
	note := "# drafts\n```\nINFO 12-16 16:46:04 metrics.py:482] Speculative metrics: Draft acceptance rate: 0.797, System efficiency: 0.640, " +
		"Number of speculative tokens: 5, Number of accepted tokens: 197711, Number of draft tokens: 248165, Number of emitted tokens: 190541.\n" +
		block + "```\n# none\n```\n" + block + "```\n"
	runs, err := Read("note.md", []byte(note))
	if err != nil || len(runs) != 2 {
		t.Fatalf("%d runs, %v", len(runs), err)
	}
	rate, length := runs[0].Values["spec_decode_acceptance_rate"], runs[0].Values["spec_decode_acceptance_length"]
	if rate < 79.6 || rate > 79.7 || length < 3.8 || length > 3.9 {
		t.Errorf("%.1f %% accepted, %.2f tokens a step", rate, length)
	}
	if _, ok := runs[1].Values["spec_decode_acceptance_rate"]; ok {
		t.Error("the second block has the first one's drafts")
	}
}
