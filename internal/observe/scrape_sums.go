package observe

import (
	"slices"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/outside"
	"github.com/inferometer/inferometer/internal/send/target"
)

// A server's metrics are bounded before they are kept.
const (
	maxCounters = 10_000
	maxDropped  = 10 // names of values that were dropped
)

// sums adds up lines by the keys that they are kept under.
type sums struct {
	values  map[string]float64
	lines   map[string]float64 // how many were added
	dropped []string           // names of values that can't be any
}

func newSums() *sums { return &sums{values: map[string]float64{}, lines: map[string]float64{}} }

func (s *sums) add(key string, line *target.Metric) {
	if len(key) > outside.MaxWord {
		return
	}
	if !line.Sane() {
		if name := outside.Word(line.Name); len(s.dropped) < maxDropped && !slices.Contains(s.dropped, name) {
			s.dropped = append(s.dropped, name)
		}
		return
	}
	if _, known := s.values[key]; known || len(s.values) < maxCounters {
		s.values[key] += line.Value
		s.lines[key]++
	}
}

// sumUp adds up over labels what is wanted. A value that can't be one is left out,
// and its name among the dropped.
func sumUp(m target.Metrics, wanted func(*target.Metric) bool) (values map[string]float64, dropped []string) {
	s := newSums()
	for i := range m {
		if wanted(&m[i]) {
			s.add(m[i].Name, &m[i])
		}
	}
	return s.values, s.dropped
}

// totals are what the journal keeps of a scrape before or after the load: everything that
// counts, and histograms.
func (c *Scrape) totals(m target.Metrics) (*journal.Scrape, []string) {
	s := newSums()
	buckets, n := map[string]map[string]float64{}, 0
	for i := range m {
		line := &m[i]
		if name, bound, ok := line.Bucket(); ok {
			if len(name) <= outside.MaxWord && line.Sane() && n < maxCounters {
				if buckets[name] == nil {
					buckets[name] = map[string]float64{}
				}
				buckets[name][bound] += line.Value
				n++
			}
			continue
		}
		if !line.Counts() {
			continue
		}
		s.add(line.Name, line)
		for _, key := range c.names.Labelled(line.Name, line.Label) {
			s.add(key, line)
		}
	}
	return &journal.Scrape{Counters: s.values, Buckets: buckets}, s.dropped
}

// overTime is what the journal keeps of a scrape during the load: what has a meaning, summed
// over labels; of a share, which can't be summed, the mean.
func (c *Scrape) overTime(m target.Metrics) map[string]float64 {
	s := newSums()
	for i := range m {
		line := &m[i]
		if c.names.Kept(line.Name) {
			s.add(line.Name, line)
		}
		for _, key := range c.names.Labelled(line.Name, line.Label) {
			if c.names.Kept(key) {
				s.add(key, line)
			}
		}
	}
	for key := range s.values {
		if c.names.Averaged(key) {
			s.values[key] /= s.lines[key]
		}
	}
	return s.values
}
