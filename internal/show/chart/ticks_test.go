package chart

import (
	"bytes"
	"strings"
	"testing"
)

// Ticks that the chart itself names are shown as far as there is room for their words,
// and a point says its hint in place of its numbers.
func TestGivenTicksAndHints(t *testing.T) {
	c := Chart{X: Axis{Ticks: []Tick{{0, "first"}, {1, "second"}, {1.001, "no room"}, {50, "beyond"}}}, Series: []Series{
		{Kind: Points, X: []float64{0, 2}, Y: []float64{1, 2}, Hints: []string{"run <1>", "run 2"}},
	}}
	var b bytes.Buffer
	if err := c.SVG(&b); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]bool{
		">first<": true, ">second<": true, ">no room<": false, ">beyond<": false, "<title>run &lt;1&gt;</title>": true,
		`text-anchor="middle">0.5<`: false, // a round number of the usual axis
	} {
		if got := strings.Contains(b.String(), text); got != want {
			t.Errorf("%s: is there: %v, want %v", text, got, want)
		}
	}
}
