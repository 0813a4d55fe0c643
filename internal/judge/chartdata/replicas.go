package chartdata

import (
	"cmp"
	"math"
	"slices"

	"github.com/inferometer/inferometer/internal/judge/row"
)

// ReplicaSeries is one replica over the run, by the slots of the run; several together have no name.
type ReplicaSeries struct {
	Name     string
	Together int       // how many replicas these are together; 0: it is one
	Sent     []float64 // requests a second that it answered, by when they were sent; of several the mean
	TTFT     []float64 // mean of those in ms; NaN: there was none
}

// MostReplicas is how many lines can be told apart. The ones that differ most from the others stay, and the rest is drawn together.
const MostReplicas = 8

// part is what one replica answered of the requests that were sent in a slot.
type part struct {
	sent, firsts int32
	ttft         float64 // sum, ns
}

// addPart enters a request. Those of which nobody said who answered are drawn nowhere here.
func (c *Collector) addPart(r *row.Request) {
	number := c.names.Of(r.Request)
	if number < 0 {
		return
	}
	cell := c.course.At(r.Row.Sent)
	for len(cell.parts) <= number {
		cell.parts = append(cell.parts, part{})
	}
	p := &cell.parts[number]
	p.sent++
	if r.Row.OK && r.Row.First >= 0 {
		p.firsts++
		p.ttft += float64(r.Row.First)
	}
}

// joinParts adds the parts of one slot to those of another.
func joinParts(into *[]part, from []part) {
	for len(*into) < len(from) {
		*into = append(*into, part{})
	}
	for i := range from {
		p := &(*into)[i]
		p.sent, p.firsts, p.ttft = p.sent+from[i].sent, p.firsts+from[i].firsts, p.ttft+from[i].ttft
	}
}

// replicas are the courses of those that answered; nil: there are fewer than two.
func (c *Collector) replicas() []ReplicaSeries {
	all := make([]part, c.names.Len())
	for i := range c.course.Cells {
		joinParts(&all, c.course.Cells[i].parts)
	}
	var order []int
	for i := range all {
		if all[i].sent > 0 {
			order = append(order, i)
		}
	}
	if len(order) < 2 {
		return nil
	}
	shown := order
	if len(order) > MostReplicas {
		shown = oddest(all, order, MostReplicas-1)
	}
	var out []ReplicaSeries
	for _, i := range shown {
		out = append(out, c.series(c.names.Name(i), []int{i}))
	}
	if rest := slices.DeleteFunc(order, func(i int) bool { return slices.Contains(shown, i) }); len(rest) > 0 {
		out = append(out, c.series("", rest))
		out[len(out)-1].Together = len(rest)
	}
	return out
}

// oddest are the replicas whose requests or times to the first token are furthest from the median ones, in their order.
func oddest(all []part, of []int, n int) []int {
	median := func(value func(*part) float64) float64 {
		var list []float64
		for _, i := range of {
			list = append(list, value(&all[i]))
		}
		slices.Sort(list)
		return list[len(list)/2]
	}
	sent := func(p *part) float64 { return float64(p.sent) }
	ttft := func(p *part) float64 { return p.ttft / float64(max(p.firsts, 1)) }
	usualSent, usualTTFT := median(sent), median(ttft)
	odd := func(i int) float64 {
		p := &all[i]
		return math.Abs(sent(p)-usualSent)/max(usualSent, 1) + math.Abs(ttft(p)-usualTTFT)/max(usualTTFT, 1)
	}
	list := slices.Clone(of)
	slices.SortStableFunc(list, func(a, b int) int { return cmp.Compare(odd(b), odd(a)) })
	list = list[:n]
	slices.Sort(list)
	return list
}

// series is the course of some replicas, their mean.
func (c *Collector) series(name string, numbers []int) ReplicaSeries {
	s := ReplicaSeries{Name: name}
	width := float64(c.course.Width) / 1e9
	for i := range c.course.Cells {
		sum := part{}
		for _, n := range numbers {
			if parts := c.course.Cells[i].parts; n < len(parts) {
				sum.sent, sum.firsts, sum.ttft = sum.sent+parts[n].sent, sum.firsts+parts[n].firsts, sum.ttft+parts[n].ttft
			}
		}
		ttft := math.NaN()
		if sum.firsts > 0 {
			ttft = sum.ttft / float64(sum.firsts) / 1e6
		}
		s.Sent, s.TTFT = append(s.Sent, float64(sum.sent)/width/float64(len(numbers))), append(s.TTFT, ttft)
	}
	return s
}
