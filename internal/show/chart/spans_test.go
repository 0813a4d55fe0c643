package chart

import (
	"strings"
	"testing"
)

// TestSpans draws lying bars: the lower axis reaches from the first begin to the last end.
func TestSpans(t *testing.T) {
	c := &Chart{Width: 400, Height: 200, Series: []Series{
		{Kind: Spans, X: []float64{1, 5}, Y: []float64{-1, -2}, Low: []float64{1, 5}, High: []float64{4, 9}, Hints: []string{"first", "<b>"}},
		{Kind: Spans, Dashed: true, X: []float64{4}, Y: []float64{-1}, Low: []float64{4}, High: []float64{5}},
	}}
	var b strings.Builder
	if err := c.Inline(&b); err != nil {
		t.Fatal(err)
	}
	svg := b.String()
	if strings.Count(svg, "<rect") != 3 || !strings.Contains(svg, "<title>first</title>") || strings.Contains(svg, "<b>") {
		t.Error(svg)
	}
	if x, _ := c.Ends(); x[0] > 1 || x[1] < 9 {
		t.Errorf("the axis is from %v to %v", x[0], x[1])
	}
}
