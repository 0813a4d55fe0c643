package section

import (
	"fmt"
	"strings"

	"github.com/inferometer/inferometer/internal/judge/measure"
	"github.com/inferometer/inferometer/internal/show/number"
	"github.com/inferometer/inferometer/internal/show/table"
)

func init() { Add(atConversations, conversations) }

// conversations are what was measured of them as a whole: how they ended and how long they took.
func conversations(run *Run) *Section {
	c := run.Result.Conversations
	if c == nil {
		return nil
	}
	about := &table.Table{}
	about.Fact("Ended", conversationEnds(c))
	n := &c.Turns
	turns := fmt.Sprintf("%d sent, %d complete", n.Sent, n.Complete)
	if n.Skipped > 0 {
		turns += fmt.Sprintf(", %d of %d never sent", n.Skipped, n.Planned)
	}
	about.Fact("Turns", turns)
	times := latencyTable("Conversations that succeeded, in ms (busy is without the time of thinking)")
	addLatency(times, "To done", &c.Time.Summary)
	facts := &table.Table{}
	facts.Fact("Conversations per second", number.Rate(c.Rate))
	if c.Think > 0 {
		addLatency(times, "Busy", &c.Busy.Summary)
		facts.Fact("Think time (ms), mean", number.Millis(c.Think))
	}
	facts.Fact("Turns of one", amounts(&c.TurnsEach, number.Short))
	facts.Fact("Prompt tokens of one", amounts(&c.PromptTokens, number.Short))
	facts.Fact("Output tokens of one", amounts(&c.OutputTokens, number.Short))
	facts.Fact("Cached share of one", amounts(&c.CachedShare, number.Share))
	return &Section{ID: "conversations", Title: fmt.Sprintf("%d conversations", c.Begun), Tables: []*table.Table{about, times, facts}}
}

// conversationEnds says how conversations ended.
func conversationEnds(c *measure.Conversations) string {
	words := []string{fmt.Sprintf("%d complete", c.Complete)}
	for _, part := range []struct {
		n    int
		word string
	}{{c.Failed, "failed"}, {c.Abandoned, "abandoned"}, {c.Open, "of unknown end"}} {
		if part.n > 0 {
			words = append(words, fmt.Sprintf("%d %s", part.n, part.word))
		}
	}
	return strings.Join(words, ", ")
}

func amounts(a *measure.Amounts, format func(float64) string) string {
	if a.Count == 0 {
		return number.Unknown
	}
	return fmt.Sprintf("mean %s, p50 %s, p90 %s, max %s, known of %d", format(a.Mean), format(a.P50), format(a.P90), format(a.Max), a.Count)
}
