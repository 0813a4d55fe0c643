package load

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/send/pace"
	"github.com/inferometer/inferometer/internal/send/workload"
	"github.com/inferometer/inferometer/internal/send/workload/talk"
)

// listener is a server that answers each turn with given events, and keeps what it was asked.
type listener struct {
	mu       sync.Mutex
	bodies   []string // the messages, in order
	sessions []string
	answers  [][]string // deltas
}

func (l *listener) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	raw, _ := io.ReadAll(r.Body)
	var body struct{ Messages json.RawMessage }
	_ = json.Unmarshal(raw, &body)
	l.mu.Lock()
	n := len(l.bodies)
	l.bodies = append(l.bodies, string(body.Messages))
	l.sessions = append(l.sessions, r.Header.Get("X-Talk"))
	l.mu.Unlock()
	w.Header().Set("Content-Type", "text/event-stream")
	for _, d := range l.answers[min(n, len(l.answers)-1)] {
		fmt.Fprintf(w, "data: {\"choices\":[{\"delta\":%s}]}\n\n", d)
	}
	fmt.Fprint(w, "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n")
}

// ask sends one conversation and gives what the server saw.
func ask(t *testing.T, c *talk.Conversation, answers ...[]string) *listener {
	t.Helper()
	l := &listener{answers: answers}
	h := httptest.NewServer(l)
	t.Cleanup(h.Close)
	if err := c.Check(); err != nil {
		t.Fatal(err)
	}
	c.Number = 1
	on := &server{url: h.URL, noLoop: true}
	cfg, read := setup(t, on, "openai-chat", pace.Spec{Name: pace.Closed}, &one{request: &workload.Request{Conversation: 1, Talk: c}})
	cfg.Call.IgnoreEOS = false
	cfg.Conversations = &Conversations{Header: "X-Talk"}
	if _, err := Run(t.Context(), nil, cfg); err != nil {
		t.Fatal(err)
	}
	for _, r := range first(read()) {
		if r.Outcome != journal.Complete {
			t.Errorf("turn %d ended as %s: %s", r.Turn, r.Outcome, r.Error)
		}
	}
	return l
}

func first[A, B any](a A, _ B) A { return a }

// one is a workload of one request.
type one struct{ request *workload.Request }

func (s *one) Next() (*workload.Request, error) {
	r := s.request
	if s.request = nil; r == nil {
		return nil, io.EOF
	}
	return r, nil
}

func user(text string) []talk.Message {
	return []talk.Message{{JSON: talk.Text("user", text)}}
}

func tool(text string) talk.Message {
	return talk.Message{JSON: json.RawMessage(`{"role": "tool", "tool_call_id": "recorded", "content": "` + text + `"}`), Tool: true}
}

// TestLiveHistory: the server's own answer, with its tool calls, stands before the next
// turn, and a tool's answer has the id of the server's call.
func TestLiveHistory(t *testing.T) {
	turns := []talk.Turn{
		{Messages: append([]talk.Message{{JSON: talk.Text("system", "be brief & <kind>")}}, user("the weather?")...), OutputTokens: 9},
		{Messages: []talk.Message{tool("rain"), tool("nobody asked")}, OutputTokens: 9},
		{Messages: user("thanks"), OutputTokens: 9},
	}
	talk.Sequence(turns)
	answers := [][]string{
		{`{"reasoning_content":"hm"}`, `{"tool_calls":[{"index":0,"id":"live-1","function":{"name":"weather","arguments":"{\"city\""}}]}`, `{"tool_calls":[{"index":0,"function":{"arguments":":1}"}}]}`},
		{`{"content":"it "}`, `{"content":"rains"}`},
	}
	system := `{"role": "system", "content": "be brief & <kind>"}, {"role": "user", "content": "the weather?"}`
	call := func(reasoning string) string {
		return `, {"role": "assistant", "content": null` + reasoning + `, "tool_calls": [{"id": "live-1", "type": "function", "function": {"name": "weather", "arguments": "{\"city\":1}"}}]}`
	}
	results := `, {"role": "tool", "content": "rain", "tool_call_id": "live-1"}, {"role": "user", "content": "nobody asked"}`
	rest := `, {"role": "assistant", "content": "it rains"}, {"role": "user", "content": "thanks"}`
	for _, reasoning := range []bool{false, true} {
		l := ask(t, &talk.Conversation{Turns: turns, Reasoning: reasoning}, answers...)
		words := ""
		if reasoning {
			words = `, "reasoning_content": "hm"`
		}
		want := []string{
			"[" + system + "]",
			"[" + system + call(words) + results + "]",
			"[" + system + call(words) + results + rest + "]",
		}
		if diff := cmp.Diff(want, l.bodies); diff != "" {
			t.Errorf("reasoning %v (-want +got):\n%s", reasoning, diff)
		}
		if diff := cmp.Diff([]string{"t-conv-1", "t-conv-1", "t-conv-1"}, l.sessions); diff != "" {
			t.Errorf("sessions (-want +got):\n%s", diff)
		}
	}
}

// TestRecordedHistory: what the file has stands before the next turn, whatever the server says.
func TestRecordedHistory(t *testing.T) {
	turns := []talk.Turn{
		{Messages: user("one"), OutputTokens: 9, Recorded: json.RawMessage(`{"role":"assistant","tool_calls":[{"id":"recorded"}]}`)},
		{Messages: []talk.Message{tool("two")}, OutputTokens: 9},
	}
	talk.Sequence(turns)
	l := ask(t, &talk.Conversation{Turns: turns}, []string{`{"content":"something else"}`})
	want := `[{"role": "user", "content": "one"}, {"role":"assistant","tool_calls":[{"id":"recorded"}]}, {"role": "tool", "tool_call_id": "recorded", "content": "two"}]`
	if got := l.bodies[1]; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestJoinedAnswers: a turn has the words of those that it joins.
func TestJoinedAnswers(t *testing.T) {
	join := user("Together:")
	join[0].Answers = []int{2, 1}
	l := ask(t, &talk.Conversation{Turns: []talk.Turn{
		{Messages: user("plan"), OutputTokens: 9, Continues: -1},
		{Messages: user("left"), OutputTokens: 9, Waits: []talk.Wait{{Turn: 0}}, Continues: 0},
		{Messages: user("right"), OutputTokens: 9, Waits: []talk.Wait{{Turn: 0}, {Turn: 1}}, Continues: -1},
		{Messages: join, OutputTokens: 9, Waits: []talk.Wait{{Turn: 1}, {Turn: 2}}, Continues: 0},
	}}, []string{`{"content":"A"}`}, []string{`{"content":"B"}`}, []string{`{"content":"C"}`}, []string{`{"content":"D"}`})
	plan := `{"role": "user", "content": "plan"}, {"role": "assistant", "content": "A"}`
	want := []string{
		`[{"role": "user", "content": "plan"}]`,
		`[` + plan + `, {"role": "user", "content": "left"}]`,
		`[{"role": "user", "content": "right"}]`,
		`[` + plan + `, {"role": "user", "content": "Together:\n\nC\n\nB"}]`,
	}
	if diff := cmp.Diff(want, l.bodies); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestCirclesAreRefusedByName, and so is what can't be known when a turn is sent.
func TestCirclesAreRefusedByName(t *testing.T) {
	say := user("x")
	uses := []talk.Message{{JSON: talk.Text("user", "x"), Answers: []int{1}}}
	for want, turns := range map[string][]talk.Turn{
		`its turns wait for each other: turn "a" waits for turn "b" waits for turn "a"`: {
			{Name: "a", Messages: say, Waits: []talk.Wait{{Turn: 1}}, Continues: -1}, {Name: "b", Messages: say, Waits: []talk.Wait{{Turn: 0}}, Continues: -1},
		},
		`turn 1 waits for turn 1`:                           {{Messages: say, Waits: []talk.Wait{{Turn: 0}}, Continues: -1}},
		`turn 2 continues turn 1, and does not wait for it`: {{Messages: say, Continues: -1}, {Messages: say, Continues: 0}},
		`turn 1 uses the answer of turn 2`:                  {{Messages: uses, Continues: -1}, {Messages: say, Continues: -1}},
		`turn 1 has no messages`:                            {{Continues: -1}},
		`it has no turns`:                                   {},
	} {
		err := (&talk.Conversation{Turns: turns}).Check()
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
