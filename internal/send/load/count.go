package load

import (
	"github.com/inferometer/inferometer/internal/send/protocol/stream"
)

// countEvents finds how many tokens each event holds with our own tokenizer, where
// the server did not say and some hold more than one. A text that is cut into
// events may be split into other tokens than the whole, so the counts are taken
// only if they add up to the total: the server's, or ours of the whole text.
func (w *worker) countEvents(total int) {
	t := &w.sink.Trace
	count := w.run.cfg.CountTokens
	if count == nil || t.TokensBy != stream.TokensUnknown || !worthCounting(t, total) {
		return
	}
	sum, start := 0, 0
	counts := w.counts[:0]
	for _, end := range t.TextEnds {
		n, err := 0, error(nil)
		if end > start {
			n, err = count(string(t.Text[start:end]))
		}
		if sum += n; err != nil || sum > total {
			return
		}
		counts, start = append(counts, n), end
	}
	w.counts = counts
	// A token that ends the answer is counted by servers, and has no text.
	if sum != total && !(t.FinishReason == "stop" && sum == total-1) {
		return
	}
	for i, n := range counts {
		t.Events[i].Tokens = n
	}
	t.TokensBy = stream.TokensByTokenizer
}

// spread says whether the tokens of the request have to be spread over its events by
// the length of their text: they are not one in each, nobody said how many, and the
// text of each is kept.
func spread(t *stream.Trace, total int) bool {
	if total <= 0 || t.TokensBy != stream.TokensUnknown || len(t.TextEnds) != len(t.Events) {
		return false
	}
	chunks, texts, start := 0, 0, 0
	for i, end := range t.TextEnds {
		k := t.Events[i].Kind
		if k&stream.EventChoices != 0 {
			chunks++
		}
		if k&(stream.EventText|stream.EventReasoning|stream.EventTool) != 0 {
			if end == start {
				return false
			}
			texts++
		}
		start = end
	}
	return total != texts && total != chunks
}

// sizes are the lengths of the events' parts of the text.
func sizes(room, ends []int) []int {
	start := 0
	for _, end := range ends {
		room, start = append(room, end-start), end
	}
	return room
}

// worthCounting: all that was generated is visible text, which is what we keep, and
// its tokens are more than its events. Where they are as many, each holds one.
func worthCounting(t *stream.Trace, total int) bool {
	chunks := 0
	for i := range t.Events {
		k := t.Events[i].Kind
		if k&(stream.EventReasoning|stream.EventTool) != 0 {
			return false
		}
		if k&stream.EventChoices != 0 {
			chunks++
		}
	}
	return total > chunks
}
