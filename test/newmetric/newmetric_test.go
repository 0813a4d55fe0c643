// Package newmetric_test adds a metric per request and a number of the whole run as two
// rows, and finds them in every output and in every flag. No other file knows them.
package newmetric_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/inferometer/inferometer/internal/cli"
	"github.com/inferometer/inferometer/internal/judge/metric"
	"github.com/inferometer/inferometer/internal/judge/row"
)

// decodeTime is the time from a request's first token chunk to its last.
var decodeTime = metric.Metric{
	Name: "decode_time", Scope: metric.PerRequest, Unit: "ms", Better: metric.Lower,
	Doc: "time from a request's first token chunk to its last", Math: "*cₙ − c₁*",
	Short: "Decode", Title: "Decode Time", Always: true,
	Usual: metric.Usual{Compare: []string{"mean"}, List: []string{"p99"}, Columns: []string{"p99"}, Page: []string{"p90"}},
	Of:    func(r *row.Row) (float64, bool) { return r.Latency() - r.TTFT(), true },
}

var once = []string{""}

// outputShare is which part of all tokens the server generated.
var outputShare = metric.Metric{
	Name: "output_share", Scope: metric.PerRun, Unit: "tok/tok", Better: metric.Higher, Doc: "total_output_tokens / all tokens",
	Title: "Output tokens per token", Label: "output/all", Column: "out/all",
	Usual: metric.Usual{Compare: once, List: once, Columns: once, Page: once},
	Run: func(t *metric.Totals) (float64, bool) {
		return float64(t.OutputTokens) / float64(t.InputTokens+t.OutputTokens), true
	},
}

const (
	runs     = "../outputs/testdata/runs/"
	closed   = runs + "closed"
	faster   = runs + "faster"
	scenario = "../outputs/testdata/scenario.yaml"
)

func init() {
	metric.Add(decodeTime)
	metric.Add(outputShare)
}

func TestANewMetricIsOneRow(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	for _, tt := range []struct {
		where string
		args  []string
		code  int
		want  []string
	}{
		{"console", []string{"report", closed, "--percentile-metrics", "ttft,decode_time", "--details"}, 0, []string{
			"--Decode Time--", "Mean Decode (ms):", "P99 Decode (ms):", "Decode mean", "Output tokens per token:",
		}},
		{"JSON", []string{"report", closed, "--percentile-metrics", "decode_time", "--format", "json"}, 0, []string{
			`"mean_decode_time_ms": `, `"p99_decode_time_ms": `, `"numbers": {"output_share": 0.`, `"decode_time": {"mean_ms": `,
		}},
		{"CSV", []string{"report", closed, "--format", "csv"}, 0, []string{"median_decode_time_ms", ",output_share,"}},
		{"CSV, one line per request", []string{"report", closed, "--format", "csv", "--table", "requests"}, 0, []string{"decode_time_ms"}},
		{"Markdown", []string{"report", closed, "--format", "markdown"}, 0, []string{"| Decode  "}},
		{"HTML", []string{"report", closed, faster, "--format", "html"}, 0, []string{"Decode p90", "out/all", "Decode Time", ">Output tokens per token<"}},
		{"SVG", []string{"report", closed, "--format", "svg", "--chart", "decode_time"}, 0, []string{"Decode Time"}},
		{"SLO", []string{"report", closed, "--slo", "p90_decode_time<=1ns and output_share>=0.000001", "--details"}, 7, []string{
			"p90_decode_time<=1ns: broken, at ", "output_share>=0.000001: met, at 0.",
		}},
		{"goodput", []string{"report", closed, "--goodput", "decode_time:0.001", "--details"}, 0, []string{"decode_time:0.001:"}},
		{"compare", []string{"compare", closed, faster}, 0, []string{"mean Decode ms", "output/all"}},
		{"compare, a run per line", []string{"compare", closed, faster, "--list"}, 0, []string{"p99 Decode ms", "output/all"}},
		{"compare --metrics", []string{"compare", closed, faster, "--metrics", "p99_decode_time,output_share"}, 0, []string{"p99 Decode ms", "output/all"}},
		{"gate", []string{"compare", closed, faster, "--gate", "mean_decode_time<+1000% and output_share>-90%"}, 6, []string{
			"gate mean_decode_time<+1000%, faster: ", "gate output_share>-90%, faster: ",
		}},
		{"--percentile-metrics", []string{"bench", "serve", "--help"}, 0, []string{"decode_time"}},
		{"--percentile-metrics, a wrong one", []string{"bench", "serve", "--percentile-metrics", "speed"}, 2, []string{"decode_time"}},
		{"--until", []string{"bench", "serve", "--until", "p99_decode_time±5%"}, 2, []string{"has nothing to stop"}}, // it was read
		{"--columns", []string{"run", scenario, "--plan", "--columns", "p75_decode_time,output_share"}, 0, []string{"e2el,decode_time --metric-percentiles 50,75,90,95,99"}},
		{"--columns, a wrong one", []string{"run", scenario, "--plan", "--columns", "speed"}, 2, []string{"output_share", "decode_time"}},
		{"a scenario's SLO", []string{"run", scenario, "--check", "--slo", "p99_decode_time<1s and output_share>0.1"}, 0, nil},
	} {
		t.Run(tt.where, func(t *testing.T) {
			var out, errs bytes.Buffer
			code := cli.Main(t.Context(), tt.args, strings.NewReader(""), &out, &errs)
			text := out.String() + errs.String()
			if code != tt.code {
				t.Errorf("exit code %d, want %d", code, tt.code)
			}
			for _, want := range tt.want {
				if !strings.Contains(text, want) {
					t.Errorf("%q is not in the output", want)
				}
			}
			if t.Failed() {
				t.Logf("%.6000s", text)
			}
		})
	}
	manual := metric.Manual()
	for name, want := range map[string]string{
		"latencies": "| `decode_time` | time from a request's first token chunk to its last | *cₙ − c₁* | ms |\n",
		"numbers":   "| `output_share` | total_output_tokens / all tokens | tok/tok | higher |\n",
	} {
		if !strings.Contains(manual[name], want) {
			t.Errorf("docs/reference/metrics.md would lack %s", want)
		}
	}
}

// TestNothingElseNamesIt: the test would be worth nothing if another file had the names.
func TestNothingElseNamesIt(t *testing.T) {
	err := filepath.WalkDir("../../internal", func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") {
			return err
		}
		b, err := os.ReadFile(path)
		b = bytes.ReplaceAll(b, []byte("request_decode_time_seconds"), nil) // a server's name for a metric of its own
		if bytes.Contains(b, []byte("decode_time")) || bytes.Contains(b, []byte("output_share")) {
			t.Errorf("%s names the new metric", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
