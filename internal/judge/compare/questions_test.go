package compare

import (
	"math"
	"testing"

	"github.com/inferometer/inferometer/internal/judge/result"
)

// asked is a side whose runs had so many of 200 questions right.
func asked(name string, right ...int) Side {
	s := Side{Name: name}
	for _, n := range right {
		const of, z = 200.0, 1.959964
		p := float64(n) / of
		middle, half := (p+z*z/(2*of))/(1+z*z/of), z/(1+z*z/of)*math.Sqrt(p*(1-p)/of+z*z/(4*of*of))
		s.Runs = append(s.Runs, result.Result{
			Name: name, Tool: result.Inferometer, Values: map[string]float64{"accuracy": p, "no_answer_share": 0.01},
			Intervals: map[string]result.Interval{"accuracy": {Low: middle - half, High: middle + half, Level: 0.95}},
		})
	}
	return s
}

// TestAccuracyOfRepeats: greedy runs repeat themselves to the last answer. That makes no
// difference of one question real; a large one is so without repeats.
func TestAccuracyOfRepeats(t *testing.T) {
	for _, tt := range []struct {
		name string
		a, b Side
		want Call
	}{
		{"one question, one run", asked("a", 160), asked("b", 161), Unclear},
		{"one question, five equal runs", asked("a", 160, 160, 160, 160, 160), asked("b", 161, 161, 161, 161, 161), Unclear},
		{"ten questions, three runs", asked("a", 160, 160, 160), asked("b", 150, 150, 150), Unclear},
		{"fifty questions, one run", asked("a", 160), asked("b", 110), Real},
		{"fifty questions, three runs", asked("a", 160, 161, 160), asked("b", 110, 110, 111), Real},
	} {
		c, err := Compare([]Side{tt.a, tt.b}, Options{Metrics: []string{"accuracy", "no_answer_share"}})
		if err != nil {
			t.Fatal(err)
		}
		if ch := c.Rows[0].Cells[1].Change; ch == nil || ch.Call != tt.want || ch.Runs != len(tt.a.Runs) {
			t.Errorf("%s: %+v", tt.name, ch)
		}
		if ch := c.Rows[1].Cells[1].Change; ch == nil || ch.Call != Unknown {
			t.Errorf("%s: a share without an interval is called %+v", tt.name, ch)
		}
	}
}
