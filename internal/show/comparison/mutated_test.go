package comparison

import (
	"encoding/json"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/inferometer/inferometer/internal/foreign"
	"github.com/inferometer/inferometer/internal/judge/compare"
)

// words that numbers and names of a result are replaced by.
var absurd = []string{
	"-1", "0", "1e308", "-1e308", "5e-324", "9223372036854775807", "-9223372036854775808", "1e400", "NaN", "Infinity", "null", "true", `""`, `"x"`, "[]", "{}",
	"[[[]]]", `"\u001b[2J"`, "1.5", "nan", "|", "#", "```", "\n", "\x00", "\xff", "=",
}

// mutated replaces some of the words of a text.
func mutated(random *rand.Rand, data []byte) []byte {
	fields := strings.FieldsFunc(string(data), func(r rune) bool { return strings.ContainsRune(" ,:[]{}", r) })
	text := string(data)
	for range 1 + random.IntN(4) {
		text = strings.Replace(text, fields[random.IntN(len(fields))], absurd[random.IntN(len(absurd))], 1+random.IntN(3))
	}
	return []byte(text)
}

// TestMutatedResults: whatever a file says, it is refused or shown, in every form.
func TestMutatedResults(t *testing.T) {
	files, err := filepath.Glob("../../foreign/testdata/*.md")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	texts := [][]byte{
		[]byte(`{"request_throughput": 4.5, "completed": 12, "num_prompts": 12, "failed": 0, "duration": 2.5, "mean_ttft_ms": 100, "p99_ttft_ms": 120, "total_input_tokens": 120,
			"total_output_tokens": 1200, "max_concurrency": 4, "request_rate": "inf", "ttfts": [0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.12],
			"start_times": [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11], "itls": [[0.01], [0.01], [0.02], [], [], [], [], [], [], [], [], []],
			"inferometer": {"verdict": {"level": "VALID", "reasons": []}, "confidence": {"level": 0.95, "intervals": {"mean_ttft_ms": {"low": 99, "high": 101, "effective_n": 9, "method": "batch means"}}}}}`),
		[]byte(`{"avg_latency": 1.25, "latencies": [1.24, 1.26, 1.25], "percentiles": {"50": 1.25, "99": 1.26}}`),
		[]byte(`{"aiperf_version": "1", "request_latency": {"unit": "ms", "avg": 1.5}, "time_to_first_token": {"unit": "ms", "p50": 2}, "request_count": {"avg": 7}}`),
		[]byte("Provider,Model,Concurrency,Time To First Token,Total Latency,Num Requests,Qps\nvllm,m,QPS 2.0 constant,57.35,572.2,118,1.99\n"),
	}
	for _, path := range files {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, data)
	}
	random := rand.New(rand.NewPCG(200, 11))
	shown, compared := 0, 0
	for i := range 400 {
		data := mutated(random, texts[i%len(texts)])
		runs, err := foreign.Read("x", data)
		if err != nil {
			continue
		}
		shown++
		lists := compare.Lists(runs, nil)
		check := func(what string, err error) {
			if err != nil {
				t.Errorf("%s: %v, of\n%s", what, err, data)
			}
		}
		for _, format := range []string{"table", "markdown", "csv", "json"} {
			check("list "+format, WriteLists(io.Discard, lists, Options{Format: format}))
		}
		other, err := foreign.Read("y", texts[i%len(texts)])
		if err != nil {
			t.Fatal(err)
		}
		c, err := compare.Compare([]compare.Side{{Name: "y", Runs: other[:1]}, {Name: "x", Runs: runs[:1]}, {Name: "all", Runs: runs}}, compare.Options{})
		if err != nil {
			continue
		}
		compared++
		for _, format := range []string{"table", "json", "html", "csv"} {
			check(format, Write(io.Discard, c, nil, Options{Format: format}))
		}
		if _, err := json.Marshal(c); err != nil {
			t.Error(err)
		}
	}
	t.Logf("%d of 400 were shown, %d of them compared, the others refused", shown, compared)
	if shown < 100 || compared < 100 {
		t.Errorf("only %d of 400 were shown, and %d compared", shown, compared)
	}
}
