package live

import "testing"

func TestEstimate(t *testing.T) {
	for name, c := range map[string]struct {
		state        State
		share, stood float64
		want         float64
	}{
		"by requests":                      {State{At: 10, Total: 40}, 0.25, 0, 30},
		"by time":                          {State{At: 5, Length: 20}, 1, 0, 15},
		"by time, before its requests":     {State{At: 5, Total: 100, Length: 20}, 0.01, 0, 15},
		"by requests, before its time":     {State{At: 5, Total: 100, Length: 20}, 0.5, 0, 5},
		"time that stood still is no pace": {State{At: 15, Length: 20}, 0, 10, 15},
		"no end is known":                  {State{At: 5}, 0.5, 0, 0},
		"the last ones take longer":        {State{At: 25, Length: 20}, 0, 0, 0},
	} {
		if got := c.state.Estimate(c.share, c.stood); got != c.want {
			t.Errorf("%s: %g s left, want %g", name, got, c.want)
		}
	}
}
