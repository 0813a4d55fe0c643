package report

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/inferometer/inferometer/internal/judge/measure"
	"github.com/inferometer/inferometer/internal/judge/metric"
	"github.com/inferometer/inferometer/internal/judge/sample"

	"github.com/inferometer/inferometer/internal/testfiles"
)

// keys are the keys of a JSON object in their order, each with a word for what its value is.
func keys(t *testing.T, b []byte) (names []string, kinds map[string]string) {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.UseNumber()
	if tok, err := dec.Token(); err != nil || tok != json.Delim('{') {
		t.Fatalf("not an object: %v %v", tok, err)
	}
	kinds = map[string]string{}
	for dec.More() {
		tok, err := dec.Token()
		if err != nil {
			t.Fatal(err)
		}
		var v any
		if err := dec.Decode(&v); err != nil {
			t.Fatal(err)
		}
		names = append(names, tok.(string))
		kinds[tok.(string)] = kind(v)
	}
	return names, kinds
}

func kind(v any) string {
	switch v := v.(type) {
	case json.Number:
		if strings.ContainsAny(v.String(), ".e") {
			return "float"
		}
		return "int"
	case []any:
		if len(v) == 0 {
			return "list"
		}
		return "list of " + kind(v[0])
	case string:
		return "string"
	case nil:
		return "null"
	}
	return "object"
}

// TestAScriptThatKnowsOnlyVLLMsKeys: same keys, same order, same kinds of value,
// and then one key more.
func TestAScriptThatKnowsOnlyVLLMsKeys(t *testing.T) {
	r := measured(t, closed(), measure.Options{Detailed: true})
	for name, detailed := range map[string]bool{
		filepath.Join("testdata", "vllm_0.32.json"):                                       false,
		testfiles.Path(t, "results", "vllm_bench", "vllm_0.32_bench_serve_detailed.json"): true,
	} {
		t.Run(filepath.Base(name), func(t *testing.T) {
			theirs := readOrSkip(t, name)
			var b bytes.Buffer
			if err := JSON(&b, r, Options{Detailed: detailed}); err != nil {
				t.Fatal(err)
			}
			want, wantKinds := keys(t, theirs)
			got, gotKinds := keys(t, b.Bytes())
			if d := cmp.Diff(append(slices.Clone(want), "inferometer"), got); d != "" {
				t.Errorf("keys (-vLLM +ours):\n%s", d)
			}
			delete(gotKinds, "inferometer")
			if d := cmp.Diff(wantKinds, gotKinds); d != "" {
				t.Errorf("kinds of value (-vLLM +ours):\n%s", d)
			}
			if bytes.ContainsRune(b.Bytes(), '\n') {
				t.Error("the result is not one line")
			}
		})
	}
}

func readOrSkip(t *testing.T, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(name)
	if os.IsNotExist(err) {
		t.Skipf("%s is not there: it lies beside the checkout", name)
	}
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestVLLMsBlockByteForByte fills a result with the numbers of a real run and
// compares with what vLLM printed for it.
func TestVLLMsBlockByteForByte(t *testing.T) {
	var file map[string]any
	if err := json.Unmarshal(readOrSkip(t, "testdata/vllm_0.32.json"), &file); err != nil {
		t.Fatal(err)
	}
	num := func(k string) float64 { return file[k].(float64) }
	peak := num("max_output_tokens_per_s")
	r := &measure.Result{
		Run: run(), Duration: num("duration"), Completed: int(num("completed")), Failed: int(num("failed")),
		InputTokens: int64(num("total_input_tokens")), OutputTokens: int64(num("total_output_tokens")),
		RequestThroughput: num("request_throughput"), OutputThroughput: num("output_throughput"),
		TotalTokenThroughput: num("total_token_throughput"),
		PeakTokensPerSecond:  &peak, PeakConcurrent: int(num("max_concurrent_requests")),
	}
	for _, m := range metric.All()[:4] {
		r.Metrics = append(r.Metrics, measure.MetricStats{Metric: m, Stats: sample.Stats{
			Mean: num("mean_" + m.Name + "_ms"), Median: num("median_" + m.Name + "_ms"),
			Percentiles: []sample.Percentile{{P: 99, Value: num("p99_" + m.Name + "_ms")}},
		}})
	}
	var b bytes.Buffer
	if err := Console(&b, r, Options{Details: true}); err != nil {
		t.Fatal(err)
	}
	want := string(readOrSkip(t, "testdata/vllm_0.32_block.txt"))
	got := b.String()
	if !strings.HasPrefix(got, want) {
		t.Errorf("(-vLLM +ours):\n%s", cmp.Diff(want, got[:min(len(got), len(want))]))
	}
}

// TestLabelsOfOursAreNotVLLMs: a script that greps a label must find one line.
func TestLabelsOfOursAreNotVLLMs(t *testing.T) {
	for name, r := range results(t) {
		var b bytes.Buffer
		if err := Console(&b, r, Options{Details: true, RunDir: "x"}); err != nil {
			t.Fatal(err)
		}
		seen := map[string]bool{}
		for line := range strings.Lines(b.String()) {
			label, _, ok := strings.Cut(line, ": ") // an address in a table is none
			if ok && label != "Warning" && seen[label] {
				t.Errorf("%s: label %q is there twice", name, label)
			}
			seen[label] = true
		}
	}
}
