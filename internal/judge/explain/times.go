package explain

import (
	"cmp"
	"math"
	"slices"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/row"
)

// The requests of a run, as many as are kept: when each was sent, and when its first and last token came; and times
// between tokens whose ends are both known. Of a longer run the first requests are kept, and each second, fourth… time.
const (
	mostSpans     = 1 << 17
	mostStretches = 1 << 16
)

// span is a request: sent, first token, last one.
type span struct{ sent, first, last int64 }

// stretch is a time between two tokens whose times are known, with others between them or not.
type stretch struct {
	from, to int64
	gaps     int32
}

// times are what is kept of them.
type times struct {
	spans     []span
	until     int64 // all requests that began before it are kept
	stretches []stretch
	seen      int64 // stretches
	stride    int64 // each such one is kept
	within    row.Within
}

func newTimes() times { return times{until: math.MaxInt64, stride: 1} }

// add takes in a request, whatever became of it. An event that shares its read with a later one has no time
// of its own, and no stretch begins or ends with it.
func (t *times) add(r *row.Request) {
	one := span{r.Sent, r.End, r.End}
	if n := len(r.Chunks); n > 0 {
		one.first, one.last = r.Sent+r.Chunks[0], r.Sent+r.Chunks[n-1]
	}
	if len(t.spans) >= mostSpans {
		t.until = min(t.until, one.sent)
		return
	}
	t.spans = append(t.spans, one)
	t.within.Read(r.Request, true)
	from, gaps := int64(-1), int32(0)
	for i, kind := range r.Events.Kind {
		if kind&journal.EventChoices == 0 {
			continue
		}
		if gaps++; !t.within.Exact(i) {
			continue
		}
		at := r.Sent + t.within.At[i]
		if from >= 0 && at > from {
			t.keep(stretch{from, at, gaps})
		}
		from, gaps = at, 0
	}
}

// keep keeps each stride'th.
func (t *times) keep(s stretch) {
	if t.seen++; t.seen%t.stride != 0 {
		return
	}
	if len(t.stretches) >= mostStretches {
		for i := range len(t.stretches) / 2 {
			t.stretches[i] = t.stretches[2*i]
		}
		t.stretches, t.stride = t.stretches[:len(t.stretches)/2], 2*t.stride
	}
	t.stretches = append(t.stretches, s)
}

// levels are how many there are of something over time: from each moment on.
type levels struct {
	at     []int64
	n      []int
	blocks [][2]int // the least and the most of each block
}

const blockSize = 256

// newLevels counts what begins and what ends.
func newLevels(n int, begin, end func(i int) int64) levels {
	type mark struct {
		at   int64
		more int
	}
	marks := make([]mark, 0, 2*n)
	for i := range n {
		if b, e := begin(i), end(i); e > b {
			marks = append(marks, mark{b, 1}, mark{e, -1})
		}
	}
	slices.SortFunc(marks, func(a, b mark) int { return cmp.Compare(a.at, b.at) })
	l := levels{at: []int64{math.MinInt64}, n: []int{0}}
	now := 0
	for _, m := range marks {
		if now += m.more; l.at[len(l.at)-1] == m.at {
			l.n[len(l.n)-1] = now
			continue
		}
		l.at, l.n = append(l.at, m.at), append(l.n, now)
	}
	for from := 0; from < len(l.n); from += blockSize {
		part := l.n[from:min(from+blockSize, len(l.n))]
		l.blocks = append(l.blocks, [2]int{slices.Min(part), slices.Max(part)})
	}
	return l
}

// within is the least and the most between two moments.
func (l *levels) within(from, to int64) (least, most int) {
	first, _ := slices.BinarySearch(l.at, from+1)
	last, _ := slices.BinarySearch(l.at, to) // what changes at its end is after it
	least, most = math.MaxInt, 0
	for i := first - 1; i < last; {
		if i%blockSize == 0 && i+blockSize <= last {
			b := l.blocks[i/blockSize]
			least, most = min(least, b[0]), max(most, b[1])
			i += blockSize
			continue
		}
		least, most = min(least, l.n[i]), max(most, l.n[i])
		i++
	}
	return least, most
}

// decoding are the requests that generate.
func (t *times) decoding() levels {
	return newLevels(len(t.spans), func(i int) int64 { return t.spans[i].first }, func(i int) int64 { return t.spans[i].last })
}
