package sweep

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// The levels are numpy.linspace's inner values, rounded to even and each once.
func TestSpread(t *testing.T) {
	for _, test := range []struct {
		low, high float64
		n         int
		want      []int
	}{
		{1, 10, 10, []int{2, 3, 4, 5, 6, 7, 8, 9}},
		{3, 5, 10, []int{3, 4, 5}},
		{1, 2, 3, []int{2}}, // 1.5
		{2, 3, 3, []int{2}}, // 2.5: to the even one, as Python rounds
		{10, 1, 4, []int{4, 7}},
		{1, 9, 2, nil},
	} {
		if got := spread(test.low, test.high, test.n); !slices.Equal(got, test.want) {
			t.Errorf("%v to %v in %d: %v, want %v", test.low, test.high, test.n, got, test.want)
		}
	}
}

func TestEstimate(t *testing.T) {
	runs := []Object{
		{{"request_throughput", json.Number("4")}, {"mean_e2el_ms", json.Number("500")}},
		{{"request_throughput", json.Number("6")}, {"mean_e2el_ms", json.Number("1000")}},
	}
	for variable, want := range map[string]float64{RequestRate: 5, MaxConcurrency: 4} {
		if got, err := (&Workload{Var: variable}).estimate(runs); err != nil || got != want {
			t.Errorf("%s: %v, %v; want %v", variable, got, err, want)
		}
	}
	if _, err := (&Workload{Var: MaxConcurrency}).estimate([]Object{{{"request_throughput", json.Number("4")}}}); err == nil ||
		!strings.Contains(err.Error(), "mean_e2el_ms") {
		t.Error(err)
	}
}

func TestPrompts(t *testing.T) {
	for _, test := range []struct {
		command []string
		bench   Item
		want    int
	}{
		{[]string{"b"}, nil, 1000},
		{[]string{"b", "--num-prompts", "7"}, nil, 7},
		{[]string{"b", "--num_prompts=7"}, nil, 7},
		{[]string{"b", "--num-prompts", "7"}, Item{{"num_prompts", json.Number("9")}}, 9},
	} {
		w := Workload{Runner: Runner{Plan: Plan{Bench: test.command}}}
		if got, err := w.prompts(test.bench); err != nil || got != test.want {
			t.Errorf("%q, %s: %d, %v; want %d", test.command, test.bench, got, err, test.want)
		}
	}
}
