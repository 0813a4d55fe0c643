package summary

import (
	"cmp"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/measure"
	"github.com/inferometer/inferometer/internal/judge/sample"
	"github.com/inferometer/inferometer/internal/judge/verdict"
	"github.com/inferometer/inferometer/internal/show/number"
)

// requests are how many there were and how they ended.
func requests(r *measure.Result) string {
	o := &r.Run.Options
	of := r.Requests
	if r.Partial {
		of = max(of, o.NumPrompts)
	}
	complete := 0 // by vLLM's rules some that broke are counted as completed
	for _, c := range r.Outcomes {
		if c.Outcome == journal.Complete {
			complete = c.Count
		}
	}
	words := fmt.Sprintf("%d of %d completed in %s", complete, of, number.Short(r.Duration)+" s")
	rest := slices.DeleteFunc(slices.Clone(r.Outcomes), func(c measure.OutcomeCount) bool { return c.Count == 0 || c.Outcome == journal.Complete })
	slices.SortStableFunc(rest, func(a, b measure.OutcomeCount) int { return cmp.Compare(b.Count, a.Count) })
	mark := ";"
	for _, c := range rest {
		words += fmt.Sprintf("%s %d %s", mark, c.Count, c.Outcome)
		mark = ","
	}
	return words
}

// cell is a number, with what is before and behind it.
type cell struct{ name, value, unit, interval string }

// figures are throughput and latencies, under one another; intervals: some have one.
func figures(r *measure.Result) (lines []string, intervals bool) {
	if r.Completed == 0 {
		return nil, false
	}
	f := &figuring{of: map[string]*sample.Interval{}}
	for i := range r.Confidence.Intervals {
		in := &r.Confidence.Intervals[i]
		f.of[in.Key] = &in.Interval
	}
	labels, rows := []string{"Throughput"}, [][2]cell{f.throughput(r)}
	latency := func(label string, s *measure.Summary, p50, p99 string) {
		if s != nil && s.Count > 0 {
			labels, rows = append(labels, label), append(rows, [2]cell{f.latency("p50", s.P50, f.of[p50]), f.p99(s, f.of[p99])})
		}
	}
	if c := r.Jobs; c != nil {
		latency("Job", &c.Time.Summary, "median_job_ms", "p99_job_ms")
	}
	if r.Run.Options.Whole() {
		latency("Latency", &r.Latency.Sent.E2EL, "latency.sent.e2el.p50_ms", "latency.sent.e2el.p99_ms")
	} else {
		latency("TTFT", &r.Latency.Sent.TTFT, "latency.sent.ttft.p50_ms", "latency.sent.ttft.p99_ms")
		switch t := r.InterToken.Summary; {
		case t == nil:
			latency("Inter-chunk", &r.InterChunk, "median_itl_ms", "p99_itl_ms")
		case *t == r.InterChunk: // a token a chunk: then it has the same intervals
			latency("Inter-token", t, "median_itl_ms", "p99_itl_ms")
		default:
			latency("Inter-token", t, "", "")
		}
	}
	for _, drop := range []int{2, 1, 0} { // intervals of that many columns, as far as there is room
		lines = aligned(labels, rows, drop)
		if !slices.ContainsFunc(lines, func(line string) bool { return utf8.RuneCountInString(line) > Width }) {
			return lines, f.some && drop > 0
		}
	}
	return lines, false
}

// aligned sets the cells under one another; only the first columns have their intervals.
func aligned(labels []string, rows [][2]cell, whole int) (lines []string) {
	texts := make([][2]string, len(rows))
	for column := range 2 {
		names, values := 0, 0
		for i := range rows {
			names, values = max(names, len(rows[i][column].name)), max(values, utf8.RuneCountInString(rows[i][column].value))
		}
		for i := range rows {
			c := &rows[i][column]
			text := fmt.Sprintf("%-*s %*s %s", names, c.name, values, c.value, c.unit)
			if c.interval != "" && column < whole {
				text += " " + c.interval
			}
			texts[i][column] = text
		}
	}
	first := 0
	for i := range texts {
		first = max(first, utf8.RuneCountInString(texts[i][0]))
	}
	for i := range texts {
		lines = append(lines, fmt.Sprintf("%-*s%-*s  %s", labelWidth, labels[i], first, texts[i][0], texts[i][1]))
	}
	return lines
}

// figuring remembers whether an interval was shown.
type figuring struct {
	of   map[string]*sample.Interval
	some bool
}

func (f *figuring) throughput(r *measure.Result) [2]cell {
	tokens := cell{"", number.Short(r.OutputThroughput), "output tok/s", f.interval(f.of["output_throughput"], 1)}
	if r.Run.Options.Pooling { // its answers have no tokens
		tokens = cell{"", number.Short(r.TotalTokenThroughput), "tok/s", f.interval(f.of["total_token_throughput"], 1)}
	}
	return [2]cell{{"", number.Short(r.RequestThroughput), "req/s", f.interval(f.of["request_throughput"], 1)}, tokens}
}

// latency is one in ms, long ones in seconds.
func (f *figuring) latency(name string, ms float64, in *sample.Interval) cell {
	const long = 10_000
	if ms >= long {
		return cell{name, number.Short(ms / 1000), "s", f.interval(in, 1000)}
	}
	return cell{name, number.Short(ms), "ms", f.interval(in, 1)}
}

// p99 is n/a where the values are too few for one.
func (f *figuring) p99(s *measure.Summary, in *sample.Interval) cell {
	if needed := verdict.Needs(99); int64(s.Count) < needed {
		return cell{"p99", number.TooFew, fmt.Sprintf("(needs %d values, has %d)", needed, s.Count), ""}
	}
	return f.latency("p99", s.P99, in)
}

// interval is empty where there is none; an end that can't be had is n/a.
func (f *figuring) interval(in *sample.Interval, by float64) string {
	if in == nil || in.Low == nil && in.High == nil {
		return ""
	}
	end := func(v *float64) string {
		if v == nil {
			return number.TooFew
		}
		return number.Short(*v / by)
	}
	f.some = true
	return "[" + end(in.Low) + ", " + end(in.High) + "]"
}
