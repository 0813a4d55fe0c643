package load

import (
	"slices"
	"testing"

	"github.com/inferometer/inferometer/internal/send/protocol/stream"
)

// The lengths of events' texts are kept where the tokens have to be spread by them,
// and nowhere else: a journal would be the larger for nothing.
func TestSpread(t *testing.T) {
	const text = stream.EventChoices | stream.EventText
	tests := []struct {
		name  string
		kinds []stream.EventKind
		ends  []int
		by    stream.TokensBy
		total int
		want  bool
	}{
		{"several tokens each", []stream.EventKind{text, text, stream.EventUsage}, []int{10, 25, 25}, stream.TokensUnknown, 7, true},
		{"one each", []stream.EventKind{text, text, stream.EventUsage}, []int{4, 8, 8}, stream.TokensUnknown, 2, false},
		{"one each, with a last one without text", []stream.EventKind{text, text, stream.EventChoices}, []int{4, 8, 8}, stream.TokensUnknown, 3, false},
		{"known by event", []stream.EventKind{text, text}, []int{4, 8}, stream.TokensByUsage, 7, false},
		{"no total", []stream.EventKind{text, text}, []int{4, 8}, stream.TokensUnknown, 0, false},
		{"reasoning, whose text is not kept", []stream.EventKind{stream.EventChoices | stream.EventReasoning, text}, []int{0, 8}, stream.TokensUnknown, 7, false},
	}
	for _, c := range tests {
		tr := &stream.Trace{TextEnds: c.ends, TokensBy: c.by}
		for _, k := range c.kinds {
			tr.Events = append(tr.Events, stream.Event{Kind: k})
		}
		if got := spread(tr, c.total); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
	if got := sizes(nil, []int{10, 25, 25}); !slices.Equal(got, []int{10, 15, 0}) {
		t.Errorf("sizes %v", got)
	}
}
