package report

import (
	"github.com/inferometer/inferometer/internal/judge/measure"
	"github.com/inferometer/inferometer/internal/stats"
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
