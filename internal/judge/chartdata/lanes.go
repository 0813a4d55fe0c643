package chartdata

import (
	"cmp"
	"slices"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/row"
)

// The bounds of Lanes.
const (
	MostLanes     = 20_000
	mostStretches = 1 << 20
)

// Lanes are requests beside each other in time, one lane each: the wait for the first token, then the gaps between
// token chunks in three classes of length. It is a row.Collector.
type Lanes struct {
	Thresholds [2]float64 // ms: a gap is below the first, below the second, or above both
	List       []Lane     // by index, once Sorted was called
	Total      int        // requests that were measured; more than List where they are too many
	stretches  int
}

// Lane is one request. Times are milliseconds: Start since the run's zero, the others since Start.
type Lane struct {
	Index          int
	Start          float64
	First          float64 // to the first token chunk; -1: none came
	End            float64 // to its last token chunk; of a failure, until it was known
	Prompt, Output int
	Outcome        journal.Outcome
	Stretches      []Stretch
}

// Stretch is consecutive gaps of one class.
type Stretch struct {
	Class   int // 0, 1, 2
	Gaps    int
	Total   float64
	Longest float64
}

// Class is the class of a gap in milliseconds.
func (l *Lanes) Class(ms float64) int {
	switch {
	case ms < l.Thresholds[0]:
		return 0
	case ms < l.Thresholds[1]:
		return 1
	}
	return 2
}

const nsPerMs = 1e6

// Add takes in a request. Those that end when there is no more room are only counted.
func (l *Lanes) Add(r *row.Request) error {
	if r.Warmup {
		return nil
	}
	l.Total++
	if len(l.List) == MostLanes || l.stretches >= mostStretches {
		return nil
	}
	one := &r.Row
	lane := Lane{Index: r.Index, Start: float64(one.Sent) / nsPerMs, First: -1, Prompt: int(one.Prompt), Output: int(one.Got), Outcome: r.Outcome}
	lane.End = float64(one.End-one.Sent) / nsPerMs
	if one.First >= 0 {
		lane.First = float64(one.First) / nsPerMs
		if one.OK {
			lane.End = float64(one.Last) / nsPerMs
		}
	}
	for _, gap := range r.Gaps() {
		lane.add(l.Class(float64(gap)/nsPerMs), float64(gap)/nsPerMs)
	}
	l.stretches += len(lane.Stretches)
	l.List = append(l.List, lane)
	return nil
}

func (l *Lane) add(class int, ms float64) {
	if n := len(l.Stretches); n > 0 && l.Stretches[n-1].Class == class {
		s := &l.Stretches[n-1]
		s.Gaps, s.Total, s.Longest = s.Gaps+1, s.Total+ms, max(s.Longest, ms)
		return
	}
	l.Stretches = append(l.Stretches, Stretch{class, 1, ms, ms})
}

// Sorted are the lanes by index, the first of them beginning at zero.
func (l *Lanes) Sorted() []Lane {
	slices.SortFunc(l.List, func(a, b Lane) int { return cmp.Compare(a.Index, b.Index) })
	first := 0.0
	for i := range l.List {
		if i == 0 || l.List[i].Start < first {
			first = l.List[i].Start
		}
	}
	for i := range l.List {
		l.List[i].Start -= first
	}
	return l.List
}

// Lengths are the tokens of each measured request's prompt and answer. It is a row.Collector.
type Lengths struct {
	List  []Length // by index, once Sorted was called
	Total int
}

// Length is one request's.
type Length struct{ Index, Prompt, Output int32 }

// mostLengths take 12 MB.
const mostLengths = 1 << 20

// Add takes in a request.
func (l *Lengths) Add(r *row.Request) error {
	if r.Warmup {
		return nil
	}
	l.Total++
	if len(l.List) < mostLengths {
		l.List = append(l.List, Length{int32(r.Index), r.Row.Prompt, r.Row.Output})
	}
	return nil
}

// Sorted are the lengths by index.
func (l *Lengths) Sorted() []Length {
	slices.SortFunc(l.List, func(a, b Length) int { return cmp.Compare(a.Index, b.Index) })
	return l.List
}
