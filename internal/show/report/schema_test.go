package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/inferometer/inferometer/internal/judge/measure"

	"github.com/inferometer/inferometer/internal/testfiles"
)

func schema(t *testing.T) *jsonschema.Resolved {
	t.Helper()
	b, err := os.ReadFile("../../../schema/result.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var s jsonschema.Schema
	if err := json.Unmarshal(b, &s); err != nil {
		t.Fatal(err)
	}
	rs, err := s.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	return rs
}

func validate(t *testing.T, rs *jsonschema.Resolved, b []byte) error {
	t.Helper()
	var v any
	if err := json.Unmarshal(b, &v); err != nil {
		t.Fatal(err)
	}
	return rs.Validate(v)
}

func TestSchemaHoldsForOurResults(t *testing.T) {
	rs := schema(t)
	for name, r := range results(t) {
		var b bytes.Buffer
		if err := JSON(&b, r, Options{RunDir: "x", Detailed: r.Details != nil}); err != nil {
			t.Fatal(err)
		}
		if err := validate(t, rs, b.Bytes()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestSchemaHoldsForVLLMsResults(t *testing.T) {
	rs := schema(t)
	for _, name := range []string{
		"testdata/vllm_0.32.json",
		testfiles.Path(t, "results", "vllm_bench", "vllm_0.32_bench_serve_detailed.json"),
	} {
		t.Run(filepath.Base(name), func(t *testing.T) {
			if err := validate(t, rs, readOrSkip(t, name)); err != nil {
				t.Error(err)
			}
		})
	}
}

// Tokens that nobody counted have no number, and the schema knows that.
func TestSchemaTakesUnknownTokens(t *testing.T) {
	rs, nulls := schema(t), regexp.MustCompile(`"(total_input_tokens|total_output_tokens|output_throughput|total_token_throughput)": [\d.]+`)
	for name, r := range results(t) {
		r.InputTokens = 0
		var b bytes.Buffer
		if err := JSON(&b, r, Options{RunDir: "x", Detailed: r.Details != nil}); err != nil {
			t.Fatal(err)
		}
		if r.Completed > 0 && !strings.Contains(b.String(), `"total_input_tokens": null`) {
			t.Errorf("%s: prompts that nobody counted have a number", name)
		}
		if err := validate(t, rs, b.Bytes()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	good, err := os.ReadFile("testdata/closed.json")
	if err != nil {
		t.Fatal(err)
	}
	at := nulls.FindAllIndex(good, 4)
	for _, i := range at {
		key, _, _ := strings.Cut(string(good[i[0]:i[1]]), ":")
		if err := validate(t, rs, []byte(string(good[:i[0]])+key+": null"+string(good[i[1]:]))); err != nil {
			t.Errorf("%s: %v", key, err)
		}
	}
	if len(at) != 4 {
		t.Errorf("%d keys", len(at))
	}
}

// TestSchemaRefuses: a schema that accepts everything would pass the tests above.
func TestSchemaRefuses(t *testing.T) {
	rs := schema(t)
	good, err := os.ReadFile("testdata/closed.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ what, old, new string }{
		{"a missing key", `"completed": 9, `, ``},
		{"a count that is a word", `"completed": 9`, `"completed": "9"`},
		{"a rate of another word", `"request_rate": "inf"`, `"request_rate": "fast"`},
		{"an outcome that does not exist", `"truncated": 1`, `"cut": 1`},
		{"another schema", `"schema": 1`, `"schema": 2`},
		{"a summary without a maximum", `"inter_chunk": {"mean_ms": 10.0, `, `"inter_chunk": {`},
		{"stamps by nobody", `"stamps": "kernel"`, `"stamps": "guess"`},
		{"unknown tokens without a reason", `"inter_token": {"known": true`, `"inter_token": {"known": false`},
		{"stalls of no length", `"stalls": {"threshold_ms": 100.0, `, `"stalls": {`},
		{"a share above 1", `"share": 0.0`, `"share": 1.5`},
		{"goodput that is a number", `"goodput": null`, `"goodput": 3`},
		{"metadata that is no string", `"date": `, `"mine": 1, "date": `},
		{"a statistic that is no number", `"mean_ttft_ms": `, `"p1_ttft_ms": "x", "mean_ttft_ms": `},
	} {
		bad := strings.Replace(string(good), tt.old, tt.new, 1)
		if bad == string(good) {
			t.Errorf("%s: %s is not in the golden file", tt.what, tt.old)
			continue
		}
		if validate(t, rs, []byte(bad)) == nil {
			t.Errorf("%s is accepted", tt.what)
		}
	}
}

// TestSchemaNamesEveryKeyOfOurs: a key that is written but not in the schema has no home.
func TestSchemaNamesEveryKeyOfOurs(t *testing.T) {
	b, err := os.ReadFile("../../../schema/result.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	for name, r := range results(t) {
		for _, m := range inferometer(r, Options{}) {
			if !strings.Contains(string(b), `"`+m.Key+`"`) {
				t.Errorf("%s: the schema does not know %s", name, m.Key)
			}
		}
	}
}

// TestResultOfTooManyRequests: its arrays are empty, it says why, and it is a result
// like any other; asked for in detail it has them all.
func TestResultOfTooManyRequests(t *testing.T) {
	write := func(opt measure.Options) (string, []byte) {
		r := measured(t, closed(), opt)
		var console, file bytes.Buffer
		shown := Options{RunDir: "x", Detailed: opt.Detailed}
		if err := errors.Join(Console(&console, r, shown), JSON(&file, r, shown)); err != nil {
			t.Fatal(err)
		}
		if err := validate(t, schema(t), file.Bytes()); err != nil {
			t.Error(err)
		}
		return console.String(), file.Bytes()
	}
	console, file := write(measure.Options{RowLimit: 5})
	if !bytes.Contains(file, []byte(`"latencies": [], "queue_times": [], `)) {
		t.Error("the arrays are not empty")
	}
	if !bytes.Contains(file, []byte(`"requests_sent": 12`)) {
		t.Error("the requests are not counted")
	}
	const why = "more than 5 requests"
	if !strings.Contains(console, why) || !bytes.Contains(file, []byte(why)) {
		t.Error("nobody is told why")
	}
	_, file = write(measure.Options{RowLimit: 5, Detailed: true})
	if bytes.Contains(file, []byte(`"latencies": []`)) || bytes.Contains(file, []byte(why)) {
		t.Error("a detailed result has its arrays")
	}
	crowd := measured(t, closed(), measure.Options{RowLimit: 5})
	if JSON(io.Discard, crowd, Options{Detailed: true}) == nil {
		t.Error("what was not measured in detail cannot be reported in detail")
	}
}
