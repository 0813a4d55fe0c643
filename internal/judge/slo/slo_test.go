package slo

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestJudge(t *testing.T) {
	const text = "p99_ttft<=500ms and failed<1% and output_throughput>=100"
	s, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name    string
		values  map[string]float64
		want    Status
		binding string
	}{
		{"all hold", map[string]float64{"p99_ttft": 400, "failed_share": 0, "output_throughput": 200}, Met, "p99_ttft<=500ms: met, at 400ms"},
		{"at the limit", map[string]float64{"p99_ttft": 500, "failed_share": 0, "output_throughput": 100}, Met, "p99_ttft<=500ms: met, at 500ms"},
		{"one is broken", map[string]float64{"p99_ttft": 400, "failed_share": 0.02, "output_throughput": 99}, Broken, "failed<1%: broken, at 2%"},
		{"one is unknown", map[string]float64{"p99_ttft": 400, "failed_share": 0}, Unknown, "p99_ttft<=500ms: met, at 400ms"},
		{"broken wins over unknown", map[string]float64{"p99_ttft": 501}, Broken, "p99_ttft<=500ms: broken, at 501ms"},
		{"a value that is no number", map[string]float64{"p99_ttft": math.NaN(), "failed_share": 0, "output_throughput": 200}, Unknown, "output_throughput>=100: met, at 200"},
		{"nothing is known", nil, Unknown, ""},
	} {
		j := s.Judge(func(m string) (float64, bool) { v, ok := tt.values[m]; return v, ok })
		binding := ""
		if b := j.Binding(); b != nil {
			binding = b.String()
		}
		if j.Status() != tt.want || binding != tt.binding || len(j.Checks) != 3 {
			t.Errorf("%s: %s, binding %q; want %s, %q", tt.name, j.Status(), binding, tt.want, tt.binding)
		}
	}
	if diff := cmp.Diff([]float64{99}, s.Percentiles()); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"ttft"}, s.Latencies()); diff != "" {
		t.Error(diff)
	}
}

// A clause that holds for the value and not for all that it may be is not known to hold.
func TestWithin(t *testing.T) {
	s, err := Parse("p99_itl<=50ms")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		value, low, high float64
		known            bool
		want             Status
		words            string
	}{
		{40, 30, 49, true, Met, "p99_itl<=50ms: met, at 40ms"},
		{40, 30, 60, true, Unknown, "p99_itl<=50ms: not known, somewhere between 30ms and 60ms: events share reads"},
		{60, 30, 60, true, Broken, "p99_itl<=50ms: broken, at 60ms"},
		{40, 0, 0, false, Met, "p99_itl<=50ms: met, at 40ms"},
	} {
		j := s.Judge(func(string) (float64, bool) { return tt.value, true }).Within(func(string) (float64, float64, bool) { return tt.low, tt.high, tt.known })
		if j.Status() != tt.want || j.Checks[0].String() != tt.words {
			t.Errorf("%+v: %s, %s", tt, j.Status(), j.Checks[0])
		}
	}
}
