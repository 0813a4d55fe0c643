package chart

import (
	"math"
	"strings"
	"testing"
)

// TestWhiskers: a point with its interval lies on the line of its name, and a name that is
// too long for the picture is cut.
func TestWhiskers(t *testing.T) {
	zero, one, half, most := 0.0, 1.0, 0.5, 2.5
	c := &Chart{
		X: Axis{Min: &zero, Max: &one}, Y: Axis{Min: &half, Max: &most, Ticks: []Tick{{2, "first"}, {1, strings.Repeat("long ", 100)}}}, Width: 400, Height: 200,
		Series: []Series{{Kind: Whiskers, X: []float64{0.5, math.NaN()}, Y: []float64{2, 1}, Low: []float64{0.25, 0}, High: []float64{0.75, math.NaN()}, Hints: []string{"first: <0.5>", ""}}},
	}
	_, _, marks := c.layout()
	var bars, dots, names []mark
	for _, m := range marks {
		switch {
		case m.shape == path && m.class == "s1":
			bars = append(bars, m)
		case m.shape == dot:
			dots = append(dots, m)
		case m.shape == words && m.anchor == "end":
			names = append(names, m)
		}
	}
	if len(bars) != 3 || len(dots) != 1 || len(names) != 2 {
		t.Fatalf("%d bars, %d dots, %d names", len(bars), len(dots), len(names))
	}
	d, bar := dots[0].points[0], bars[0].points
	if bar[0].y != d.y || bar[1].y != d.y || math.Abs((bar[0].x+bar[1].x)/2-d.x) > 1e-9 || bar[1].x-bar[0].x < 50 {
		t.Errorf("%v around %v", bar, d)
	}
	for _, n := range names {
		if wide := float64(len([]rune(n.text))) * charWidth; n.points[0].x-wide < 0 || n.points[0].x > 400*2/5 {
			t.Errorf("%q begins at %v", n.text, n.points[0].x-wide)
		}
	}
	var b strings.Builder
	if err := c.Inline(&b); err != nil || strings.Contains(b.String(), "<0.5>") || !strings.Contains(b.String(), "first: &lt;0.5&gt;") {
		t.Errorf("%v %s", err, b.String())
	}
}
