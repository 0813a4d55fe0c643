package load

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/inferometer/inferometer/internal/send/protocol"
	"github.com/inferometer/inferometer/internal/send/protocol/stream"
)

// TestCountEvents counts words: a stand-in for a tokenizer that is easy to follow.
func TestCountEvents(t *testing.T) {
	const text = stream.EventChoices | stream.EventText
	words := func(s string) (int, error) {
		if strings.Contains(s, "!") {
			return 0, errors.New("no such letter")
		}
		return len(strings.Fields(s)), nil
	}
	tests := []struct {
		name   string
		parts  []string
		total  int
		change func(*stream.Trace)
		want   []int // nil: not known
	}{
		{"they add up", []string{"a b", " c", "", " d e f"}, 6, nil, []int{2, 1, 0, 3}},
		{"a word cut in two is counted twice", []string{"a b", "b c"}, 3, nil, nil},
		{"too few", []string{"a b", " c"}, 5, nil, nil},
		{"the token that ends the answer has no text", []string{"a b", " c"}, 4, func(tr *stream.Trace) { tr.FinishReason = "stop" }, []int{2, 1}},
		{"as many as events: each has one, and nothing is counted", []string{"a b", " c"}, 2, nil, nil},
		{"the server said so itself", []string{"a b", " c"}, 3, func(tr *stream.Trace) { tr.TokensBy = stream.TokensByIDs }, nil},
		{"reasoning, whose text is not kept", []string{"a b", " c"}, 3, func(tr *stream.Trace) { tr.Events[0].Kind |= stream.EventReasoning }, nil},
		{"a text that cannot be counted", []string{"a b", " c!"}, 3, nil, nil},
		{"no total", []string{"a b", " c"}, 0, nil, nil},
	}
	backend, err := protocol.FindBackend("openai")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorker(&run{cfg: Config{Destination: Destination{Protocol: backend}, Records: Records{CountTokens: words}, Observers: Observers{Progress: &Progress{}}}})
			tr := &w.sink.Trace
			for _, p := range tt.parts {
				tr.Text = append(tr.Text, p...)
				tr.TextEnds = append(tr.TextEnds, len(tr.Text))
				tr.Events = append(tr.Events, stream.Event{Kind: text, Tokens: -1})
			}
			if tt.change != nil {
				tt.change(tr)
			}
			before := tr.TokensBy
			w.countEvents(tt.total)
			var got []int
			if tr.TokensBy == stream.TokensByTokenizer {
				for _, e := range tr.Events {
					got = append(got, e.Tokens)
				}
			} else if tr.TokensBy != before || tr.Events[0].Tokens != -1 {
				t.Errorf("it was changed to %v, %d", tr.TokensBy, tr.Events[0].Tokens)
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("tokens %v, want %v", got, tt.want)
			}
		})
	}
}
