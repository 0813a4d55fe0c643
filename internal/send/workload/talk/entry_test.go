package talk

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// graph is the example of docs/conversations.md, shortened.
const graph = `{"id": "trip", "turns": [
  {"name": "plan", "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Plan a day in Bonn."}], "output_tokens": 200},
  {"name": "weather", "after": ["plan"], "delay": "800ms", "content": "The tool says: rain.", "recorded": "Then the museum."},
  {"name": "food", "after": ["plan"], "continues": null, "content": "A restaurant near the museum?"},
  {"name": "join", "after": ["weather", "food"], "continues": "plan", "content": "Put it together:", "answers": ["weather", "food"]},
  {"content": "Thanks. In one sentence?"}
]}`

func TestParseGraph(t *testing.T) {
	c, err := Parse([]byte(graph))
	if err != nil {
		t.Fatal(err)
	}
	want := []Turn{
		{Name: "plan", Continues: -1, OutputTokens: 200, Messages: []Message{
			{JSON: json.RawMessage(`{"role":"system","content":"Be brief."}`)}, {JSON: json.RawMessage(`{"role":"user","content":"Plan a day in Bonn."}`)},
		}},
		{
			Name: "weather", Branch: 1, Waits: []Wait{{Turn: 0, Delay: 800 * time.Millisecond}}, Messages: []Message{{JSON: Text("user", "The tool says: rain.")}},
			Recorded: Text("assistant", "Then the museum."),
		},
		{Name: "food", Branch: 2, Waits: []Wait{{Turn: 0}}, Continues: -1, Messages: []Message{{JSON: Text("user", "A restaurant near the museum?")}}},
		{Name: "join", Waits: []Wait{{Turn: 1}, {Turn: 2}}, Messages: []Message{{JSON: Text("user", "Put it together:"), Answers: []int{1, 2}}}},
		{Waits: []Wait{{Turn: 3}}, Continues: 3, Messages: []Message{{JSON: Text("user", "Thanks. In one sentence?")}}},
	}
	if diff := cmp.Diff([]Branch{{Name: "plan"}, {Name: "weather"}, {Name: "food"}}, c.Branches); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(want, c.Turns); diff != "" || c.ID != "trip" {
		t.Errorf("%s (-want +got):\n%s", c.ID, diff)
	}
}

// TestParseMessages: both forms of a recorded chat give the same turns.
func TestParseMessages(t *testing.T) {
	for _, raw := range []string{
		`{"id": 7, "messages": [{"role": "system", "content": "s"}, {"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}, {"role": "user", "content": "c"}]}`,
		`{"id": "7", "conversations": [{"from": "system", "value": "s"}, {"from": "human", "value": "a"}, {"from": "gpt", "value": "b"}, {"from": "human", "value": "c"}]}`,
	} {
		c, err := Parse([]byte(raw))
		if err != nil {
			t.Fatal(err)
		}
		words := func(list []Message) (all []string) {
			for _, m := range list {
				all = append(all, Words(m.JSON))
			}
			return all
		}
		if len(c.Turns) != 2 || c.ID != "7" {
			t.Fatalf("%+v", c)
		}
		if diff := cmp.Diff([]string{"s", "a"}, words(c.Turns[0].Messages)); diff != "" {
			t.Error(diff)
		}
		if Words(c.Turns[0].Recorded) != "b" || c.Turns[1].Recorded != nil || c.Turns[1].Continues != 0 {
			t.Errorf("%+v", c.Turns)
		}
	}
}

func TestParseErrors(t *testing.T) {
	turn := func(fields string) string { return `{"turns": [{"name": "a", "content": "x"}, {` + fields + `}]}` }
	for raw, want := range map[string]string{
		`[]`:                          "must be a JSON object",
		`{}`:                          "must have messages, conversations or turns",
		`{"messages": []}`:            "it has no turns",
		`{"turns": []}`:               "it has no turns",
		`{"messages": [{"role": 1}]}`: "message 1: it must be a JSON object with a role",
		`{"messages": [{"role": "assistant", "content": "hello"}]}`:             "it has no turns",
		`{"conversations": [{"from": "alien", "value": "x"}]}`:                  `message 1 is from "alien"`,
		`{"conversations": [{"from": "human"}]}`:                                "message 1 has no value",
		turn(`"after": ["b"], "content": "x"`):                                  `turn 2: after: there is no turn "b"`,
		turn(`"after": ["a", "a"], "content": "x"`):                             `turn 2: after: turn "a" is named twice`,
		turn(`"name": "a", "content": "x"`):                                     `two turns have the name "a"`,
		turn(`"content": "x", "messages": []`):                                  "turn 2: it needs content, or messages, and not both",
		turn(`"after": ["a"]`):                                                  "turn 2: it needs content, or messages, and not both",
		turn(`"content": "x", "continues": 5`):                                  "turn 2: continues needs the name of a turn, or null",
		turn(`"content": "x", "continues": "c"`):                                `turn 2: continues: there is no turn "c"`,
		turn(`"content": "x", "after": [], "continues": "a"`):                   `turn 2 continues turn "a", and does not wait for it`,
		turn(`"content": "x", "after": [], "answers": ["a"]`):                   `turn 2 uses the answer of turn "a", and does not wait for it`,
		turn(`"content": "x", "delay": "soon"`):                                 "turn 2: delay needs a time such as 500ms",
		turn(`"content": "x", "delay": "-1s"`):                                  "turn 2: delay needs a time such as 500ms",
		turn(`"content": "x", "delay": "99999h"`):                               "turn 2: delay needs a time such as 500ms",
		turn(`"content": "x", "output_tokens": -1`):                             "turn 2: output_tokens can't be -1",
		turn(`"content": "x", "recorded": {"role": "user"}`):                    "turn 2: recorded needs a message of the assistant",
		turn(`"messages": [], "answers": ["a"]`):                                "turn 2: answers need a message to stand in",
		turn(`"messages": [{"role": "user", "content": []}], "answers": ["a"]`): "turn 2: the content of a message with answers must be a text",
		turn(`"contents": "x"`):                                                 `turn 2: json: unknown field "contents"`,
		`{"turns": [{"name": "a", "after": ["b"], "content": "x"}, {"name": "b", "after": ["a"], "content": "x"}]}`: `turn "a" waits for turn "b" waits for turn "a"`,
		`{"turns": [{"name": "a", "after": ["a"], "content": "x"}]}`:                                                `turn "a" waits for turn "a"`,
	} {
		_, err := Parse([]byte(raw))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s:\n got %v\nwant %s", raw, err, want)
		}
	}
}

// TestDeepGraphs: long chains and wide joins are read in good time.
func TestDeepGraphs(t *testing.T) {
	var b strings.Builder
	b.WriteString(`{"turns": [{"name": "0", "content": "x"}`)
	for i := 1; i < MaxTurns; i++ {
		b.WriteString(`, {"content": "x"}`)
	}
	b.WriteString("]}")
	if c, err := Parse([]byte(b.String())); err != nil || len(c.Turns) != MaxTurns {
		t.Fatal(err)
	}
	if _, err := Parse([]byte(strings.TrimSuffix(b.String(), "]}") + `, {"content": "x"}]}`)); err == nil {
		t.Error("one turn too many was taken")
	}
}

func TestThink(t *testing.T) {
	for text, want := range map[string]string{
		"0": "0s", "2s": "2s", "exponential:2s": "exponential:2s", "uniform:1s:3s": "uniform:1s:3s", "normal:2s:500ms": "normal:2s:500ms", "lognormal:2s:1s": "lognormal:2s:1s",
		"5": "", "-1s": "", "uniform:3s:1s": "", "exponential": "", "exponential:1s:2s": "", "lognormal:0s:1s": "", "gauss:1s": "", "48h": "", "": "",
	} {
		var k Think
		err := k.UnmarshalText([]byte(text))
		got, _ := k.MarshalText()
		if want == "" && err == nil || want != "" && (err != nil || string(got) != want) {
			t.Errorf("%q: %s, %v; want %q", text, got, err, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(graph))
	f.Add([]byte(`{"id":"1","messages":[{"role":"user","content":"a"},{"role":"assistant","content":"b","tool_calls":[]},{"role":"tool","content":[{"type":"text","text":"c"}]}]}`))
	f.Add([]byte(`{"conversations":[{"from":"human","value":"a"},{"from":"gpt","value":"b"}]}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		c, err := Parse(raw)
		if err != nil {
			return
		}
		// What was taken can be sent: each turn's messages are a JSON list, whatever the server says.
		histories := make([]*History, len(c.Turns))
		answer := &Answer{Text: "\xff<b>", Tools: []ToolCall{{ID: "1", Name: "f", Arguments: "{"}}}
		done := map[int]bool{}
		for range c.Turns {
			for i, turn := range c.Turns {
				ready := !done[i]
				for _, a := range turn.Waits {
					ready = ready && (a.Turn == FromBegin || done[a.Turn])
				}
				if !ready {
					continue
				}
				var before *History
				if turn.Continues >= 0 {
					before = histories[turn.Continues]
				}
				h, err := c.Begin(i, before, func(int) string { return answer.Text })
				if err != nil {
					t.Fatal(err)
				}
				if list := h.AppendJSON(nil); !json.Valid(list) {
					t.Fatalf("turn %d: %s", i+1, list)
				}
				h.End(c, i, answer)
				histories[i], done[i] = h, true
			}
		}
		if len(done) != len(c.Turns) {
			t.Fatalf("%d of %d turns can be sent", len(done), len(c.Turns))
		}
		_ = c.AppendPlan(nil)
	})
}

// A turn that waits is shown in the words of a file.
func TestTurnJSON(t *testing.T) {
	c, err := Parse([]byte(`{"turns": [
		{"name": "plan", "content": "a & b", "output_tokens": 3},
		{"name": "tool", "after": ["plan"], "delay": "800ms", "content": "<c>", "output_tokens": 4},
		{"after": ["plan", "tool"], "continues": "plan", "content": "join", "answers": ["tool"], "output_tokens": 5}]}`))
	if err != nil {
		t.Fatal(err)
	}
	c.Turns[2].Waits[1].Sent = true
	c.Turns[2].Waits = append(c.Turns[2].Waits, Wait{Turn: FromBegin, Delay: time.Minute})
	for i, want := range map[int]string{
		1: `{"name":"tool","branch":"tool","after":[{"turn":"plan","delay":"800ms"}],"continues":"plan","messages":[{"role":"user","content":"<c>"}],"output_tokens":4}`,
		2: `{"name":"3","branch":"plan","after":[{"turn":"plan"},{"turn":"tool","sent":true},{"turn":"","delay":"1m0s"}],"continues":"plan","messages":[{"role":"user","content":"join"}],"answers":["tool"],"output_tokens":5}`,
	} {
		got, err := c.TurnJSON(i)
		if err != nil || string(got) != want {
			t.Errorf("turn %d: %v\n%s\nwant\n%s", i+1, err, got, want)
		}
	}
}
