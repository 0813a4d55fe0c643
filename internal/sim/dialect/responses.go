package dialect

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/inferometer/inferometer/internal/sim/vocab"
)

const pathResponses = "/v1/responses"

// openAIResponses is OpenAI's Responses API, by its documentation.
var openAIResponses = &Dialect{
	Paths: []string{pathResponses}, Read: readResponses, Write: newResponseStream, Whole: wholeResponse,
	UsageWithFinish: true, OwnFinish: true,
}

// item is one of a request's list.
type item struct {
	Type      string          `json:"type"`
	Role      string          `json:"role"`
	Content   json.RawMessage `json:"content"`
	CallID    string          `json:"call_id"`
	Name      string          `json:"name"`
	Arguments *string         `json:"arguments"`
	Output    json.RawMessage `json:"output"`
}

func readResponses(m *Model, _ *http.Request, raw []byte) (*Call, error) {
	var b struct {
		Model        string          `json:"model"`
		Instructions string          `json:"instructions"`
		Input        json.RawMessage `json:"input"`
		MaxTokens    *int            `json:"max_output_tokens"`
		Stream       bool            `json:"stream"`
		IgnoreEOS    bool            `json:"ignore_eos"`
	}
	if err := json.Unmarshal(raw, &b); err != nil {
		return nil, fmt.Errorf("the body is not the JSON of a request: %w", err)
	}
	c := &Call{Model: b.Model, Chat: true, Stream: b.Stream, IgnoreEOS: b.IgnoreEOS, Logprobs: -1}
	if b.MaxTokens != nil {
		if c.MaxTokens = *b.MaxTokens; c.MaxTokens < 1 {
			return nil, fmt.Errorf("max_output_tokens must be at least 1, got %d", c.MaxTokens)
		}
	}
	var list []Message
	if b.Instructions != "" {
		list = append(list, Message{Role: "system", Content: quoted(b.Instructions)})
	}
	var text string
	if json.Unmarshal(b.Input, &text) == nil {
		list = append(list, Message{Role: "user", Content: quoted(text)})
	} else {
		var items []item
		if err := json.Unmarshal(b.Input, &items); err != nil {
			return nil, Wording("input must be a string or a list of items")
		}
		calls := map[string]bool{}
		for i := range items {
			m, err := c.readItem(&items[i], calls)
			if err != nil {
				return nil, fmt.Errorf("input[%d]: %w", i, err)
			}
			list = append(list, m)
		}
	}
	var err error
	c.Prompt, err = ChatPrompt(list, m.Tokenizer)
	return c, err
}

// readItem reads one item as a message with a text.
func (c *Call) readItem(it *item, calls map[string]bool) (Message, error) {
	switch it.Type {
	case "function_call":
		if it.CallID == "" || it.Name == "" || it.Arguments == nil {
			return Message{}, Wording("function_call: call_id, name and arguments are required")
		}
		calls[it.CallID] = true
		return Message{Role: "assistant", Content: quoted(it.Name + *it.Arguments)}, nil
	case "function_call_output":
		if !calls[it.CallID] {
			return Message{}, Wording("No tool call found for function call output with call_id " + it.CallID + ".")
		}
		return Message{Role: "tool", Content: it.Output}, nil
	case "reasoning":
		return Message{Role: "assistant", Content: it.Content}, nil
	case "", "message":
	default:
		return Message{}, Wording("Invalid value: '" + it.Type + "'.")
	}
	var parts []struct {
		Type string `json:"type"`
		URL  string `json:"image_url"`
	}
	_ = json.Unmarshal(it.Content, &parts) // or it is a text
	for _, p := range parts {
		switch {
		case p.Type == "input_image" && p.URL != "":
			c.Media++
		case p.Type == "input_text" && it.Role != "assistant", p.Type == "output_text" && it.Role == "assistant":
		default:
			return Message{}, Wording("Invalid value: '" + p.Type + "' in a message of " + it.Role + ".")
		}
	}
	switch it.Role {
	case "user", "assistant", "system", "developer":
		return Message{Role: it.Role, Content: it.Content}, nil
	}
	return Message{}, Wording("Invalid role: '" + it.Role + "'.")
}

// responseStream writes the events of an answer.
type responseStream struct {
	answer   vocab.Answer
	id       string // and model, as they stand in JSON
	model    string
	created  int64
	begun    bool
	number   int      // of the next event
	index    int      // of the item that is open
	open     string   // its kind; empty: none
	from, to int      // its tokens
	thought  int      // tokens of reasoning
	items    []string // those that are over
	json     []byte
}

func newResponseStream(_ *Call, a vocab.Answer, id, model string, created time.Time) Writer {
	return &responseStream{answer: a, id: string(vocab.JSONText(id)), model: string(vocab.JSONText(model)), created: created.Unix(), index: -1}
}

func (r *responseStream) send(out Emit, name, kind string, tokens int, rest string) {
	r.json = fmt.Appendf(r.json[:0], `{"type":"%s","sequence_number":%d,%s}`, name, r.number, rest)
	r.number++
	out(name, kind, tokens, r.json)
}

func (r *responseStream) frame(out Emit, name, rest string) { r.send(out, name, KindFrame, 0, rest) }

// object is the response as it is so far.
func (r *responseStream) object(status, details, failure, usage string) string {
	return fmt.Sprintf(`"response":{"id":"resp_%s","object":"response","created_at":%d,"status":"%s","error":%s,"incomplete_details":%s,"instructions":null,"model":"%s","output":[%s],"store":false,"usage":%s}`,
		r.id, r.created, status, failure, details, r.model, strings.Join(r.items, ","), usage)
}

func (r *responseStream) begin(out Emit) {
	if r.begun {
		return
	}
	r.begun = true
	r.frame(out, "response.created", r.object("in_progress", "null", "null", "null"))
	r.frame(out, "response.in_progress", r.object("in_progress", "null", "null", "null"))
}

// The kinds of items.
const (
	itemText      = "text"
	itemReasoning = "reasoning"
	itemSummary   = "summary"
	itemCall      = "call"
)

// itemJSON is an item of a kind with its text.
func (r *responseStream) itemJSON(kind, status, text string, has bool) string {
	part := func(kind, more string) string {
		if !has {
			return "[]"
		}
		return `[{"type":"` + kind + `","text":"` + text + `"` + more + `}]`
	}
	switch kind {
	case itemReasoning:
		return fmt.Sprintf(`{"id":"rs_%d","type":"reasoning","status":"%s","summary":[],"content":%s}`, r.index, status, part("reasoning_text", ""))
	case itemSummary:
		return fmt.Sprintf(`{"id":"rs_%d","type":"reasoning","status":"%s","summary":%s}`, r.index, status, part("summary_text", ""))
	case itemCall:
		return fmt.Sprintf(`{"id":"fc_%d","type":"function_call","status":"%s","arguments":"%s","call_id":"call_sim","name":"answer"}`, r.index, status, text)
	}
	return fmt.Sprintf(`{"id":"msg_%d","type":"message","status":"%s","role":"assistant","content":%s}`, r.index, status, part("output_text", `,"annotations":[]`))
}

// place says which item an event belongs to.
func (r *responseStream) place() string {
	switch r.open {
	case itemReasoning, itemText:
		return fmt.Sprintf(`"item_id":"%s_%d","output_index":%d,"content_index":0`, map[string]string{itemReasoning: "rs", itemText: "msg"}[r.open], r.index, r.index)
	case itemSummary:
		return fmt.Sprintf(`"item_id":"rs_%d","output_index":%d,"summary_index":0`, r.index, r.index)
	}
	return fmt.Sprintf(`"item_id":"fc_%d","output_index":%d`, r.index, r.index)
}

// partOf and deltaOf are the names of the events around and of an item's text.
var (
	partOf  = map[string]string{itemText: "content_part", itemSummary: "reasoning_summary_part"}
	deltaOf = map[string]string{
		itemText: "output_text", itemReasoning: "reasoning_text", itemSummary: "reasoning_summary_text", itemCall: "function_call_arguments",
	}
	partType = map[string]string{itemText: "output_text", itemSummary: "summary_text"}
)

func (r *responseStream) item(out Emit, kind string) {
	if r.open == kind {
		return
	}
	r.endItem(out)
	r.index++
	r.open, r.from = kind, r.to
	r.frame(out, "response.output_item.added", fmt.Sprintf(`"output_index":%d,"item":%s`, r.index, r.itemJSON(kind, "in_progress", "", false)))
	if part := partOf[kind]; part != "" {
		r.frame(out, "response."+part+".added", r.place()+`,"part":{"type":"`+partType[kind]+`","text":""}`)
	}
}

func (r *responseStream) endItem(out Emit) {
	if r.open == "" {
		return
	}
	text := r.text(r.from, r.to)
	field := `,"text":"`
	if r.open == itemCall {
		field = `,"arguments":"`
	}
	r.frame(out, "response."+deltaOf[r.open]+".done", r.place()+field+text+`"`)
	if part := partOf[r.open]; part != "" {
		r.frame(out, "response."+part+".done", r.place()+`,"part":{"type":"`+partType[r.open]+`","text":"`+text+`"}`)
	}
	whole := r.itemJSON(r.open, "completed", text, true)
	r.frame(out, "response.output_item.done", fmt.Sprintf(`"output_index":%d,"item":%s`, r.index, whole))
	r.items, r.open = append(r.items, whole), ""
}

// text is that of some tokens as it stands in JSON.
func (r *responseStream) text(from, to int) string {
	return string(r.answer.AppendJSON(nil, from, to))
}

// Event implements Writer.
func (r *responseStream) Event(e Event, out Emit) {
	r.begin(out)
	switch e.Kind {
	case KindToken:
		r.delta(e, out, itemText)
	case KindReasoning:
		kind := itemReasoning
		if e.Field == "reasoning_content" { // as a summary, which at Ollama is the reasoning itself
			kind = itemSummary
		}
		r.delta(e, out, kind)
	case KindTool:
		r.delta(e, out, itemCall)
	case KindFinish:
		r.endItem(out)
		usage := "null"
		if u := e.Usage; u != nil {
			usage = fmt.Sprintf(`{"input_tokens":%d,"input_tokens_details":{"cached_tokens":%d},"output_tokens":%d,"output_tokens_details":{"reasoning_tokens":%d},"total_tokens":%d}`,
				u.Prompt, u.Cached, u.Completion, r.thought, u.Prompt+u.Completion)
		}
		if e.Finish == "length" {
			r.send(out, "response.incomplete", KindFinish, 0, r.object("incomplete", `{"reason":"max_output_tokens"}`, "null", usage))
			return
		}
		r.send(out, "response.completed", KindFinish, 0, r.object("completed", "null", "null", usage))
	}
}

func (r *responseStream) delta(e Event, out Emit, kind string) {
	r.item(out, kind)
	if e.From == e.To {
		return
	}
	r.to = e.To
	if e.Kind == KindReasoning {
		r.thought += e.To - e.From
	}
	r.send(out, "response."+deltaOf[kind]+".delta", e.Kind, e.To-e.From, r.place()+`,"delta":"`+r.text(e.From, e.To)+`"`)
}

func (r *responseStream) Fail(out Emit) {
	r.send(out, "error", KindError, 0, fmt.Sprintf(`"code":"server_error","message":"%s","param":null`, errTold))
}

// Done: a response ends with its last event; after an error it may say so once more.
func (r *responseStream) Done(out Emit, _ func()) {
	if r.open == "" {
		return
	}
	r.send(out, "response.failed", KindError, 0, r.object("failed", "null", fmt.Sprintf(`{"code":"server_error","message":"%s"}`, errTold), "null"))
}

// wholeResponse is an answer that was not streamed.
func wholeResponse(c *Call, a *Result) any {
	out := map[string]any{
		"id": "resp_" + a.ID, "object": "response", "created_at": a.Received.Unix(), "model": a.Model,
		"status": "completed", "error": nil, "incomplete_details": nil, "output": []any{}, "store": false,
	}
	if a.Finish == "length" {
		out["status"], out["incomplete_details"] = "incomplete", map[string]string{"reason": "max_output_tokens"}
	}
	if text := a.Answer.Text(0, a.Usage.Completion); text != "" {
		out["output"] = []any{map[string]any{
			"id": "msg_0", "type": "message", "status": "completed", "role": "assistant",
			"content": []any{map[string]any{"type": "output_text", "text": text, "annotations": []any{}}},
		}}
	}
	if !a.NoUsage {
		out["usage"] = map[string]any{
			"input_tokens": a.Usage.Prompt, "input_tokens_details": map[string]int{"cached_tokens": a.Usage.Cached},
			"output_tokens": a.Usage.Completion, "output_tokens_details": map[string]int{"reasoning_tokens": 0},
			"total_tokens": a.Usage.Prompt + a.Usage.Completion,
		}
	}
	return out
}
