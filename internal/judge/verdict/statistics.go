package verdict

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// samples holds each percentile asked for against the values that it rests on. One
// that rests on too few is no reason to doubt the rest of the run: it is left out
// of tables, and Verdict.Unsupported names it.
type samples struct {
	manyTokens  int64
	first       int64 // turns of conversations; of these is the largest possible number of conversations
	later       int64
	unsupported []string
}

func (c *samples) add(v *view) {
	if n, _ := v.got(); !v.Warmup && v.complete && max(n, v.TextTokens, len(v.Chunks)) > 1 {
		c.manyTokens++
	}
	switch {
	case v.Warmup || !v.complete:
	case v.Turn == 1:
		c.first++
	case v.Turn > 1:
		c.later++
	}
}

// Needs is how many values a percentile takes: so many that one lies beyond it. With
// fewer it is a name for the largest of them.
func Needs(p float64) int64 {
	tail := min(p, 100-p) / 100
	if tail <= 0 { // the smallest or largest value is what it is
		return 1
	}
	return int64(math.Ceil(1/tail - 1e-6))
}

// What a run of conversations is reported with, whatever was asked for.
const (
	conversationTime = "conversation_time"
	conversationBusy = "conversation_busy_time"
)

// have is how many values a metric has.
func (c *samples) have(f *facts, metric string) int64 {
	switch metric {
	case "itl":
		return f.gaps
	case "tpot":
		return c.manyTokens
	case "ttft_first_turn", conversationTime, conversationBusy:
		return c.first
	case "ttft_later_turns":
		return c.later
	}
	return f.complete
}

func (c *samples) result(f *facts, _ limits) Check {
	switch {
	case f.measured == 0:
		return Check{Level: Invalid, Figure: "0 requests", Sentence: "no request was measured", Brief: "no request was measured"}
	case f.complete == 0:
		return skip("no request completed, see outcomes")
	}
	var few []string
	least := f.complete
	asked := f.opt.PercentileMetrics
	if c.first > 0 { // the result has these unasked
		asked = append(slices.Clone(asked), conversationTime, conversationBusy)
	}
	for _, m := range asked {
		n := c.have(f, m)
		for _, p := range f.opt.Percentiles {
			if n > 0 && n < Needs(p) { // a metric without values shows none
				few = append(few, fmt.Sprintf("p%g of %s (%d < %d)", p, m, n, Needs(p)))
				c.unsupported = append(c.unsupported, percentileName(p)+"_"+m)
				least = min(least, n)
			}
		}
	}
	value := float64(least)
	k := Check{Level: OK, Value: &value, Figure: fmt.Sprintf("%d requests", f.complete), Sentence: "every percentile asked for has enough samples"}
	if len(few) > 0 {
		k.Figure = fmt.Sprintf("%d samples", least)
		k.Sentence = "too few samples for " + strings.Join(few, ", ") + ": shown as n/a; the other numbers stand"
	}
	return k
}

// percentileName is a percentile as results and SLOs name it.
func percentileName(p float64) string {
	if p == 50 {
		return "median"
	}
	return "p" + strconv.FormatFloat(p, 'f', -1, 64)
}
