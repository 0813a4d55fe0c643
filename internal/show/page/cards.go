package page

import (
	"fmt"
	"strings"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/measure"
	"github.com/inferometer/inferometer/internal/judge/metric"
	"github.com/inferometer/inferometer/internal/judge/slo"
	"github.com/inferometer/inferometer/internal/judge/verdict"
	"github.com/inferometer/inferometer/internal/show/number"
	"github.com/inferometer/inferometer/internal/show/section"
	"github.com/inferometer/inferometer/internal/show/table"
	"github.com/inferometer/inferometer/internal/stats"
)

// longMs is from where on a time is read more easily in seconds.
const longMs = 10_000

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
	if c := r.Jobs; c != nil && c.Time.Count > 0 {
		one := latencyCard(r, "Job, median", &c.Time.Summary, "median_job_ms", "p99_job_ms")
		if one.Unit == "ms" && c.Time.P50 >= longMs {
			one.Text, one.Unit = short(c.Time.P50/1000), "s"
		}
		one.Notes = append(one.Notes, section.JobRate(c)+" per hour", section.JobSplit(c))
		list = append(list, one)
	}
	list = append(list, throughputCard(r))
	if r.Run.Options.Whole() { // an answer is one piece, and has no times of tokens
		list = append(list, latencyCard(r, "End to end, median", &r.Latency.Sent.E2EL, "latency.sent.e2el.p50_ms", "latency.sent.e2el.p99_ms"))
	} else {
		list = append(list, latencyCard(r, "TTFT, median", &r.Latency.Sent.TTFT, "latency.sent.ttft.p50_ms", "latency.sent.ttft.p99_ms"), betweenCard(r))
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
	switch {
	case r.Completed == 0:
		return Card{Title: c.Title, Text: number.None, Unit: c.Unit, Notes: []string{nothing}}
	case r.Run.Options.Pooling: // its answers have no tokens
		c = Card{Title: "Throughput", Text: short(r.TotalTokenThroughput), Unit: c.Unit, Notes: intervalOf(r, "total_token_throughput")}
		c.Notes = append(c.Notes, short(r.RequestThroughput)+" req/s")
	default:
		c.Notes = append(c.Notes, fmt.Sprintf("%s req/s, peak %s tok/s", short(r.RequestThroughput), peak(r)))
	}
	return c
}

// betweenCard is the time between tokens, or between chunks where nobody knows how many tokens these hold.
func betweenCard(r *measure.Result) Card {
	switch t := r.InterToken.Summary; {
	case t == nil:
		return latencyCard(r, "Between chunks, median", &r.InterChunk, "median_itl_ms", "p99_itl_ms")
	case *t == r.InterChunk: // a token a chunk: then it has the same intervals
		return latencyCard(r, "Inter-token, median", t, "median_itl_ms", "p99_itl_ms")
	default:
		return latencyCard(r, "Inter-token, median", t, "", "")
	}
}

// latencyCard is the median of a latency and its p99; p50 and p99 are the keys of their intervals.
func latencyCard(r *measure.Result, title string, s *measure.Summary, p50, p99 string) Card {
	c := Card{Title: title, Text: short(s.P50), Unit: "ms"}
	switch n := int64(s.Count); {
	case n == 0:
		c.Text, c.Notes = number.None, []string{"not measured"}
	case n < verdict.Needs(50):
		c.Notes = []string{"too few values for a median"}
	case n < verdict.Needs(99):
		c.Notes = append(intervalOf(r, p50), "p99: too few values")
	default:
		c.Notes = append(intervalOf(r, p50), "p99 "+short(s.P99)+" ms"+bracketed(intervalEnds(r, p99)))
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
		c.Notes = []string{fmt.Sprintf("%g\u00a0%% interval: %s to %s", 100*r.Confidence.Level, number.Share(low), number.Share(high))}
	}
	var kinds []string
	for _, o := range r.Outcomes {
		if o.Outcome != journal.Complete && o.Outcome != journal.HungUp && o.Count > 0 {
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
	if text := intervalEnds(r, key); text != "" {
		return []string{fmt.Sprintf("%g\u00a0%% interval: %s", 100*r.Confidence.Level, text)}
	}
	return nil
}

// intervalEnds are those of an interval, of which one may not be known; empty: there is none.
func intervalEnds(r *measure.Result, key string) string {
	for i := range r.Confidence.Intervals {
		in := &r.Confidence.Intervals[i]
		switch {
		case in.Key != key || in.Low == nil && in.High == nil:
		case in.High == nil:
			return "at least " + short(*in.Low)
		case in.Low == nil:
			return "at most " + short(*in.High)
		default:
			return short(*in.Low) + " to " + short(*in.High)
		}
	}
	return ""
}

func bracketed(text string) string {
	if text == "" {
		return ""
	}
	return " (" + text + ")"
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
	if f := r.Recovery; f != nil {
		t.Fact("Faults", section.FaultsWords(f))
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
