package workload

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/inferometer/inferometer/internal/send/workload/prompts"
	"github.com/inferometer/inferometer/internal/send/workload/talk"
)

// all reads the conversations of a dataset, and checks what holds for any.
func allTalks(t *testing.T, d Dataset) (list []*talk.Conversation) {
	t.Helper()
	defer d.Close()
	turns := 0
	for {
		r, err := d.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		c := r.Talk
		if err := c.Check(); err != nil {
			t.Errorf("conversation %d: %v", c.Number, err)
		}
		if c.First != turns || r.Index != turns || c.Number != len(list)+1 || r.Conversation != c.Number {
			t.Errorf("conversation %d is number %d with the index %d behind %d turns", len(list)+1, c.Number, c.First, turns)
		}
		turns += len(c.Turns)
		list = append(list, c)
	}
	if d.Len() != turns || Conversations(d) != len(list) {
		t.Errorf("it says %d turns of %d conversations, and has %d of %d", d.Len(), Conversations(d), turns, len(list))
	}
	return list
}

func openTalks(t *testing.T, o Options, change func(own any)) Dataset {
	t.Helper()
	k, err := Find(o.Dataset)
	if err != nil {
		t.Fatal(err)
	}
	o.Own, o.Chat = k.Options(), true
	change(o.Own)
	d, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestMultiTurnLengths: texts have the tokens asked for, by the number of the conversation
// and whatever was made before.
func TestMultiTurnLengths(t *testing.T) {
	o := Options{Dataset: "multi-turn", NumPrompts: 30, Seed: 5}
	change := func(own any) {
		m := own.(*MultiTurnOptions)
		m.InputLen, m.OutputLen, m.PrefixLen, m.PerTurnInputLen, m.MinTurns, m.MaxTurns = 20, 7, 5, 9, 2, 6
		m.History, m.Think = historyRecorded, talk.Think{A: 3}
	}
	lengths := map[int]int{}
	for _, c := range allTalks(t, openTalks(t, o, change)) {
		lengths[len(c.Turns)]++
		for i, turn := range c.Turns {
			want := 9
			if i == 0 {
				want = 25
			}
			if n := len(strings.Fields(talk.Words(turn.Messages[0].JSON))); n != want || turn.OutputTokens != 7 || len(strings.Fields(talk.Words(turn.Recorded))) != 7 {
				t.Errorf("conversation %d, turn %d has %d words, want %d: %+v", c.Number, i+1, n, want, turn)
			}
			if (i > 0) != (len(turn.Waits) == 1 && turn.Waits[0].Delay == 3) || turn.Continues != i-1 {
				t.Errorf("%+v", turn)
			}
		}
	}
	for n := 2; n <= 6; n++ {
		if lengths[n] == 0 {
			t.Errorf("no conversation has %d turns: %v", n, lengths)
		}
	}
	few := o
	few.NumPrompts = 3
	again, whole := allTalks(t, openTalks(t, few, change)), allTalks(t, openTalks(t, o, change))
	if diff := cmp.Diff(whole[:3], again); diff != "" {
		t.Errorf("the first three depend on how many there are:\n%s", diff)
	}
}

// TestMultiTurnPrefixes: with ratios each message begins with what all share, then with
// what its conversation shares, and there is no history.
func TestMultiTurnPrefixes(t *testing.T) {
	list := allTalks(t, openTalks(t, Options{Dataset: "multi-turn", NumPrompts: 4}, func(own any) {
		m := own.(*MultiTurnOptions)
		m.InputLen, m.OutputLen, m.GlobalRatio, m.ConversationRatio = 40, 3, 0.25, 0.5
	}))
	begins := func(c, turn, n int) string {
		return strings.Join(strings.Fields(talk.Words(list[c].Turns[turn].Messages[0].JSON))[:n], " ")
	}
	for c := range list {
		for i, turn := range list[c].Turns {
			if n := len(strings.Fields(talk.Words(turn.Messages[0].JSON))); n != 40 || turn.Continues != -1 {
				t.Errorf("%d words, continues %d", n, turn.Continues)
			}
			if begins(c, i, 10) != begins(0, 0, 10) || begins(c, i, 30) != begins(c, 0, 30) || i > 0 && begins(c, i, 40) == begins(c, 0, 40) {
				t.Errorf("conversation %d, turn %d begins with %q", c, i, begins(c, i, 40))
			}
			if c > 0 && begins(c, i, 30) == begins(0, 0, 30) {
				t.Errorf("conversation %d has no beginning of its own", c)
			}
		}
	}
}

// TestMaxModelLen: a conversation ends before it would be too long.
func TestMaxModelLen(t *testing.T) {
	for _, c := range allTalks(t, openTalks(t, Options{Dataset: "multi-turn", NumPrompts: 2}, func(own any) {
		m := own.(*MultiTurnOptions)
		m.InputLen, m.OutputLen, m.Turns, m.MaxModelLen = 10, 10, 8, 65
	})) {
		if len(c.Turns) != 3 {
			t.Errorf("%d turns of 20 tokens in 65", len(c.Turns))
		}
	}
}

// TestConversationFiles: an array, and lines; repeated where more are asked for.
func TestConversationFiles(t *testing.T) {
	entries := []string{
		`{"id":"a","messages":[{"role":"user","content":"one two"},{"role":"assistant","content":"three four five"},{"role":"user","content":"six"}]}`,
		`{"id":"b","conversations":[{"from":"human","value":"one"},{"from":"gpt","value":"two"},{"from":"human","value":"three"},{"from":"gpt","value":"four"}]}`,
	}
	for name, content := range map[string]string{"array.json": "\n[\n" + strings.Join(entries, ",\n  ") + "\n]\n", "lines.jsonl": strings.Join(entries, "\n\n") + "\n"} {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
		o := Options{Dataset: "conversations", NumPrompts: 5, Tokenizer: prompts.WordTokenizer{}, Shared: Shared{Path: path}}
		var got []string
		for _, c := range allTalks(t, openTalks(t, o, func(any) {})) {
			turn := &c.Turns[0]
			got = append(got, fmt.Sprintf("%s: %d turns; %d tokens in, %d out, recorded %v", c.ID, len(c.Turns), turn.PromptTokens, turn.OutputTokens, turn.Recorded != nil))
		}
		// What nobody has answered is left out: nobody knows how long an answer to ask for.
		a, b := "a: 1 turns; 2 tokens in, 3 out, recorded false", "b: 2 turns; 1 tokens in, 1 out, recorded false"
		if diff := cmp.Diff([]string{a, b, a, b, a}, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		o.NumPrompts = 0
		length := 9
		list := allTalks(t, openTalks(t, o, func(own any) {
			c := own.(*ConversationOptions)
			c.OutputLen, c.History = &length, historyRecorded
		}))
		if len(list) != 2 || len(list[0].Turns) != 2 || list[0].Turns[1].OutputTokens != 9 || list[0].Turns[0].Recorded == nil {
			t.Errorf("%s: %+v", name, list)
		}
	}
}

func TestConversationFileErrors(t *testing.T) {
	for content, want := range map[string]string{
		"":                            "it is empty",
		" \n":                         "it is empty",
		"[]":                          "has no conversations",
		"[{}]":                        "conversation 1: a conversation must have messages",
		"{}\n":                        "line 1: a conversation must have messages",
		`["x"]`:                       "conversation 1: a conversation must be a JSON object",
		`[{"turns"`:                   "EOF",
		`{"turns":[{"content":"x"}]}`: "line 1: turn 1: how many tokens to ask for is not known",
	} {
		path := filepath.Join(t.TempDir(), "file.json")
		if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
		_, err := Open(Options{Dataset: "conversations", Shared: Shared{Path: path}})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", content, err, want)
		}
	}
}
