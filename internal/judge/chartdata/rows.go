package chartdata

import (
	"container/heap"
	"slices"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/row"
)

// MostRows is how many requests are kept one by one. Beyond it the slowest and the
// failed ones stay, which are those that people look for, and an even sample.
const (
	MostRows   = 10_000
	mostOfKind = 10 // a tenth of the rows for the slowest, and a tenth for the failed
)

// Row is a request on its way, in seconds since the run's zero; First is negative
// where no token came.
type Row struct {
	Index                 int
	Due, Sent, First, End float64
	Tokens                int
	OK                    bool
	Outcome               journal.Outcome
	Error                 string
}

// errorBytes is how much of an error's text is kept: whole ones would fill a page.
const errorBytes = 120

func newRow(req *row.Request) Row {
	one := &req.Row
	r := Row{
		Index: one.Index, Due: seconds(one.Due), Sent: seconds(one.Sent), First: -1, End: seconds(one.End),
		Tokens: int(one.Output), OK: one.OK, Outcome: req.Outcome,
	}
	if one.First >= 0 {
		r.First = seconds(one.Sent + one.First)
	}
	if !one.OK {
		r.Error = req.Error[:min(len(req.Error), errorBytes)]
	}
	return r
}

func seconds(ns int64) float64 { return float64(ns) / 1e9 }

func (r *Row) took() float64 { return r.End - r.Due }

// rows keeps some of the requests.
type rows struct {
	most   int
	total  int
	all    []Row // until they are too many; then every so many
	every  int   // 0: all of them
	slow   slowest
	failed []Row
}

func (k *rows) add(r Row) {
	k.total++
	part := max(k.most/mostOfKind, 1)
	if !r.OK && len(k.failed) < part {
		k.failed = append(k.failed, r)
	}
	if heap.Push(&k.slow, r); len(k.slow) > part {
		heap.Pop(&k.slow)
	}
	if k.every == 0 {
		if k.all = append(k.all, r); len(k.all) > k.most {
			k.every = 1
			k.thin()
		}
		return
	}
	if k.total%k.every == 0 {
		if k.all = append(k.all, r); len(k.all) > k.most-2*part {
			k.thin()
		}
	}
}

// thin keeps each second one.
func (k *rows) thin() {
	part := max(k.most/mostOfKind, 1)
	for ok := true; ok; ok = len(k.all) > k.most-2*part {
		k.every *= 2
		half := k.all[:0]
		for i := 1; i < len(k.all); i += 2 {
			half = append(half, k.all[i])
		}
		k.all = half
	}
}

// chosen are the rows to show, in the order of requests.
func (k *rows) chosen() (list []Row, sampled bool) {
	list = append(list, k.all...)
	if k.every > 0 {
		list = append(append(list, k.slow...), k.failed...)
	}
	slices.SortStableFunc(list, func(a, b Row) int { return a.Index - b.Index })
	return slices.CompactFunc(list, func(a, b Row) bool { return a.Index == b.Index }), k.every > 0
}

// slowest is a heap with the quickest of the slowest on top.
type slowest []Row

func (s slowest) Len() int           { return len(s) }
func (s slowest) Less(i, j int) bool { return s[i].took() < s[j].took() }
func (s slowest) Swap(i, j int)      { s[i], s[j] = s[j], s[i] }
func (s *slowest) Push(x any)        { *s = append(*s, x.(Row)) }
func (s *slowest) Pop() any {
	old := *s
	last := old[len(old)-1]
	*s = old[:len(old)-1]
	return last
}
