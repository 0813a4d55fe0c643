package report

import (
	"fmt"

	"github.com/inferometer/inferometer/internal/judge/measure"
	"github.com/inferometer/inferometer/internal/judge/stats"
	"github.com/inferometer/inferometer/internal/judge/verdict"
)

// confidence is the intervals by the keys of their numbers.
func confidence(c *measure.Confidence) object {
	intervals := object{}
	for i := range c.Intervals {
		intervals.Set(c.Intervals[i].Key, c.Intervals[i].Interval)
	}
	return object{{"level", c.Level}, {"intervals", intervals}}
}

// earlyStopping is MLPerf's estimates of the percentiles, by the keys of their numbers.
func earlyStopping(c *measure.Confidence) object {
	estimates := object{}
	for i := range c.Intervals {
		if e := c.Intervals[i].Early; e != nil {
			estimates.Set(c.Intervals[i].Key, e)
		}
	}
	return object{{"confidence", stats.EarlyStoppingConfidence}, {"estimates", estimates}}
}

// intervals prints those of the numbers that the console shows. An end that can't
// be had reads n/a, and the reason follows.
func (c *console) intervals(conf *measure.Confidence) {
	c.center(fmt.Sprintf(" Intervals, %g %% ", conf.Level*100), "-")
	for i := range conf.Intervals {
		in := &conf.Intervals[i]
		if in.Label == "" {
			continue
		}
		c.line("%-18s %10s [%s, %s]", in.Label, millis(in.Estimate), ending(in.Low), ending(in.High))
		if in.Reason != "" {
			c.indented(in.Reason)
		}
	}
}

func ending(v *float64) string {
	if v == nil {
		return "n/a"
	}
	return millis(*v)
}

// p99 is a p99 for the table of milliseconds, or why there is none.
func p99(v float64, count int64) string {
	if needed := verdict.Needs(99); count < needed {
		return fmt.Sprintf("n/a (%d < %d)", count, needed)
	}
	return millis(v)
}

// msTable is the row of the table of milliseconds: wider where a p99 is not a number.
func msTable(r *measure.Result) string {
	counts := []int64{r.Client.Events, int64(r.InterChunk.Count)}
	if s := r.InterToken.Summary; s != nil {
		counts = append(counts, int64(s.Count))
	}
	if r.Client.Lateness != nil {
		counts = append(counts, int64(r.Requests))
	}
	for _, from := range []measure.LatencyFrom{r.Latency.Sent, r.Latency.Due} {
		counts = append(counts, int64(from.TTFT.Count), int64(from.E2EL.Count))
	}
	for _, n := range counts {
		if n > 0 && n < verdict.Needs(99) {
			return msRowWide
		}
	}
	return msRow
}
