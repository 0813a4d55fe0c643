// Package pictures draws what vLLM's client leaves beside a result when it is asked to: the requests in time, as a
// page, and the lengths of prompts and answers, as a picture. Both are functions of a journal alone.
package pictures

import (
	"fmt"
	"io"

	"github.com/inferometer/inferometer/internal/judge/chartdata"
	"github.com/inferometer/inferometer/internal/show/chart"
)

const (
	histogramBins = 30  // as vLLM's
	mostColumns   = 300 // of the last panel, where each request has one if there are no more
	panelWidth    = 560
	panelHeight   = 340
)

// DatasetStats are four panels: the lengths of prompts, of answers, of both together, and of each request.
func DatasetStats(l *chartdata.Lengths) *chart.Grid {
	list := l.Sorted()
	prompt, output, total := make([]float64, len(list)), make([]float64, len(list)), make([]float64, len(list))
	for i, one := range list {
		prompt[i], output[i], total[i] = float64(one.Prompt), float64(one.Output), float64(one.Prompt+one.Output)
	}
	g := &chart.Grid{Columns: 2, Charts: []*chart.Chart{
		histogram("Prompt tokens", prompt, 1), histogram("Output tokens", output, 2), histogram("Prompt and output tokens", total, 3),
		stacked(prompt, output),
	}}
	if l.Total > len(list) {
		g.Title = fmt.Sprintf("The first %d of %d requests that ended", len(list), l.Total)
	}
	return g
}

// WriteDatasetStats writes the picture: an SVG if asked for, else a PNG.
func WriteDatasetStats(w io.Writer, l *chartdata.Lengths, svg bool) error {
	g := DatasetStats(l)
	if svg {
		return g.SVG(w)
	}
	return g.PNG(w, 2, false)
}

const noRequests = "no request was measured"

func histogram(title string, values []float64, color int) *chart.Chart {
	edges, counts := bins(values)
	return &chart.Chart{
		Title: title, Width: panelWidth, Height: panelHeight, Empty: noRequests,
		X: chart.Axis{Label: "tokens"}, Y: chart.Axis{Label: "requests", Zero: true},
		Series: []chart.Series{{Name: "requests", Kind: chart.Bars, X: edges, Y: counts, Color: color}},
	}
}

// bins counts values in bins of one width, as NumPy's histogram does: the last one holds its upper end too, and where
// all values are the same there is half a token of room on either side.
func bins(values []float64) (edges, counts []float64) {
	if len(values) == 0 {
		return nil, nil
	}
	low, high := values[0], values[0]
	for _, v := range values {
		low, high = min(low, v), max(high, v)
	}
	if low == high {
		low, high = low-0.5, high+0.5
	}
	width := (high - low) / histogramBins
	edges, counts = make([]float64, histogramBins), make([]float64, histogramBins)
	for i := range edges {
		edges[i] = low + float64(i)*width
	}
	for _, v := range values {
		counts[min(int((v-low)/width), histogramBins-1)]++
	}
	return edges, counts
}

// stacked is each request's prompt with its answer on top. Where they are too many for a picture, neighbours share a
// column, which shows their mean.
func stacked(prompt, output []float64) *chart.Chart {
	each := (len(prompt) + mostColumns - 1) / mostColumns
	label := "request"
	if each > 1 {
		label = fmt.Sprintf("request; a column is the mean of %d", each)
	}
	var at, low, high []float64
	for i := 0; i < len(prompt); i += each {
		n := min(each, len(prompt)-i)
		p, o := mean(prompt[i:i+n]), mean(output[i:i+n])
		at, low, high = append(at, float64(i)), append(low, p), append(high, p+o)
	}
	return &chart.Chart{
		Title: "Tokens of each request", Width: panelWidth, Height: panelHeight, Empty: noRequests,
		X: chart.Axis{Label: label}, Y: chart.Axis{Label: "tokens", Zero: true},
		Series: []chart.Series{
			{Name: "prompt", Kind: chart.Bars, X: at, Y: low, Color: 1},
			{Name: "output", Kind: chart.Bars, X: at, Y: high, Low: low, Color: 2},
		},
	}
}

func mean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}
