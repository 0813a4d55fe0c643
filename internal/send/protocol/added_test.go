package protocol

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/inferometer/inferometer/internal/ordered"
	"github.com/inferometer/inferometer/internal/send/protocol/stream"
	"github.com/inferometer/inferometer/internal/send/wire"
)

// A protocol is one value, as CONTRIBUTING.md says: its path, its body, the shape of its events.
var added = &Backend{Name: "added", Doc: "a test's", Sampling: sameNames("temperature"), Protocol: &described{
	path: "/say", suffix: "say",
	body: func(c *Call) (*body, error) {
		b := newBody(ordered.Object{{"say", c.Prompt}, {"limit", c.MaxTokens}})
		return b, b.setSampling(c, sameNames("temperature"))
	},
	event: shape{
		{name: "said", take: takeText},
		{name: "end", in: shape{
			{name: "why", take: takeFinish},
			{name: "tokens", take: takeOutput},
		}},
		{name: "over", take: takeDone},
	}.reader(),
	meaning: func(_ *decoder, _ []byte, c *stream.Chunk) { c.Kind |= stream.EventChoices },
}}

func TestAddedProtocol(t *testing.T) {
	got, err := added.AppendBody(nil, &Call{Prompt: "a", MaxTokens: 7, Extra: []Field{sampled("temperature", "0.5")}})
	if err != nil || string(got) != `{"say": "a", "limit": 7, "temperature": 0.5}` {
		t.Errorf("%s, %v", got, err)
	}
	s := NewStream(added)
	s.Reset(10)
	s.Head(200, noHeader{}, wire.Stamp{})
	s.Body([]byte(`data: {"x":[{}],"said":" Hi"}`+"\n\n"+`data: {"said":" you","over":true,"end":{"why":"length","tokens":2}}`+"\n\n"), wire.Stamp{})
	s.Finish()
	want := read{Text: " Hi you", Finish: "length", Texts: []string{" Hi", " you"}, Tokens: []int{-1, -1}, Usage: stream.Usage{Output: 2}, Done: true}
	if diff := cmp.Diff(want, readOf(&s.Trace)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if _, err := added.Unstreamed(); err == nil {
		t.Error("it has no answers that are no streams")
	}
}
