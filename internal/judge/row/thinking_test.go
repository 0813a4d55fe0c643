package row

import (
	"testing"

	"github.com/inferometer/inferometer/internal/journal"
)

func TestThinking(t *testing.T) {
	const think, text = journal.EventChoices | journal.EventReasoning, journal.EventChoices | journal.EventText
	of := func(tokens []int, by string, kinds ...journal.EventKind) *journal.Request {
		return &journal.Request{Outcome: journal.Complete, Events: journal.Events{At: make([]int64, len(kinds)), Kind: kinds, Tokens: tokens, TokensBy: by}}
	}
	said := func(q *journal.Request, n int) *journal.Request {
		q.UsageReasoning, q.ReasoningKnown = n, true
		return q
	}
	for name, tt := range map[string]struct {
		q          *journal.Request
		n          int
		any, known bool
	}{
		"by the server":             {said(of(nil, "", think, text), 7), 7, true, true},
		"by the server, hidden":     {said(of(nil, "", text), 7), 7, true, true},
		"the server says none":      {said(of(nil, "", text), 0), 0, false, true},
		"the server does not count": {said(of([]int{3, 2, 1}, "usage", think, think, text), 0), 5, true, true},
		"by events":                 {of([]int{3, 2, 1}, "token_ids", think, think, text), 5, true, true},
		"nobody says":               {of(nil, "", think, text), 1, true, false},
		"one event holds both":      {of([]int{9}, "usage", think|text), 9, true, false},
		"no thinking":               {of(nil, "", text, text), 0, false, true},
	} {
		var r Request
		if err := r.Read(Rules{}, tt.q); err != nil {
			t.Fatal(err)
		}
		if n, any, known := r.Thinking(); any != tt.any || known != tt.known || known && n != tt.n {
			t.Errorf("%s: %d, %v, %v; want %d, %v, %v", name, n, any, known, tt.n, tt.any, tt.known)
		}
	}
}

// A call is complete with the last event that has a part of it.
func TestLastTool(t *testing.T) {
	const tool = journal.EventChoices | journal.EventTool
	q := &journal.Request{Outcome: journal.Complete, Events: journal.Events{
		At: []int64{5, 10, 20, 30}, Kind: []journal.EventKind{journal.EventChoices | journal.EventText, tool, tool, journal.EventChoices | journal.EventFinish},
	}}
	got, err := Rules{}.Read(q)
	if err != nil || got.LastTool != 35 || got.Last != 65 {
		t.Errorf("%+v, %v", got, err)
	}
}
