package serving

import (
	"fmt"
	"math"

	"github.com/inferometer/inferometer/internal/journal"
)

// span are the scrapes of one server that its totals are taken from.
type span struct {
	all           []journal.Scrape // in order of time
	course        Course
	during        Course // of the scrapes during the load alone: the others say nothing of it
	names         chosen
	before, after *journal.Scrape // nil: there is none
	restarted     string          // what shows that the server began anew; empty: nothing
	role          journal.Role
}

func newSpan(scrapes []journal.Scrape, mapping []journal.MetricName) *span {
	s := &span{all: scrapes, course: course(scrapes, mapping), names: chooseAll(scrapes, mapping)}
	for i := range scrapes {
		switch one := &scrapes[i]; {
		case one.During:
		case one.After:
			s.after = one
		case s.before == nil:
			s.before = one
		}
	}
	var during []journal.Scrape
	for _, one := range scrapes {
		if one.During {
			during = append(during, one)
		}
	}
	if len(during) > 0 {
		s.during = course(during, mapping)
	}
	s.restarted = s.findRestart()
	return s
}

// level is a gauge over the load; nil: the server does not tell it.
func (s *span) level(m Meaning) *Level { return level(s.during.At, s.during.Gauge[m]) }

// total is by how much a total grew; nil: not known.
func (s *span) total(m Meaning) *float64 {
	if v, ok := s.grown(m); ok {
		return &v
	}
	return nil
}

// kind is whose names most of the server's metrics have.
func (s *span) kind() (most string) {
	count := map[string]int{}
	for _, k := range Meanings { // in their order, so that it is the same each time
		n, ok := s.names[k.Meaning]
		if !ok {
			continue
		}
		if count[n.Server]++; count[n.Server] > count[most] {
			most = n.Server
		}
	}
	return most
}

// whole says that what the server counted is known from the first request to the last.
func (s *span) whole() bool { return s.before != nil && s.after != nil && s.restarted == "" }

// findRestart looks for a start time that changed, or a total that fell.
func (s *span) findRestart() string {
	started := 0.0
	const asGoodAsEqual = 1 // a second
	for i := range s.all {
		now := s.all[i].Counters[startTime]
		if now != 0 && started != 0 && math.Abs(now-started) > asGoodAsEqual {
			return "its start time changed"
		}
		if now != 0 {
			started = now
		}
	}
	for _, k := range Meanings {
		if k.Kind == Counter && fell(s.course.Count[k.Meaning]) {
			if name, known := s.course.Name[k.Meaning]; known {
				return fmt.Sprintf("its counter %s fell", name)
			}
		}
	}
	return ""
}

func fell(list []float64) bool {
	last := math.NaN()
	for _, v := range list {
		if v < last {
			return true
		}
		if !math.IsNaN(v) {
			last = v
		}
	}
	return false
}

// grown is by how much a total grew from the scrape before the load to the last one. A total
// that is not there before begins at 0: vLLM's begin to exist with the first request. Where
// it fell the server began anew and counts from 0 again: then it is at least this.
func (s *span) grown(m Meaning) (float64, bool) {
	list := s.course.Count[m]
	if s.before == nil || list == nil {
		return 0, false
	}
	last, sum, seen := 0.0, 0.0, false
	for i := range s.all {
		v := list[i]
		switch {
		case &s.all[i] == s.before:
			sum, seen, last = 0, true, 0
			if !math.IsNaN(v) {
				last = v
			}
		case !seen || math.IsNaN(v):
		case v >= last:
			sum, last = sum+v-last, v
		default:
			sum, last = sum+v, v
		}
	}
	return sum, seen && !math.IsNaN(sum) && !math.IsInf(sum, 0)
}

// perSecond is how fast a total grew while the load was on. Counters rise when a request
// ends, so that reads during the load miss those that end after the last one, and what comes before
// the first end is no rate: the whole growth by the load's duration is the rate that ours is. Without
// a read after the load, it is from the first read that shows some growth to the last.
// nil: there were no two reads during the load, or the server began anew.
func (s *span) perSecond(m Meaning, run *Run) *float64 {
	list := s.course.Count[m]
	first, last, reads := -1, -1, 0
	base := math.NaN()
	for i := range list {
		switch {
		case math.IsNaN(list[i]) || s.all[i].After:
			continue
		case !s.all[i].During:
			base = list[i]
			continue
		}
		if reads++; reads == 1 && math.IsNaN(base) {
			base = list[i]
		}
		if first < 0 && list[i] > base {
			first = i
		}
		last = i
	}
	if reads < 2 || s.restarted != "" {
		return nil
	}
	if grown, ok := s.grown(m); ok && s.whole() && run.Duration > shortest {
		if warm, known := run.warm(&s.course, m); known {
			return finite(max(grown-warm, 0) / run.Duration)
		}
	}
	if first < 0 || s.course.At[last]-s.course.At[first] < shortest {
		return nil
	}
	return finite((list[last] - list[first]) / (s.course.At[last] - s.course.At[first]))
}

// times are a histogram over the run; nil: the server has none, or nothing came.
func (s *span) times(m Meaning) (*Times, *buckets) {
	sum, ok1 := s.grown(m.Sum())
	n, ok2 := s.grown(m.Count())
	if !ok1 || !ok2 || n <= 0 || finite(sum/n*1e3) == nil {
		return nil, nil
	}
	name := s.names[m]
	t := &Times{Name: name.Name, Count: n, Mean: sum / n * 1e3}
	if !s.whole() {
		return t, nil
	}
	after, ok := bucketsOf(s.after, name.Name, name.scale())
	if !ok {
		return t, nil
	}
	before, had := bucketsOf(s.before, name.Name, name.scale())
	d, ok := after.less(before, had)
	if !ok {
		return t, nil
	}
	t.fill(d)
	return t, &d
}

// finite is nil for what is no number.
func finite(v float64) *float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return &v
}
