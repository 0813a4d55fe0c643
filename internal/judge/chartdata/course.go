package chartdata

import (
	"math"
	"slices"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/hist"
	"github.com/inferometer/inferometer/internal/judge/slots"
)

const (
	firstWidth = 12_500_000 // 12.5 ms: doubled, it comes to 100 ms, 200 ms, 400 ms…
	mostCells  = 2 * MostSlots
	fineWidth  = 100_000_000 // narrower slots show chance, not the server
	fewCells   = 40
)

// The resolutions of the histograms, see package hist: 8 buckets for each power of two
// are more than a heat map draws; 32 give percentiles within 1.6 %, 64 within 0.8 %.
const (
	heatBits   = 3
	courseBits = 5
	curveBits  = 6
)

// leastNs is the shortest duration that is told apart: chunks that came in one read
// have no gap between them.
const leastNs = 20_000

// cell is what happened in one slot.
type cell struct {
	due, sent, ended slots.Marks
	tokens           int64
	done, failed     int
	by               map[journal.Outcome]int // those that failed; nil: none
	ttft, e2el       *hist.Histogram         // of the requests sent in it; nil: none
	gaps             *hist.Histogram         // that ended in it; nil: none
	parts            []part                  // of each replica, by its number
}

// count adds a duration to a histogram, which is made when it is needed.
func count(h **hist.Histogram, bits int, ns int64) {
	if *h == nil {
		*h = hist.New(bits)
	}
	(*h).Add(max(ns, leastNs))
}

// join adds a histogram to another; either may be nil.
func join(into **hist.Histogram, from *hist.Histogram) {
	switch {
	case *into == nil:
		*into = from
	case from != nil:
		(*into).Merge(from)
	}
}

// course is what happened in time.
type course struct{ *slots.Slots[cell] }

func newCourse() course {
	return course{slots.New(firstWidth, mostCells, func(into, from *cell) {
		into.due.Merge(from.due)
		into.sent.Merge(from.sent)
		into.ended.Merge(from.ended)
		into.tokens += from.tokens
		into.done += from.done
		into.failed += from.failed
		for o, n := range from.by {
			if into.by == nil {
				into.by = map[journal.Outcome]int{}
			}
			into.by[o] += n
		}
		join(&into.ttft, from.ttft)
		join(&into.e2el, from.e2el)
		join(&into.gaps, from.gaps)
		joinParts(&into.parts, from.parts)
	})}
}

// settle brings the slots to the number that is shown.
func (s *course) settle() {
	for len(s.Cells) > MostSlots || s.Width < fineWidth && len(s.Cells) > fewCells {
		s.Widen()
	}
}

// open is the mean number in each slot of what began and has not ended.
func (s *course) open(began, ended func(*cell) slots.Marks) []float64 {
	out := slots.Open(s.Slots, began, ended)
	for i := range out {
		out[i] = math.Max(0, math.Round(out[i]*1e6)/1e6) // a page needs no more digits
	}
	return out
}

// values are one number of each slot.
func (s *course) values(of func(*cell) float64) []float64 {
	out := make([]float64, len(s.Cells))
	for i := range s.Cells {
		out[i] = of(&s.Cells[i])
	}
	return out
}

// failures are those of each outcome over time, in the order in which outcomes are shown.
func (s *course) failures() (list []Failures) {
	width := float64(s.Width) / 1e9
	for _, o := range journal.Outcomes {
		if !slices.ContainsFunc(s.Cells, func(c cell) bool { return c.by[o] > 0 }) {
			continue
		}
		list = append(list, Failures{o, s.values(func(c *cell) float64 { return float64(c.by[o]) / width })})
	}
	return list
}

// leastP99 is how many values a p99 takes: with fewer it is a name for the largest, and tables leave it out.
const leastP99 = 100

// percentiles are a median and what is above it, over time.
func (s *course) percentiles(of func(*cell) *hist.Histogram) Course {
	var counts []int
	each := func(value func(*hist.Histogram) float64) []float64 {
		return s.values(func(c *cell) float64 {
			h := of(c)
			if h == nil {
				return math.NaN()
			}
			return value(h) / 1e6
		})
	}
	out := Course{HighName: "p99"}
	out.P50 = each(func(h *hist.Histogram) float64 {
		counts = append(counts, h.Count())
		return h.Percentile(50)
	})
	slices.Sort(counts)
	if n := len(counts); n > 0 && counts[n/2] < leastP99 {
		out.HighName = "slowest"
		out.High = each(func(h *hist.Histogram) float64 { return h.Moments().Max })
		return out
	}
	out.High = each(func(h *hist.Histogram) float64 {
		if h.Count() < leastP99 {
			return math.NaN()
		}
		return h.Percentile(99)
	})
	return out
}

// cumulative is at most MostPoints points of a distribution.
func cumulative(h *hist.Histogram) (ms, share []float64) {
	if h.Count() == 0 {
		return nil, nil
	}
	m := h.Moments()
	ms, share = []float64{m.Min / 1e6}, []float64{0}
	add := func(ns int64, count int64) {
		ms = append(ms, min(max(float64(ns), m.Min), m.Max)/1e6)
		share = append(share, float64(count)/float64(h.Count()))
	}
	before, end := int64(0), int64(0)
	for i, n := range h.All() {
		low, high := h.Bounds(i)
		if before > 0 && low > end { // flat to where the next values begin
			add(low, before)
		}
		before, end = before+n, high+1
		add(end, before)
	}
	return ends(ms, MostPoints), ends(share, MostPoints)
}

// ends thins a list evenly, and keeps its first and last.
func ends(list []float64, most int) []float64 {
	if len(list) <= most {
		return list
	}
	last := list[len(list)-1]
	return append(thinned(list[:len(list)-1], most-1), last)
}

// heat is the gaps of all slots, in fewer columns and rows than they were counted in.
func (s *course) heat() *Heat {
	all := hist.New(heatBits)
	for i := range s.Cells {
		if gaps := s.Cells[i].gaps; gaps != nil {
			all.Merge(gaps)
		}
	}
	first, last := -1, -1
	for i := range all.All() {
		if first < 0 {
			first = i
		}
		last = i
	}
	if first < 0 {
		return nil
	}
	wide := (len(s.Cells)-1)/HeatColumns + 1
	high := (last-first)/HeatRows + 1
	columns, rows := (len(s.Cells)-1)/wide+1, (last-first)/high+1
	h := &Heat{Counts: make([][]float64, columns)}
	for i := range columns + 1 {
		h.XEdges = append(h.XEdges, float64(i*wide)*float64(s.Width)/1e9)
	}
	for j := range rows + 1 {
		low, _ := all.Bounds(first + j*high)
		h.YEdges = append(h.YEdges, float64(low)/1e6)
	}
	for i := range columns {
		h.Counts[i] = make([]float64, rows)
	}
	for i := range s.Cells {
		if s.Cells[i].gaps == nil {
			continue
		}
		for bucket, n := range s.Cells[i].gaps.All() {
			h.Counts[i/wide][(bucket-first)/high] += float64(n)
		}
	}
	return h
}
