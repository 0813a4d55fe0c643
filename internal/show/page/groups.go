package page

import (
	"fmt"
	"math"
	"strconv"

	"github.com/inferometer/inferometer/internal/judge/measure"
	"github.com/inferometer/inferometer/internal/judge/verdict"
	"github.com/inferometer/inferometer/internal/show/chart"
)

// groupView is the part of a run's report on its conversations or its adapters.
type groupView struct {
	Title   string
	Table   *table // of conversations as a whole; nil: none
	Figures []figure
	Each    *table
	Notes   []string
}

// groupViews are the conversations of a run and its adapters, where it has two at least.
func groupViews(d *drawer, id string, r *measure.Result) (list []groupView) {
	if r.Conversations != nil || len(r.ByTurn.All()) > 1 {
		v := groupView{Title: "Conversations", Table: conversationTable(id+"-conversations", r.Conversations), Each: groupTable(id+"-turns", "turn", r.ByTurn)}
		if len(r.ByTurn.All()) > 1 {
			v.Figures = []figure{d.half(id+"-turn-ttft", ttftByTurn(r.ByTurn)), d.half(id+"-turn-prompt", promptByTurn(r.ByTurn))}
		}
		v.Notes = groupNotes("turns", r.ByTurn)
		list = append(list, v)
	}
	if len(r.ByAdapter.All()) > 1 {
		list = append(list, groupView{Title: "Adapters", Each: groupTable(id+"-adapters", "adapter", r.ByAdapter), Notes: groupNotes("adapters", r.ByAdapter)})
	}
	return list
}

// groupNotes say what a reader of the table must know.
func groupNotes(what string, g *measure.Groups) (notes []string) {
	if g == nil {
		return nil
	}
	if g.More != nil {
		notes = append(notes, fmt.Sprintf("Only %s %s stand by themselves; the last line has all others together.", count(g.Bound), what))
	}
	for _, one := range g.All() {
		if one.Cached.Known < one.Completed {
			return append(notes, "The cached share is of the requests of which the server told it; “known” is how many those are.")
		}
	}
	return notes
}

func groupTable(id, what string, g *measure.Groups) *table {
	if g == nil {
		return nil
	}
	t := &table{ID: id, Caption: "By " + what + "; latencies of the requests that succeeded, in ms", Heads: heads("#"+what, "#requests", "#failed", "#prompt tokens", "#cached %", "#known",
		"#TTFT mean", "#TTFT p50", "#TTFT p90", "#TTFT p99", "#TPOT p50", "#ITL p50", "#E2EL p50", "#E2EL p99", "#output tok/s")}
	for _, one := range g.All() {
		name := cell{Text: g.Name(&one), Class: "long"}
		if one.Turn > 0 {
			name = value(float64(one.Turn))
		}
		prompt, share := math.NaN(), math.NaN()
		if one.Prompt.Known > 0 {
			prompt = one.Prompt.Mean
		}
		if v, ok := one.Cached.Share(); ok {
			share = v * 100
		}
		t.Lines = append(t.Lines, []cell{
			name, value(float64(one.Requests)), value(float64(one.Failed)), value(prompt), value(share), value(float64(one.Cached.Known)),
			mean(&one.TTFT), carried(&one.TTFT.Summary, 50, one.TTFT.P50), carried(&one.TTFT.Summary, 90, one.TTFT.P90), carried(&one.TTFT.Summary, 99, one.TTFT.P99),
			carried(&one.TPOT.Summary, 50, one.TPOT.P50), carried(&one.ITL.Summary, 50, one.ITL.P50),
			carried(&one.E2EL.Summary, 50, one.E2EL.P50), carried(&one.E2EL.Summary, 99, one.E2EL.P99), value(one.OutputThroughput),
		})
	}
	if what == "adapter" {
		t.Heads[0].Number = false
	}
	return t
}

func mean(l *measure.GroupLatency) cell {
	if l.Count == 0 {
		return value(math.NaN())
	}
	return value(l.Mean)
}

// conversationTable is what was measured of conversations as a whole.
func conversationTable(id string, c *measure.Conversations) *table {
	if c == nil {
		return nil
	}
	t := &table{ID: id, Caption: "Conversations as a whole", Heads: heads("what", "value")}
	add := func(what, text string) { t.Lines = append(t.Lines, []cell{words(what), {Text: text, Class: "long"}}) }
	add("begun", count(c.Begun))
	add("complete", count(c.Complete))
	for _, part := range []struct {
		what string
		n    int
	}{{"failed: a turn failed, and no more were sent", c.Failed}, {"abandoned: the run ended before they did", c.Abandoned}, {"of unknown end", c.Open}} {
		if part.n > 0 {
			add(part.what, count(part.n))
		}
	}
	add("turns", fmt.Sprintf("%s planned, %s sent, %s complete, %s never sent",
		number(float64(c.Turns.Planned)), number(float64(c.Turns.Sent)), number(float64(c.Turns.Complete)), number(float64(c.Turns.Skipped))))
	add("complete per second", number(c.Rate))
	if c.Time.Count > 0 {
		add("time to done, ms", spreadWords(&c.Time))
		add("time to done without think time, ms", spreadWords(&c.Busy))
		add("think time, ms, mean", number(c.Think))
	}
	add("turns of one that succeeded", amountWords(&c.TurnsEach, 1))
	add("prompt tokens of one, as the server counted", amountWords(&c.PromptTokens, 1))
	add("output tokens of one", amountWords(&c.OutputTokens, 1))
	add("cached share of one, %", amountWords(&c.CachedShare, 100))
	return t
}

func spreadWords(l *measure.GroupLatency) string {
	return fmt.Sprintf("mean %s, p50 %s, p90 %s, p99 %s, max %s", number(l.Mean), number(l.P50),
		carried(&l.Summary, 90, l.P90).Text, carried(&l.Summary, 99, l.P99).Text, number(l.Max))
}

func amountWords(a *measure.Amounts, scale float64) string {
	if a.Count == 0 {
		return "unknown"
	}
	return fmt.Sprintf("mean %s, p50 %s, p90 %s, max %s, known of %s", number(a.Mean*scale), number(a.P50*scale), number(a.P90*scale), number(a.Max*scale), count(a.Count))
}

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
