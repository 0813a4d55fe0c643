package measure

import (
	"github.com/inferometer/inferometer/internal/judge/metric"
	"github.com/inferometer/inferometer/internal/judge/row"
	"github.com/inferometer/inferometer/internal/judge/sample"
)

// series is one duration of each request, under a name.
type series struct {
	name     string
	failures bool // of all requests; else of the successes
	of       func(*row.Row) (v float64, ok bool)
	sample   *sample.Sample // nil while rows are kept, from which it can be had at any time
}

func (s *series) add(r *row.Row) {
	if !r.OK && !s.failures {
		return
	}
	if v, ok := s.of(r); ok {
		s.sample.Add(v)
	}
}

// seriesOf lists what the result will ask for.
func (c *collector) seriesOf() []series {
	var list []series
	for _, m := range metric.All() {
		if m.Of != nil && c.wants(&m) {
			list = append(list, series{name: m.Name, of: m.Of})
		}
	}
	list = append(list, latencySeries("sent.", func(*row.Row) int64 { return 0 })...)
	list = append(list, latencySeries("due.", func(r *row.Row) int64 { return r.Sent - r.Due })...)
	for _, m := range metric.Always() {
		if m.Of != nil && m.Name != "ttft" && m.Name != "e2el" { // these two are there from sent
			list = append(list, series{name: "each." + m.Name, of: m.Of})
		}
	}
	list = append(list,
		series{name: "longest_gap", of: func(r *row.Row) (float64, bool) { return seconds(r.LongestGap), r.LongestGap >= 0 }})
	if c.rules.Closed {
		return append(list,
			series{name: "steady.ttft", of: func(r *row.Row) (float64, bool) { return r.TTFT(), !r.Whole }},
			series{name: "steady.tpot", of: (*row.Row).TPOT})
	}
	return append(list,
		series{name: "lateness", failures: true, of: func(r *row.Row) (float64, bool) {
			return seconds(r.Sent - r.Due), true
		}},
		series{name: "release", failures: true, of: func(r *row.Row) (float64, bool) {
			return seconds(max(r.Released-r.Due, 0)), true
		}})
}

// latencySeries are the latencies from one moment, which lies extra before sent.
func latencySeries(prefix string, extra func(*row.Row) int64) []series {
	from := func(name string, event func(*row.Row) int64) series {
		return series{name: prefix + name, of: func(r *row.Row) (float64, bool) {
			return seconds(event(r) + extra(r)), event(r) >= 0
		}}
	}
	return []series{
		from("ttft", func(r *row.Row) int64 { return r.First }),
		from("first_token", func(r *row.Row) int64 { return r.FirstToken }),
		from("first_visible", func(r *row.Row) int64 { return r.FirstVisible }),
		from("e2el", func(r *row.Row) int64 { return r.Last }),
	}
}

// sample is a series' values, in the order of requests where rows are kept.
func (c *collector) sample(name string) *sample.Sample {
	s := c.seriesNamed(name)
	if s.sample != nil {
		return s.sample
	}
	one := *s
	one.sample = sample.New(c.opt.ExactLimit)
	one.sample.Reserve(len(c.rows))
	for i := range c.rows {
		one.add(&c.rows[i])
	}
	return one.sample
}

func (c *collector) seriesNamed(name string) *series {
	for i := range c.series {
		if c.series[i].name == name {
			return &c.series[i]
		}
	}
	panic("measure: no series " + name)
}
