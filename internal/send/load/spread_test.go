package load

import (
	"slices"
	"testing"

	"github.com/inferometer/inferometer/internal/send/protocol"
)

// The lengths of events' texts are kept where the tokens have to be spread by them,
// and nowhere else: a journal would be the larger for nothing.
func TestSpread(t *testing.T) {
	const text = protocol.EventChoices | protocol.EventText
	tests := []struct {
		name  string
		kinds []protocol.EventKind
		ends  []int
		by    protocol.TokensBy
		total int
		want  bool
	}{
		{"several tokens each", []protocol.EventKind{text, text, protocol.EventUsage}, []int{10, 25, 25}, protocol.TokensUnknown, 7, true},
		{"one each", []protocol.EventKind{text, text, protocol.EventUsage}, []int{4, 8, 8}, protocol.TokensUnknown, 2, false},
		{"one each, with a last one without text", []protocol.EventKind{text, text, protocol.EventChoices}, []int{4, 8, 8}, protocol.TokensUnknown, 3, false},
		{"known by event", []protocol.EventKind{text, text}, []int{4, 8}, protocol.TokensByUsage, 7, false},
		{"no total", []protocol.EventKind{text, text}, []int{4, 8}, protocol.TokensUnknown, 0, false},
		{"reasoning, whose text is not kept", []protocol.EventKind{protocol.EventChoices | protocol.EventReasoning, text}, []int{0, 8}, protocol.TokensUnknown, 7, false},
	}
	for _, c := range tests {
		tr := &protocol.Trace{TextEnds: c.ends, TokensBy: c.by}
		for _, k := range c.kinds {
			tr.Events = append(tr.Events, protocol.Event{Kind: k})
		}
		if got := spread(tr, c.total); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
	if got := sizes(nil, []int{10, 25, 25}); !slices.Equal(got, []int{10, 15, 0}) {
		t.Errorf("sizes %v", got)
	}
}
