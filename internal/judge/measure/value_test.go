package measure

import (
	"testing"

	"github.com/inferometer/inferometer/internal/judge/metric"
	"github.com/inferometer/inferometer/internal/judge/sample"
)

func TestValue(t *testing.T) {
	r := &Result{
		Duration: 2, Requests: 10, Completed: 8, Failed: 2, Limits: &Goodput{Good: 6, Tokens: 20},
		Metrics: []MetricStats{{metric.Metric{Name: "ttft"}, sample.Stats{N: 8, Mean: 5, Median: 4, Std: 1, Percentiles: []sample.Percentile{{P: 99, Value: 9}, {P: 99.9, Value: 10}}}}, {metric.Metric{Name: "itl"}, sample.Stats{}}},
	}
	for name, want := range map[string]float64{
		"failed": 2, "failed_share": 0.2, "completed_share": 0.8, "request_throughput": 4, "request_goodput": 3, "output_token_goodput": 10, "goodput": 3,
		"mean_ttft": 5, "median_ttft": 4, "std_ttft": 1, "p99_ttft": 9, "p99.9_ttft": 10,
	} {
		if got, ok := r.Value(name); !ok || got != want {
			t.Errorf("%s: %v, %v, want %v", name, got, ok, want)
		}
	}
	r.Limits = nil
	for _, name := range []string{"p95_ttft", "p99_itl", "mean_e2el", "request_goodput", "nothing"} {
		if got, ok := r.Value(name); ok {
			t.Errorf("%s: %v is known", name, got)
		}
	}
}
