package explain

import (
	"slices"

	"github.com/inferometer/inferometer/internal/judge/hist"
	"github.com/inferometer/inferometer/internal/judge/slots"
)

// dependence is how much of the time between tokens comes from the other requests in the
// batch: a server with room gives each request its tokens as fast as alone, one that is full
// shares what it has. It is read from the run itself: from moments with few requests that
// decode (its beginning, its end) and moments with many.
type dependence struct {
	known           bool
	few, many       float64 // requests that decode
	gapFew, gapMany float64 // seconds between chunks
	share           float64 // of gapMany that would not be there with no other request
	unknown         string  // why it is not known
}

const (
	narrowest = 50_000_000 // ns: of a slot in which requests are counted
	fewGaps   = 12         // between tokens, of each of the two
	// The many are the half of the moments with the most requests, and the few those with less than two thirds
	// of what they have at the median: with less of a difference chance would decide.
	fewerThan = 2.0 / 3
)

// moments are the times between tokens while about as many requests generate.
type moments struct {
	gaps  hist.Histogram
	cells int
	sum   float64 // of requests
}

func (m *moments) add(n float64, gaps *hist.Histogram) {
	m.gaps.Merge(gaps)
	m.cells++
	m.sum += n
}

// middle is how many requests they were, and the time between tokens. It is the lower quartile: prompts that
// are computed in between lengthen some gaps, and are not what is asked for.
func (m *moments) middle() (n, gap float64) {
	return m.sum / float64(m.cells), m.gaps.Percentile(25) / 1e9
}

// dependence is called before the slots are made wide: the drain at a run's end, which has the few, is short.
func (c *Collector) dependence() (d dependence) {
	for c.course.Width < narrowest {
		c.course.Widen()
	}
	decoding := slots.Open(c.course, func(c *cell) slots.Marks { return c.first }, func(c *cell) slots.Marks { return c.last })
	var numbers []float64
	for i := range c.course.Cells {
		if c.course.Cells[i].gaps != nil {
			numbers = append(numbers, decoding[i])
		}
	}
	if len(numbers) < 2 {
		d.unknown = "there are too few moments with tokens"
		return d
	}
	slices.Sort(numbers)
	median := numbers[len(numbers)/2]
	few, many := moments{gaps: *hist.New(gapBits)}, moments{gaps: *hist.New(gapBits)}
	for i := range c.course.Cells {
		gaps := c.course.Cells[i].gaps
		switch n := decoding[i]; {
		case gaps == nil || n < 0.5: // less than one: it began or ended in this slot
		case n >= median:
			many.add(n, gaps)
		case n <= fewerThan*median:
			few.add(n, gaps)
		}
	}
	if few.gaps.Count() < fewGaps || many.gaps.Count() < fewGaps || median < 2 {
		d.unknown = "the number of requests in the batch hardly changed over the run"
		return d
	}
	d.known = true
	d.few, d.gapFew = few.middle()
	d.many, d.gapMany = many.middle()
	// A step of a + b·n takes no less for the few than their share of what it takes for the many. Where it
	// seems to, what was sent lay in heaps on its way or before the client.
	if d.gapMany <= 0 || d.gapFew/d.gapMany < 0.8*d.few/d.many {
		return dependence{unknown: "tokens came in heaps"}
	}
	slope := (d.gapMany - d.gapFew) / (d.many - d.few)
	d.share = min(max(0, slope*(d.many-1)/d.gapMany), 1)
	return d
}
