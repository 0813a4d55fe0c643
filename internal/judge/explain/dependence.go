package explain

import (
	"cmp"
	"math"
	"slices"

	"github.com/inferometer/inferometer/internal/judge/slots"
)

// dependence is how much of the time between tokens comes from the other requests in the
// batch: a server with room gives each request its tokens as fast as alone, one that is full
// shares what it has. It is read from the run itself: from moments with few requests that
// decode (its beginning, its end) and moments with many.
type dependence struct {
	known    bool
	few      float64 // requests that decode
	many     float64
	gapFew   float64 // seconds between chunks
	gapMany  float64
	share    float64 // of gapMany that would not be there with no other request
	unknown  string  // why it is not known
	moments  int
	together float64 // mean number that decode in the busy part
}

const (
	fewMoments = 6   // slots with enough tokens
	fewGaps    = 3   // in a slot: the median over slots does the rest
	leastRange = 1.5 // the many must be so many times the few: else chance decides
)

func (f *facts) dependence() dependence {
	decoding := slots.Open(f.course, func(c *cell) slots.Marks { return c.first }, func(c *cell) slots.Marks { return c.last })
	type moment struct{ n, gap float64 }
	var list []moment
	for i := range f.course.Cells {
		h := f.course.Cells[i].gaps
		if h == nil || h.Count() < fewGaps || decoding[i] < 0.5 {
			continue
		}
		// The lower quartile: prompts that are computed in between lengthen some gaps, and are not what is asked for.
		list = append(list, moment{decoding[i], h.Percentile(25) / 1e9})
	}
	d := dependence{moments: len(list), together: f.mean(decoding, f.from, f.to)}
	if len(list) < fewMoments {
		d.unknown = "there are too few moments with tokens"
		return d
	}
	slices.SortFunc(list, func(a, b moment) int { return cmp.Compare(a.n, b.n) })
	middle := func(part []moment) (n, gap float64) {
		gaps := make([]float64, len(part))
		for i, m := range part {
			n += m.n / float64(len(part))
			gaps[i] = m.gap
		}
		slices.Sort(gaps)
		return n, gaps[len(gaps)/2]
	}
	// The drain at the end is short: a fifth of the moments has it, or as many as have at most half of the most.
	most := list[len(list)-1].n
	few := max(len(list)/5, 2)
	if half, _ := slices.BinarySearchFunc(list, most/2, func(m moment, n float64) int { return cmp.Compare(m.n, n) }); half >= 2 {
		few = min(half, len(list)/2)
	}
	d.few, d.gapFew = middle(list[:few])
	d.many, d.gapMany = middle(list[len(list)-max(len(list)/3, 2):])
	if d.many < leastRange*d.few || d.many-d.few < 1 {
		d.unknown = "the number of requests in the batch hardly changed over the run"
		return d
	}
	d.known = true
	slope := (d.gapMany - d.gapFew) / (d.many - d.few)
	d.share = math.Max(0, slope*(d.many-1)/d.gapMany)
	return d
}
