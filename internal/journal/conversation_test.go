package journal

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestConversationsAreShown: to who asks, beside the requests, in the words of one line.
func TestConversationsAreShown(t *testing.T) {
	journal := pack(firstLine,
		`{"request":{"i":0,"conversation":1,"turn":1,"due":1,"sent":2,"end":3,"outcome":"http_5xx","prompt_tokens":0,"output_tokens":1,"events":{}}}`,
		`{"conversation":{"n":1,"turns":3,"sent":1,"skipped":2,"complete":0,"outcome":"failed","error":"turn 1:\u001b[31m http_5xx","begin":1,"end":3}}`,
		`{"conversation":{"n":2,"turns":1,"sent":1,"complete":1,"outcome":"complete","begin":1,"end":3}}`,
		`{"conversation":{"n":3,"turns":3,"sent":1,"skipped":1,"complete":0,"outcome":"failed","begin":1,"end":3}}`, // one is lost
	)
	r, err := NewReader(bytes.NewReader(journal))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var got []Conversation
	r.OnConversation(func(c *Conversation) { got = append(got, *c) })
	requests := 0
	for {
		if _, err := r.Next(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		requests++
	}
	want := []Conversation{
		{Number: 1, Turns: 3, Sent: 1, Skipped: 2, Outcome: ConversationFailed, Error: "turn 1: http_5xx", Begin: 1, End: 3},
		{Number: 2, Turns: 1, Sent: 1, Complete: 1, Outcome: ConversationComplete, Begin: 1, End: 3},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if skipped, _ := r.Skipped(); requests != 1 || skipped != 1 {
		t.Errorf("%d requests and %d lines that can't be, want 1 and 1", requests, skipped)
	}
}
