package measure

import (
	"slices"
	"strconv"
	"strings"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/row"
	"github.com/inferometer/inferometer/internal/judge/stats"
)

// presence says whether a success has a value of a metric.
type presence int

const (
	isThere  presence = iota
	isNone            // by its nature: one token has no time between tokens, and keeps any limit
	notKnown          // nobody said, or it never came: it keeps none
)

// limitValue is a success's value in seconds.
type limitValue func(*facts) (float64, presence)

// Goodputs lists what --goodput can bound, in words for a message.
func Goodputs() []string {
	var names []string
	for _, m := range Metrics() {
		if m.Value != nil {
			names = append(names, m.Name)
		}
	}
	for _, e := range firstEvents {
		names = append(names, e.name)
	}
	for _, f := range gapFamilies {
		names = append(names, f.name+"_mean", f.name+"_max", f.name+"_pNN")
	}
	return names
}

// IsGoodput says whether --goodput can bound a metric of this name.
func IsGoodput(name string) bool {
	_, _, ok := limitOf(name)
	return ok
}

// limitOf finds a metric with one value a request, and which gaps it is made of.
func limitOf(name string) (limitValue, gapSet, bool) {
	for _, m := range Metrics() {
		if m.Name == name && m.Value != nil {
			return rowValue(m.Value), 0, true
		}
	}
	for _, e := range firstEvents {
		if e.name == name {
			return e.value, 0, true
		}
	}
	for _, f := range gapFamilies {
		if rest, ok := strings.CutPrefix(name, f.name+"_"); ok {
			if of := statistic(rest); of != nil {
				return gapValue(f.gaps, of), f.gaps, true
			}
		}
	}
	return nil, 0, false
}

// rowValue is a metric's own. Where a success has none it keeps any limit, as in vLLM.
func rowValue(of func(*Row) (float64, bool)) limitValue {
	return func(f *facts) (float64, presence) {
		v, ok := of(f.row)
		if !ok {
			return 0, isNone
		}
		return v, isThere
	}
}

// firstEvents are the times to an event from sent or from due.
var firstEvents = []struct {
	name  string
	value limitValue
}{
	{"ttft_due", eventTime(func(r *Row) int64 { return r.First }, true)},
	{"first_token", eventTime(func(r *Row) int64 { return r.FirstToken }, false)},
	{"first_token_due", eventTime(func(r *Row) int64 { return r.FirstToken }, true)},
	{"first_visible", eventTime(func(r *Row) int64 { return r.FirstVisible }, false)},
	{"first_visible_due", eventTime(func(r *Row) int64 { return r.FirstVisible }, true)},
	{"e2el_due", eventTime(func(r *Row) int64 { return r.Last }, true)},
}

func eventTime(event func(*Row) int64, due bool) limitValue {
	return func(f *facts) (float64, presence) {
		at := event(f.row)
		if at < 0 {
			return 0, notKnown // an event that never came was in time for nobody
		}
		if due {
			at += f.row.Sent - f.row.Due
		}
		return seconds(at), isThere
	}
}

// gapSet is which gaps of a request are asked for.
type gapSet int

const (
	chunkGaps gapSet = 1 << iota
	tokenGaps
)

// gapFamilies are statistics over the gaps of one request. itl is vLLM's word for
// what is inter-chunk in truth.
var gapFamilies = []struct {
	name string
	gaps gapSet
}{{"itl", chunkGaps}, {"inter_chunk", chunkGaps}, {"inter_token", tokenGaps}}

func gapValue(gaps gapSet, of func([]float64) float64) limitValue {
	return func(f *facts) (float64, presence) {
		v, known := f.gaps(gaps)
		switch {
		case !known:
			return 0, notKnown
		case len(v) == 0:
			return 0, isNone
		}
		return of(v), isThere
	}
}

// statistic reads mean, max or pNN; nil for other words.
func statistic(word string) func([]float64) float64 {
	switch word {
	case "mean":
		return stats.Mean
	case "max":
		return slices.Max[[]float64]
	}
	digits, ok := strings.CutPrefix(word, "p")
	if !ok || digits == "" || strings.Trim(digits, "0123456789.") != "" {
		return nil
	}
	p, err := strconv.ParseFloat(digits, 64)
	if err != nil || p > 100 {
		return nil
	}
	return percentileOf(p)
}

func percentileOf(p float64) func([]float64) float64 {
	return func(v []float64) float64 {
		stats.Select(v, []float64{p})
		return stats.Percentile(v, p)
	}
}

// facts are one success as the limits see it. Their memory is used again.
type facts struct {
	needs  gapSet
	row    *Row
	chunks []float64 // gaps in seconds, in no order
	tokens []float64
	known  bool // the tokens of each event
}

func (f *facts) read(req *journal.Request, r *Row) {
	f.row, f.chunks, f.tokens = r, f.chunks[:0], f.tokens[:0]
	if f.needs&chunkGaps != 0 {
		row.EachGap(req, func(_, gap int64, first bool) {
			if !first {
				f.chunks = append(f.chunks, seconds(gap))
			}
		})
	}
	if f.needs&tokenGaps != 0 {
		tokens, mask, by := row.TokensOf(req)
		f.known = by != row.TokensUnknown
		row.EachTokens(&req.Events, tokens, mask, func(_, gap int64, n int, first bool) {
			for range n {
				if !first {
					f.tokens = append(f.tokens, seconds(gap)/float64(n))
				}
			}
		})
	}
}

// gaps are those of one kind, and whether they are known.
func (f *facts) gaps(of gapSet) ([]float64, bool) {
	if of == tokenGaps {
		return f.tokens, f.known
	}
	return f.chunks, true
}
