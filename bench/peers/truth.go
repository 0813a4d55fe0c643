package main

import (
	"cmp"
	"slices"

	simtruth "github.com/inferometer/inferometer/internal/sim/truth"
	"github.com/inferometer/inferometer/internal/stats"
)

// truth is what the server knows of the requests that a client measured, small enough to
// be kept: times in µs, one entry a request in the order of arrival.
type truth struct {
	Extra  int      `json:"extra,omitempty"` // requests before the measured ones: a client's own check that the server answers
	Begun  []int64  `json:"begun"`           // since the request before
	First  []int64  `json:"first"`           // its first token, since it was begun; -1: none was sent
	Spread []int64  `json:"spread"`          // its last token, since the first
	Took   []int64  `json:"took"`            // the last write, since it was begun
	Tokens []int    `json:"tokens"`
	Events int      `json:"events"` // of all, with those that carry no token
	Faults []int    `json:"faults"` // the places of those that the server broke
	Gaps   [][2]int `json:"gaps"`   // between two chunks of tokens, in 10 µs, and how often
}

// readTruth reads a log and takes the last so many requests of it: what comes before is the client's warm-up.
func readTruth(path string, measured int) (*truth, error) {
	all, err := simtruth.Read(path)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(all, func(a, b simtruth.Request) int { return cmp.Compare(a.Begun(), b.Begun()) })
	extra := max(len(all)-measured, 0)
	return condense(all[extra:], extra), nil
}

func condense(all []simtruth.Request, extra int) *truth {
	t := &truth{Extra: extra}
	gaps := map[int]int{}
	var before int64
	for i, l := range all {
		if l.Fault != "" {
			t.Faults = append(t.Faults, i)
		}
		first, last := int64(0), int64(0)
		for k, at := range l.Events {
			if l.Kinds[k] != "token" {
				continue
			}
			if first == 0 {
				first = at
			} else {
				gaps[int((at-last+5_000)/10_000)]++
			}
			last = at
		}
		begun := l.Begun()
		if i > 0 {
			t.Begun = append(t.Begun, (begun-before)/1000)
		} else {
			t.Begun = append(t.Begun, 0)
		}
		before = begun
		shown := int64(-1)
		if first > 0 {
			shown = (first - begun) / 1000
		}
		t.First, t.Spread = append(t.First, shown), append(t.Spread, (last-first)/1000)
		t.Took, t.Tokens = append(t.Took, (l.Ended-begun)/1000), append(t.Tokens, l.Tokens)
		t.Events += len(l.Events) + 1 // and [DONE]
	}
	for v, n := range gaps {
		t.Gaps = append(t.Gaps, [2]int{v, n})
	}
	slices.SortFunc(t.Gaps, func(a, b [2]int) int { return cmp.Compare(a[0], b[0]) })
	return t
}

// ms gives the percentiles of a metric in milliseconds, as NumPy has them.
func (t *truth) ms(metric string, p float64) (float64, bool) {
	var v []float64
	switch metric {
	case "ttft":
		for _, us := range t.First {
			if us >= 0 {
				v = append(v, float64(us)/1000)
			}
		}
	case "tpot":
		for i, us := range t.Spread {
			if t.Tokens[i] > 1 {
				v = append(v, float64(us)/1000/float64(t.Tokens[i]-1))
			}
		}
	case "itl":
		for _, g := range t.Gaps {
			for range g[1] {
				v = append(v, float64(g[0])/100)
			}
		}
	}
	if len(v) == 0 {
		return 0, false
	}
	slices.Sort(v)
	return stats.Percentile(v, p), true
}

// seconds is from the first request's arrival to the last write.
func (t *truth) seconds() float64 {
	var at, end int64
	for i, gap := range t.Begun {
		at += gap
		end = max(end, at+t.Took[i])
	}
	return float64(end) / 1e6
}

// best is how long the same answers take if every stream's next request is there as soon as its last answer ended.
func (t *truth) best(streams int) float64 {
	free := make([]int64, max(streams, 1))
	for _, took := range t.Took {
		i := slices.Index(free, slices.Min(free))
		free[i] += took
	}
	return float64(slices.Max(free)) / 1e6
}
