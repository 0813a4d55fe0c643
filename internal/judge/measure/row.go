package measure

import "github.com/inferometer/inferometer/internal/judge/row"

// Row is what is kept per request.
type Row = row.Row

// Detail is the rest of a request, kept only for detailed results.
type Detail struct {
	ITL   []float64 // seconds between token chunks
	Text  string
	Error string // empty for a success
}

func seconds(ns int64) float64 { return row.Seconds(ns) }
