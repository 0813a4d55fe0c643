package report

import (
	"testing"

	"github.com/inferometer/inferometer/internal/judge/measure"
)

func TestUntilOnTheConsole(t *testing.T) {
	half := 0.048
	for _, tt := range []struct {
		state *measure.UntilState
		want  string
	}{
		{nil, ""},
		{
			&measure.UntilState{Reached: true, Goals: []measure.GoalState{{Goal: "p99_ttft", Within: 0.05, HalfWidth: &half}}},
			"Until: reached: p99_ttft ±4.8 % of ±5 %\n",
		},
		{
			&measure.UntilState{Goals: []measure.GoalState{{Goal: "mean_tpot", Within: 0.01, HalfWidth: &half}, {Goal: "p99_ttft", Within: 0.05}}},
			"Until: not reached: mean_tpot ±4.8 % of ±1 %, p99_ttft no interval of ±5 %\n",
		},
	} {
		c := &console{}
		c.until(tt.state)
		if c.b.String() != tt.want {
			t.Errorf("%q, want %q", c.b.String(), tt.want)
		}
	}
}
