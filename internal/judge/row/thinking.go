package row

import "github.com/inferometer/inferometer/internal/journal"

// Thinking is how many tokens of an answer are reasoning: as the server counted, else
// those of its events. any says whether there was some; known is false where nobody says
// how much.
func (r *Request) Thinking() (n int, any, known bool) {
	mixed := false // an event holds reasoning and something else
	for i, k := range r.Events.Kind {
		if k&journal.EventReasoning == 0 {
			continue
		}
		any, mixed = true, mixed || k&(journal.EventText|journal.EventTool) != 0
		n += tokensAt(&r.Events, i, r.tokens, r.mask)
	}
	// A server that does not count it may say 0.
	if r.ReasoningKnown && (r.UsageReasoning > 0 || !any) {
		return r.UsageReasoning, any || r.UsageReasoning > 0, true
	}
	return n, any, !any || r.TokensBy != TokensUnknown && !mixed
}
