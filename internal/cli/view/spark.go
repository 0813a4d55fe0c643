package view

import (
	"math"
	"strings"
)

// eighths are the heights of a cell's bar.
var eighths = []rune(" ▁▂▃▄▅▆▇█")

// spark draws values as bars of some rows' height, from nothing to top; the upper row first.
// What is known and not above nothing is a dot: it is there.
func spark(values []float64, top float64, rows int) []string {
	out := make([]string, rows)
	for row := range rows {
		var b strings.Builder
		below := (rows - 1 - row) * 8 // eighths under this row
		for _, v := range values {
			b.WriteRune(cell(v, top, rows, below))
		}
		out[row] = b.String()
	}
	return out
}

func cell(v, top float64, rows, below int) rune {
	switch {
	case math.IsNaN(v):
		return ' '
	case top <= 0 || v <= 0:
		if below == 0 {
			return '·'
		}
		return ' '
	}
	height := int(math.Ceil(min(v/top, 1) * float64(rows*8)))
	return eighths[min(max(height-below, 0), 8)]
}
