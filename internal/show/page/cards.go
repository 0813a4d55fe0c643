package page

import (
	"fmt"
	"math"
	"strings"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/measure"
	"github.com/inferometer/inferometer/internal/judge/metric"
	"github.com/inferometer/inferometer/internal/judge/slo"
	"github.com/inferometer/inferometer/internal/show/number"
	"github.com/inferometer/inferometer/internal/show/section"
	"github.com/inferometer/inferometer/internal/show/table"
	"github.com/inferometer/inferometer/internal/stats"
)

// Card is one of the boxes on top: a number or a word in large, and what is to be said of it.
type Card struct {
	Title, Text, Unit string
	Class             string // of the text: how it is to be taken
	Notes             []string
}

// cards are the numbers of a run that a reader looks for first, each with its interval.
func cards(run *section.Run, limits slo.SLO) []Card {
	r := run.Result
	var list []Card
	if c, ok := accuracyCard(r.Eval); ok {
		list = append(list, c)
	}
	list = append(list, throughputCard(r))
	if r.Run.Options.Whole() { // an answer is one piece, and has no times of tokens
		list = append(list, latencyCard(r, "End to end, median", "e2el"))
	} else {
		list = append(list, latencyCard(r, "TTFT, median", "ttft"), latencyCard(r, "Between chunks, median", "itl"))
	}
	list = append(list, failureCard(r))
	if limits != nil {
		c := Card{Title: "SLO", Text: "not kept", Class: table.Bad, Notes: []string{limits.String()}}
		if section.Keeps(limits, r) {
			c.Text, c.Class = "kept", table.Good
		}
		list = append(list, c)
	}
	return list
}

func throughputCard(r *measure.Result) Card {
	c := Card{Title: "Output throughput", Text: short(r.OutputThroughput), Unit: "tok/s", Notes: intervalOf(r, "output_throughput")}
	c.Notes = append(c.Notes, fmt.Sprintf("%s req/s, peak %s tok/s", short(r.RequestThroughput), peak(r)))
	if r.Completed == 0 {
		c = Card{Title: c.Title, Text: number.None, Unit: c.Unit, Notes: []string{nothing}}
	}
	return c
}

func latencyCard(r *measure.Result, title, name string) Card {
	c := Card{Title: title, Text: short(section.Latency(r, "p50", name)), Unit: "ms"}
	high := section.Tabled(r, "p99", name)
	switch {
	case c.Text == number.None:
		c.Notes = []string{"not measured"}
	case math.IsNaN(section.Tabled(r, "p50", name)):
		c.Notes = []string{"too few values for a median"}
	case math.IsNaN(high):
		c.Notes = append(intervalOf(r, "median_"+name+"_ms"), "p99: too few values")
	default:
		c.Notes = append(intervalOf(r, "median_"+name+"_ms"), "p99 "+short(high)+" ms")
	}
	return c
}

func failureCard(r *measure.Result) Card {
	all := max(r.Requests, r.Completed+r.Failed)
	c := Card{Title: "Failures", Text: counted(r.Failed), Unit: "of " + counted(all), Class: table.Bad}
	if r.Failed == 0 {
		c.Class = ""
	}
	if all > 0 {
		low, high := stats.Wilson(r.Failed, all, r.Confidence.Level)
		c.Notes = []string{confidence(r, number.Share(low), number.Share(high))}
	}
	var kinds []string
	for _, o := range r.Outcomes {
		if o.Outcome != journal.Complete && o.Count > 0 {
			kinds = append(kinds, fmt.Sprintf("%s %s", counted(o.Count), o.Outcome))
		}
	}
	const most = 3
	if more := len(kinds) - most; more > 0 {
		kinds = append(kinds[:most], fmt.Sprintf("and %d more kinds", more))
	}
	if len(kinds) > 0 {
		c.Notes = append(c.Notes, strings.Join(kinds, ", "))
	}
	return c
}

// intervalOf is what chance may do to a number, in words; nil where that is not known.
func intervalOf(r *measure.Result, key string) []string {
	for i := range r.Confidence.Intervals {
		in := &r.Confidence.Intervals[i]
		if in.Key != key || in.Low == nil && in.High == nil {
			continue
		}
		switch {
		case in.High == nil:
			return []string{confidence(r, short(*in.Low), "")}
		case in.Low == nil:
			return []string{confidence(r, "", short(*in.High))}
		}
		return []string{confidence(r, short(*in.Low), short(*in.High))}
	}
	return nil
}

func confidence(r *measure.Result, low, high string) string {
	text := low + " to " + high
	switch {
	case high == "":
		text = "at least " + low
	case low == "":
		text = "at most " + high
	}
	return fmt.Sprintf("%g\u00a0%% interval: %s", 100*r.Confidence.Level, text)
}

// more are further numbers of a run, as words and what they say.
func more(run *section.Run) *table.Table {
	r, t := run.Result, &table.Table{}
	latency := func(title, name string) {
		if text := short(section.Tabled(r, "p50", name)); text != number.None {
			t.Fact(title, text+" ms")
		}
	}
	if !r.Run.Options.Whole() {
		latency("End to end, median", "e2el")
	}
	t.Fact("Load", section.Load(r))
	t.Fact("Duration", short(r.Duration)+" s")
	if r.SpecDecode != nil {
		rate, length := section.Acceptance(r)
		t.Fact("Draft tokens accepted", fmt.Sprintf("%s %%, accepted length %s", short(rate), short(length)))
	}
	for _, n := range metric.UsualNames(func(u *metric.Usual) []string { return u.Page }) {
		if v, ok := r.Number(n.Metric); ok && n.Statistic == "" && !n.Metric.OfQuestions {
			t.Fact(n.Metric.Title, strings.TrimSpace(short(v)+" "+n.Metric.Unit))
		}
	}
	return t
}

// peak is the most tokens in a second, in words.
func peak(r *measure.Result) string {
	if r.PeakTokensPerSecond == nil {
		return number.Unknown
	}
	return short(*r.PeakTokensPerSecond)
}
