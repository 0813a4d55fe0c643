package recovery

import (
	"fmt"
	"math"
	"slices"

	"github.com/inferometer/inferometer/internal/stats"
)

// judge holds what comes after the first fault against what was before it.
type judge struct {
	*Collector
	within    float64
	from, to  int64 // what is before: from when the system had settled to the first fault
	normal    []*seen
	unknown   string // why nothing can be told; empty: it can
	ttft, gap limit
	good      normality
	flow      flow
}

// limit is what a duration may be to be as before, and how often it is longer all the same. What is far beyond it hardly ever
// happens by chance: a few such requests tell.
type limit struct {
	us int64 // 0: not known
	normality
	far normality // of being longer than beyond times that
}

const beyond = 5

// normality is how often something was bad before.
type normality struct {
	share   float64 // no more than that of requests, with what chance adds
	stretch float64 // from 1 on: how much bad ones come in clusters
}

// fewest are the requests that must have ended before the first fault to say what is normal.
const fewest = 20

// settling is the share of the time before a fault that is left to a system to settle, and how long at most.
const (
	settling    = 0.1
	maxSettling = 10_000_000_000 // ns
)

func (c *Collector) judge(fault int64, within float64) *judge {
	j := &judge{Collector: c, within: within, to: fault}
	if len(c.list) > 0 {
		first := min(c.list[0].sent, fault)
		j.from = first + min(int64(settling*float64(fault-first)), maxSettling)
	}
	for i := range c.list {
		s := &c.list[i]
		// Those that fill the slots of a closed loop come all at once.
		if s.sent >= j.from && s.end <= fault && !(c.closed() && int(s.index) < c.run.MaxConcurrency) {
			j.normal = append(j.normal, s)
		}
	}
	switch {
	case c.left > 0:
		j.unknown = fmt.Sprintf("the run has more than %d requests", maxRequests)
	case len(j.normal) < fewest:
		j.unknown = fmt.Sprintf("only %d requests were sent and ended before the first fault, once the load had settled: what is normal needs %d", len(j.normal), fewest)
	default:
		j.ttft = j.limitOf(func(s *seen) int32 { return s.first }, (*seen).late)
		j.gap = j.limitOf(func(s *seen) int32 { return s.gap }, (*seen).paused)
		j.good = normalityOf(j.normal, func(s *seen) bool { return !s.good || s.failed }, 0, 1)
		j.flow = j.flowBefore()
	}
	return j
}

func (c *Collector) closed() bool { return c.run.Pace == "closed" || c.run.Pace == "" }

// even says that the load was to be the same all the time: else what was before says nothing of times.
func (c *Collector) even() bool {
	switch c.run.Pace {
	case "closed", "", "constant", "poisson", "gamma":
		return true
	}
	return false
}

// slack is what a clock or a scheduler does to a time: less is no change of a server.
const slack = 1000 // µs

// rare is the share of requests beyond a p99, with no fault at all.
const rare = 0.01

// late says that its first token came later than that, or not at all.
func (s *seen) late(us int64) bool {
	if s.first < 0 {
		return s.failed || (s.end-s.sent)/1000 > us
	}
	return int64(s.first) > us
}

// paused says that its stream stood still for longer than that.
func (s *seen) paused(us int64) bool { return int64(s.gap) > us }

func (j *judge) limitOf(value func(*seen) int32, bad func(s *seen, us int64) bool) limit {
	var list []float64
	for _, s := range j.normal {
		if v := value(s); v >= 0 {
			list = append(list, float64(v))
		}
	}
	if len(list) < fewest || !j.even() {
		return limit{}
	}
	slices.Sort(list)
	p99, p90 := stats.Percentile(list, 99), stats.Percentile(list, 90)
	l := limit{us: int64(max(p99*(1+j.within), p99+slack))}
	// Bad ones are too few to show whether they come in clusters; the slowest tenth does.
	clusters := stretch(j.normal, func(s *seen) bool { return float64(value(s)) > p90 })
	l.normality = normalityOf(j.normal, func(s *seen) bool { return bad(s, l.us) }, rare, clusters)
	l.far = normalityOf(j.normal, func(s *seen) bool { return bad(s, beyond*l.us) }, 0, 1)
	return l
}

// normalityOf counts what was bad before. One more is added, and two standard errors: that there was none does not mean
// that there never is one. What comes in clusters counts by these, not by requests.
func normalityOf(list []*seen, bad func(*seen) bool, least, clusters float64) normality {
	k := 0.0
	for _, s := range list {
		if bad(s) {
			k++
		}
	}
	n := normality{stretch: max(clusters, stretch(list, bad))}
	k /= n.stretch
	n.share = min(max((k+1+2*math.Sqrt(k))/(float64(len(list))/n.stretch+2), least), 0.5)
	return n
}

// stretch is how much more the numbers of bad requests in equal parts of the time before differ than chance makes them:
// 1 where each is bad or not by itself, n where they come n at a time. The parts are so large that a cluster lies in one.
func stretch(list []*seen, bad func(*seen) bool) float64 {
	most := 1.0
	for _, parts := range []int{20, 12, 7} {
		size := len(list) / parts
		if size < 5 {
			continue
		}
		counts := make([]float64, parts)
		for i, s := range list[:size*parts] {
			if bad(s) {
				counts[i/size]++
			}
		}
		mean, sd := moments(counts)
		if expected := mean * (1 - mean/float64(size)); expected > 0 {
			most = max(most, sd*sd/expected)
		}
	}
	return most
}

// moments are the mean and the standard deviation of a sample.
func moments(v []float64) (mean, sd float64) {
	if len(v) < 2 {
		return 0, 0
	}
	for _, x := range v {
		mean += x / float64(len(v))
	}
	for _, x := range v {
		sd += (x - mean) * (x - mean) / float64(len(v)-1)
	}
	return mean, math.Sqrt(sd)
}

// told is what a reader sees of the time before.
func (j *judge) told() Before {
	b := Before{Seconds: seconds(j.to - j.from), Requests: len(j.normal)}
	var first, open []float64
	for _, s := range j.normal {
		if s.failed {
			b.Failed++
			continue
		}
		if open = append(open, seconds(s.end-s.sent)); s.first >= 0 {
			first = append(first, float64(s.first)/1000)
		}
	}
	slices.Sort(first)
	slices.Sort(open)
	if len(first) >= fewest {
		b.TTFT = new(stats.Percentile(first, 99))
	}
	if n := len(open); n > 0 {
		b.Longest = new(open[n-1])
		if n >= 1000 {
			b.P999 = new(stats.Percentile(open, 99.9))
		}
	}
	if b.Seconds > 0 {
		b.Tokens = new(j.tokensIn(j.from, j.to) / b.Seconds)
	}
	return b
}
