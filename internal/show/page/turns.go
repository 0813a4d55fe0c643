package page

import (
	"strconv"

	"github.com/inferometer/inferometer/internal/judge/measure"
	"github.com/inferometer/inferometer/internal/judge/verdict"
	"github.com/inferometer/inferometer/internal/show/chart"
)

// ttftByTurn is the time to the first token, turn by turn.
func ttftByTurn(g *measure.Groups) *chart.Chart {
	p50, p90 := chart.Series{Name: "p50", Kind: chart.LinePoints}, chart.Series{Name: "p90", Kind: chart.LinePoints, Dashed: true}
	for i := range g.Each {
		one := &g.Each[i]
		if int64(one.TTFT.Count) >= verdict.Needs(50) {
			p50.X, p50.Y = append(p50.X, float64(one.Turn)), append(p50.Y, one.TTFT.P50)
		}
		if int64(one.TTFT.Count) >= verdict.Needs(90) {
			p90.X, p90.Y = append(p90.X, float64(one.Turn)), append(p90.Y, one.TTFT.P90)
		}
	}
	return turnChart(g, &chart.Chart{Title: "TTFT by turn", Y: chart.Axis{Label: "ms", Zero: true}}, p50, p90)
}

// promptByTurn is the mean prompt, turn by turn, and what the server had cached of it.
func promptByTurn(g *measure.Groups) *chart.Chart {
	prompt, cached := chart.Series{Name: "prompt", Kind: chart.LinePoints}, chart.Series{Name: "of it cached", Kind: chart.LinePoints, Dashed: true}
	for i := range g.Each {
		one := &g.Each[i]
		if one.Prompt.Known > 0 {
			prompt.X, prompt.Y = append(prompt.X, float64(one.Turn)), append(prompt.Y, one.Prompt.Mean)
		}
		if one.Cached.Known > 0 {
			cached.X, cached.Y = append(cached.X, float64(one.Turn)), append(cached.Y, float64(one.Cached.Tokens)/float64(one.Cached.Known))
		}
	}
	c := turnChart(g, &chart.Chart{Title: "Prompt by turn, as the server counted", Y: chart.Axis{Label: "tokens", Zero: true}}, prompt, cached)
	c.Empty = "unknown: the server counted no prompt"
	return c
}

// turnChart has the turns on its lower axis: whole numbers only.
func turnChart(g *measure.Groups, c *chart.Chart, series ...chart.Series) *chart.Chart {
	c.X, c.Empty = chart.Axis{Label: "turn"}, nothing
	step := 1 + len(g.Each)/20
	for i := range g.Each {
		if turn := g.Each[i].Turn; i%step == 0 {
			c.X.Ticks = append(c.X.Ticks, chart.Tick{At: float64(turn), Label: strconv.Itoa(turn)})
		}
	}
	for _, s := range series {
		if len(s.X) > 0 {
			c.Series = append(c.Series, s)
		}
	}
	return c
}
