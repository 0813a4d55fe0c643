package load

import (
	"slices"
	"testing"

	"github.com/inferometer/inferometer/internal/send/wire"
)

// The lengths of events' texts are kept where the tokens have to be spread by them,
// and nowhere else: a journal would be the larger for nothing.
func TestSpread(t *testing.T) {
	const text = wire.EventChoices | wire.EventText
	tests := []struct {
		name  string
		kinds []wire.EventKind
		ends  []int
		by    wire.TokensBy
		total int
		want  bool
	}{
		{"several tokens each", []wire.EventKind{text, text, wire.EventUsage}, []int{10, 25, 25}, wire.TokensUnknown, 7, true},
		{"one each", []wire.EventKind{text, text, wire.EventUsage}, []int{4, 8, 8}, wire.TokensUnknown, 2, false},
		{"one each, with a last one without text", []wire.EventKind{text, text, wire.EventChoices}, []int{4, 8, 8}, wire.TokensUnknown, 3, false},
		{"known by event", []wire.EventKind{text, text}, []int{4, 8}, wire.TokensByUsage, 7, false},
		{"no total", []wire.EventKind{text, text}, []int{4, 8}, wire.TokensUnknown, 0, false},
		{"reasoning, whose text is not kept", []wire.EventKind{wire.EventChoices | wire.EventReasoning, text}, []int{0, 8}, wire.TokensUnknown, 7, false},
	}
	for _, c := range tests {
		tr := &wire.Trace{TextEnds: c.ends, TokensBy: c.by}
		for _, k := range c.kinds {
			tr.Events = append(tr.Events, wire.Event{Kind: k})
		}
		if got := spread(tr, c.total); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
	if got := sizes(nil, []int{10, 25, 25}); !slices.Equal(got, []int{10, 15, 0}) {
		t.Errorf("sizes %v", got)
	}
}
