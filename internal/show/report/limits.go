package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/inferometer/inferometer/internal/judge/measure"
)

// visible shows the time to the first text of the answer itself, where reasoning
// or a tool call came before it; else it is what first_token says.
func (c *console) visible(r *measure.Result) {
	from := &r.Latency.Sent
	if from.FirstVisible == from.FirstToken {
		return
	}
	c.summary("1st token", &from.FirstToken)
	c.summary("1st visible", &from.FirstVisible)
	if n := from.FirstVisible.Count; n < from.FirstToken.Count {
		c.row("Answers with visible text:", fmt.Sprintf("%d of %d", n, from.FirstToken.Count))
	}
}

// between shows the three latencies between tokens, each by its own name, and how
// the tokens of an event are known, or why not.
func (c *console) between(r *measure.Result) {
	t := &r.InterToken
	c.summary("Inter-chunk", &r.InterChunk)
	if t.Summary != nil {
		c.summary("Inter-token", t.Summary)
	}
	c.summary("TPOT", &r.TPOT)
	switch {
	case !t.Known:
		c.row("Inter-token:", "not known: "+t.Reason)
		return
	case len(t.By) > 0:
		c.row("Tokens of an event by:", strings.Join(t.By, ", "))
	}
	if t.Requests < r.Completed {
		c.row("Inter-token:", fmt.Sprintf("of %d of %d requests; %s", t.Requests, r.Completed, t.Reason))
	}
}

func (c *console) stalls(s *measure.Stalls, completed int) {
	if s == nil {
		return
	}
	label := fmt.Sprintf("Stalls (gaps over %s ms):", millis(s.Threshold))
	if s.Count == 0 {
		c.row(label, "none")
		return
	}
	c.row(label, fmt.Sprintf("%d in %d of %d requests, longest %s ms, %s ms in all",
		s.Count, s.Requests, completed, millis(s.Longest), millis(s.Total)))
}

// goodput shows what kept the limits, and what each limit cost: the one that binds first.
func (c *console) goodput(g *measure.Goodput) {
	if g == nil {
		return
	}
	c.row("Good requests:", fmt.Sprintf("%d of %d (%.1f %%)", g.Good, g.Requests, g.Share*100))
	c.float("Output token goodput (tok/s):", g.TokensPerSecond)
	limits := slices.Clone(g.Limits)
	slices.SortStableFunc(limits, func(a, b measure.Limit) int {
		if a.Alone != b.Alone {
			return b.Alone - a.Alone
		}
		return b.Broken + b.Unknown - a.Broken - a.Unknown
	})
	for _, l := range limits {
		words := fmt.Sprintf("%d over, %d by this alone", l.Broken, l.Alone)
		if l.Unknown > 0 {
			words += fmt.Sprintf(", %d not known", l.Unknown)
		} else if l.Broken == 0 {
			words = "kept by all"
		}
		c.row(fmt.Sprintf("  %s:%s:", l.Metric, percentileWord(l.MS)), words)
	}
}
