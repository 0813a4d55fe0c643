package talk

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"time"
)

// Think is the time between an answer and the turn that follows it: a user reads and
// writes. The zero value is none.
type Think struct {
	Shape string // a name of shapes; empty: it is always A
	A, B  time.Duration
}

// maxThink bounds one draw: a tail without end would be a run without end.
const maxThink = 24 * time.Hour

// shapes are the distributions: what their numbers mean, and a draw.
var shapes = map[string]struct {
	numbers int
	draw    func(r *rand.Rand, a, b float64) float64
}{
	"exponential": {1, func(r *rand.Rand, mean, _ float64) float64 { return mean * r.ExpFloat64() }},
	"uniform":     {2, func(r *rand.Rand, low, high float64) float64 { return low + (high-low)*r.Float64() }},
	"normal":      {2, func(r *rand.Rand, mean, deviation float64) float64 { return mean + deviation*r.NormFloat64() }},
	"lognormal": {2, func(r *rand.Rand, mean, deviation float64) float64 {
		s2 := math.Log1p(deviation * deviation / (mean * mean))
		return math.Exp(math.Log(mean) - s2/2 + math.Sqrt(s2)*r.NormFloat64())
	}},
}

// Draw is one time, never below 0.
func (t Think) Draw(r *rand.Rand) time.Duration {
	if t.Shape == "" {
		return t.A
	}
	v := shapes[t.Shape].draw(r, float64(t.A), float64(t.B))
	return time.Duration(math.Min(math.Max(v, 0), float64(maxThink)))
}

const thinkForms = "needs a time such as 2s, or exponential:MEAN, uniform:LOW:HIGH, normal:MEAN:DEVIATION, lognormal:MEAN:DEVIATION"

// UnmarshalText reads a time, or a distribution and its times between colons.
func (t *Think) UnmarshalText(text []byte) error {
	parts := strings.Split(strings.TrimSpace(string(text)), ":")
	var parsed Think
	if s, known := shapes[parts[0]]; known {
		parsed.Shape, parts = parts[0], parts[1:]
		if len(parts) != s.numbers {
			return fmt.Errorf("%s, not %q", thinkForms, text)
		}
	} else if len(parts) != 1 {
		return fmt.Errorf("%s, not %q", thinkForms, text)
	}
	for i, p := range parts {
		d, err := time.ParseDuration(p)
		if p == "0" {
			d, err = 0, nil
		}
		if err != nil || d < 0 || d > maxThink {
			return fmt.Errorf("%s, not %q", thinkForms, text)
		}
		if i == 0 {
			parsed.A = d
		} else {
			parsed.B = d
		}
	}
	switch {
	case parsed.Shape == "uniform" && parsed.A > parsed.B:
		return fmt.Errorf("needs the lower time first, not %q", text)
	case parsed.Shape == "lognormal" && parsed.A == 0:
		return fmt.Errorf("needs a mean above 0, not %q", text)
	}
	*t = parsed
	return nil
}

// MarshalText writes what UnmarshalText reads.
func (t Think) MarshalText() ([]byte, error) {
	text := t.A.String()
	if t.Shape != "" {
		text = t.Shape + ":" + text
		if shapes[t.Shape].numbers == 2 {
			text += ":" + t.B.String()
		}
	}
	return []byte(text), nil
}
