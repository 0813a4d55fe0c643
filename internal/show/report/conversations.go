package report

import (
	"fmt"
	"strings"

	"github.com/inferometer/inferometer/internal/judge/measure"
)

// setConversations adds what was measured of conversations as a whole; a run without
// any has no such key.
func setConversations(o *object, c *measure.Conversations) {
	if c == nil {
		return
	}
	o.Set("conversations", object{
		{"begun", c.Begun},
		{"complete", c.Complete},
		{"failed", c.Failed},
		{"abandoned", c.Abandoned},
		{"open", c.Open},
		{"turns", c.Turns},
		{"throughput", c.Rate},
		{"time", groupLatency(&c.Time)},
		{"busy_time", groupLatency(&c.Busy)},
		{"mean_think_ms", orUnknown(c.Complete, c.Think)},
		{"turns_complete", amountsObject(&c.TurnsEach)},
		{"prompt_tokens", amountsObject(&c.PromptTokens)},
		{"output_tokens", amountsObject(&c.OutputTokens)},
		{"cached_share", amountsObject(&c.CachedShare)},
	})
}

func amountsObject(a *measure.Amounts) object {
	v := func(v float64) any { return orUnknown(a.Count, v) }
	return object{{"known", a.Count}, {"mean", v(a.Mean)}, {"p50", v(a.P50)}, {"p90", v(a.P90)}, {"p99", v(a.P99)}, {"max", v(a.Max)}}
}

// conversations prints how they ended and how long they took.
func (c *console) conversations(t *measure.Conversations) {
	if t == nil {
		return
	}
	c.center(fmt.Sprintf(" %d conversations ", t.Begun), "-")
	c.row("Ended:", ConversationEnds(t))
	n := &t.Turns
	turns := fmt.Sprintf("%d sent, %d complete", n.Sent, n.Complete)
	if n.Skipped > 0 {
		turns += fmt.Sprintf(", %d of %d never sent", n.Skipped, n.Planned)
	}
	c.row("Turns:", turns)
	c.line(c.ms, "ms", "mean", "p50", "p99", "max")
	c.summary("To done", &t.Time.Summary)
	if t.Think > 0 {
		c.summary("Busy", &t.Busy.Summary)
	}
	c.float("Conversations per second:", t.Rate)
	c.amounts("Turns of one, mean and most:", "%.1f, %.0f", &t.TurnsEach, 1)
	c.amounts("Prompt tokens of one, mean and most:", "%.0f, %.0f", &t.PromptTokens, 1)
	c.amounts("Output tokens of one, mean and most:", "%.0f, %.0f", &t.OutputTokens, 1)
	if s := &t.CachedShare; s.Count > 0 {
		c.row("Cached share of one:", fmt.Sprintf("mean %.1f %%, median %.1f %%, of %d", s.Mean*100, s.P50*100, s.Count))
	} else if t.Complete > 0 {
		c.row("Cached share of one:", "unknown")
	}
}

func (c *console) amounts(label, format string, a *measure.Amounts, scale float64) {
	if a.Count == 0 {
		c.row(label, "unknown")
		return
	}
	c.line("%-40s "+format, label, a.Mean*scale, a.Max*scale)
}

// ConversationEnds says how conversations ended.
func ConversationEnds(t *measure.Conversations) string {
	words := []string{fmt.Sprintf("%d complete", t.Complete)}
	for _, part := range []struct {
		n    int
		word string
	}{{t.Failed, "failed"}, {t.Abandoned, "abandoned"}, {t.Open, "of unknown end"}} {
		if part.n > 0 {
			words = append(words, fmt.Sprintf("%d %s", part.n, part.word))
		}
	}
	return strings.Join(words, ", ")
}
