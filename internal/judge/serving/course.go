package serving

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"github.com/inferometer/inferometer/internal/journal"
)

// Course is what one server said over time. A value is NaN where it said nothing.
type Course struct {
	Target int
	// Replica is from 1: a server behind the target, of the run's Replicas; 0: the target itself.
	Replica int
	At      []float64             // seconds since the run's zero; below 0: before the load
	Gauge   map[Meaning][]float64 // as it was
	Count   map[Meaning][]float64 // as it was counted: totals, not rates
	Name    map[Meaning]string    // what the server calls it
}

// Courses are the scrapes of each server in their order, those before and after the load
// too. A meaning that a server never tells is absent.
func Courses(scrapes []journal.Scrape, mapping ...journal.MetricName) []Course {
	var out []Course
	for _, own := range byServer(scrapes) {
		out = append(out, course(own, mapping))
	}
	return out
}

// byServer are each server's scrapes in the order of their time: those of targets in their order, then those of replicas.
func byServer(scrapes []journal.Scrape) [][]journal.Scrape {
	type server struct{ replica, target int }
	each := map[server][]journal.Scrape{}
	for _, s := range scrapes {
		of := server{s.Replica, s.Target}
		each[of] = append(each[of], s)
	}
	var out [][]journal.Scrape
	for _, of := range slices.SortedFunc(maps.Keys(each), func(a, b server) int {
		return cmp.Or(cmp.Compare(a.replica, b.replica), cmp.Compare(a.target, b.target))
	}) {
		slices.SortStableFunc(each[of], func(a, b journal.Scrape) int { return cmp.Compare(a.At, b.At) })
		out = append(out, each[of])
	}
	return out
}

func course(scrapes []journal.Scrape, mapping []journal.MetricName) Course {
	names := chooseAll(scrapes, mapping)
	c := Course{Target: scrapes[0].Target, Replica: scrapes[0].Replica, Gauge: map[Meaning][]float64{}, Count: map[Meaning][]float64{}, Name: map[Meaning]string{}}
	for meaning, n := range names {
		c.Name[meaning] = n.key()
	}
	for i := range scrapes {
		c.At = append(c.At, float64(scrapes[i].At)/1e9)
		for meaning, v := range names.values(scrapes[i].Counters) {
			c.list(meaning, len(scrapes))[i] = v
		}
	}
	return c
}

// list is where the values of a meaning are; made on first use, of NaNs.
func (c *Course) list(m Meaning, n int) []float64 {
	in := c.Count
	if kind, _ := KindOf(m); kind != Counter {
		in = c.Gauge
	}
	if _, ours := KindOf(m); !ours { // a histogram's sum or count
		in = c.Count
	}
	if in[m] == nil {
		in[m] = slices.Repeat([]float64{math.NaN()}, n)
	}
	return in[m]
}

// chooseAll chooses once for all scrapes, so that a course does not go from one name to another.
func chooseAll(scrapes []journal.Scrape, mapping []journal.MetricName) chosen {
	seen := map[string]bool{}
	for i := range scrapes {
		for key := range scrapes[i].Counters {
			seen[key] = true
		}
	}
	return choose(func(key string) bool { return seen[key] }, mapping)
}

// Rate is a counter's change per second between scrapes, at the middle of each two. Where a
// counter fell the server began anew, and there is a gap: NaN.
func (c *Course) Rate(m Meaning) (at, perSecond []float64) {
	list := c.Count[m]
	last := -1
	for i, v := range list {
		if math.IsNaN(v) {
			continue
		}
		if last >= 0 && c.At[i]-c.At[last] > shortest {
			rate := (v - list[last]) / (c.At[i] - c.At[last])
			if rate < 0 {
				rate = math.NaN()
			}
			at, perSecond = append(at, (c.At[i]+c.At[last])/2), append(perSecond, rate)
		}
		last = i
	}
	return at, perSecond
}

// shortest is less than any time between two scrapes: a rate over nothing is noise.
const shortest = 0.01

// Ratio is what one counter grew by as a share of what another did, between scrapes; NaN
// where the other did not grow.
func (c *Course) Ratio(part, whole Meaning) (at, share []float64) {
	at, parts := c.Rate(part)
	wholeAt, wholes := c.Rate(whole)
	if !slices.Equal(at, wholeAt) {
		return nil, nil
	}
	for i := range parts {
		v := parts[i] / wholes[i]
		if math.IsInf(v, 0) || v < 0 {
			v = math.NaN()
		}
		share = append(share, v)
	}
	return at, share
}
