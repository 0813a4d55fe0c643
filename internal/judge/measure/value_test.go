package measure

import "testing"

func TestValue(t *testing.T) {
	goodput := 3.0
	r := &Result{
		Requests: 10, Completed: 8, Failed: 2, RequestThroughput: 4, Goodput: &goodput,
		Metrics: []MetricStats{{Metric{Name: "ttft"}, Stats{N: 8, Mean: 5, Median: 4, Std: 1, Percentiles: []Percentile{{99, 9}, {99.9, 10}}}}, {Metric{Name: "itl"}, Stats{}}},
	}
	for name, want := range map[string]float64{
		"failed": 2, "failed_share": 0.2, "completed_share": 0.8, "request_throughput": 4, "request_goodput": 3,
		"mean_ttft": 5, "median_ttft": 4, "std_ttft": 1, "p99_ttft": 9, "p99.9_ttft": 10,
	} {
		if got, ok := r.Value(name); !ok || got != want {
			t.Errorf("%s: %v, %v, want %v", name, got, ok, want)
		}
	}
	r.Goodput = nil
	for _, name := range []string{"p95_ttft", "p99_itl", "mean_e2el", "request_goodput", "nothing"} {
		if got, ok := r.Value(name); ok {
			t.Errorf("%s: %v is known", name, got)
		}
	}
}
