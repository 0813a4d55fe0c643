package page

import (
	"math"
	"sort"
)

// table is a table of the page: sorted by its heads, copied as Markdown or CSV.
type table struct {
	ID, Caption string
	Heads       []head
	Lines       [][]cell
}

type head struct {
	Text   string
	Number bool // to the right, sorted by value
}

type cell struct {
	Text  string
	Value *float64 // what a number is sorted by; nil: its text
	Class string
	Link  string // where a click leads; empty: nowhere
}

func words(text string) cell { return cell{Text: text} }

func value(v float64) cell {
	if math.IsNaN(v) {
		return cell{Text: number(v), Class: "num"} // nothing to sort by
	}
	return cell{Text: number(v), Value: &v}
}

func heads(texts ...string) []head {
	out := make([]head, len(texts))
	for i, t := range texts {
		out[i] = head{Text: t}
		if t != "" && t[0] == '#' { // numbers
			out[i] = head{t[1:], true}
		}
	}
	return out
}

// sortBy sorts indexes by what they point at.
func sortBy(indexes []int, values []float64) {
	sort.SliceStable(indexes, func(a, b int) bool { return values[indexes[a]] < values[indexes[b]] })
}
