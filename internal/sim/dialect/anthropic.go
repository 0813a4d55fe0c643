package dialect

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/inferometer/inferometer/internal/sim/vocab"
)

const pathMessages = "/v1/messages"

// anthropicMessages is Anthropic's Messages API, by its documentation. As in vLLM, the
// usage at the end repeats the prompt's tokens, without those of the cache.
var anthropicMessages = &Dialect{
	Paths: []string{pathMessages}, Read: readMessages, Write: newMessageStream, Whole: wholeMessage, failure: messagesFailure,
	UsageWithFinish: true, OwnFinish: true,
}

// block is a part of a message's content.
type block struct {
	Type      string          `json:"type"`
	Text      string          `json:"text"`
	Thinking  string          `json:"thinking"`
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Input     json.RawMessage `json:"input"`
	ToolUseID string          `json:"tool_use_id"`
	Content   json.RawMessage `json:"content"`
	Source    *struct {
		Type string `json:"type"`
	} `json:"source"`
}

func readMessages(m *Model, _ *http.Request, raw []byte) (*Call, error) {
	var b struct {
		Model     string          `json:"model"`
		System    json.RawMessage `json:"system"`
		Messages  []Message       `json:"messages"`
		MaxTokens *int            `json:"max_tokens"`
		Stream    bool            `json:"stream"`
	}
	if err := json.Unmarshal(raw, &b); err != nil {
		return nil, fmt.Errorf("the body is not the JSON of a request: %w", err)
	}
	if b.MaxTokens == nil || *b.MaxTokens < 1 {
		return nil, Wording("max_tokens: Field required, 1 or more")
	}
	c := &Call{Model: b.Model, Chat: true, Stream: b.Stream, MaxTokens: *b.MaxTokens, Logprobs: -1}
	list, err := c.readBlocks(b.Messages)
	if err != nil {
		return nil, err
	}
	if system, err := contentText(b.System); err != nil {
		return nil, fmt.Errorf("system: %w", err)
	} else if system != "" {
		list = append([]Message{{Role: "system", Content: quoted(system)}}, list...)
	}
	c.Prompt, err = ChatPrompt(list, m.Tokenizer)
	return c, err
}

// readBlocks turns messages with blocks into messages with texts. What the API refuses is
// refused here too: other roles, empty texts, results of tools that nobody called.
func (c *Call) readBlocks(messages []Message) (list []Message, err error) {
	calls := map[string]bool{}
	for i, m := range messages {
		if m.Role != "user" && m.Role != "assistant" {
			return nil, Wording(fmt.Sprintf("messages.%d.role: Input should be 'user' or 'assistant'", i))
		}
		var text string
		var blocks []block
		if json.Unmarshal(m.Content, &text) != nil {
			if err := json.Unmarshal(m.Content, &blocks); err != nil {
				return nil, Wording(fmt.Sprintf("messages.%d.content: Input should be a valid list or string", i))
			}
		}
		var words strings.Builder
		words.WriteString(text)
		for k := range blocks {
			if err := c.readBlock(&blocks[k], calls, &words); err != nil {
				return nil, fmt.Errorf("messages.%d.content.%d: %w", i, k, err)
			}
		}
		list = append(list, Message{Role: m.Role, Content: quoted(words.String())})
	}
	return list, nil
}

func (c *Call) readBlock(b *block, calls map[string]bool, words *strings.Builder) error {
	switch b.Type {
	case "text":
		if b.Text == "" {
			return Wording("text content blocks must be non-empty")
		}
		words.WriteString(b.Text)
	case "thinking":
		words.WriteString(b.Thinking)
	case "image":
		if b.Source == nil || b.Source.Type != "base64" && b.Source.Type != "url" {
			return Wording("source: Field required")
		}
		c.Media++
	case "tool_use":
		var input map[string]json.RawMessage
		if err := json.Unmarshal(b.Input, &input); err != nil || b.ID == "" || b.Name == "" {
			return Wording("tool_use: id, name and an object as input are required")
		}
		calls[b.ID] = true
		words.WriteString(b.Name + string(b.Input))
	case "tool_result":
		if !calls[b.ToolUseID] {
			return Wording("unexpected `tool_use_id` found in `tool_result` blocks: " + b.ToolUseID)
		}
		text, err := contentText(b.Content)
		if err != nil {
			return err
		}
		words.WriteString(text)
	default:
		return Wording("type: Input tag '" + b.Type + "' is not known")
	}
	return nil
}

func quoted(text string) json.RawMessage {
	return append(append([]byte{'"'}, vocab.JSONText(text)...), '"')
}

// messageStream writes the events of an answer.
type messageStream struct {
	call   *Call
	answer vocab.Answer
	id     string // and model, as they stand in JSON
	model  string
	begun  bool
	index  int    // of the block that is open
	open   string // its kind; empty: none
	pinged bool
	json   []byte
}

func newMessageStream(c *Call, a vocab.Answer, id, model string, _ time.Time) Writer {
	return &messageStream{call: c, answer: a, id: string(vocab.JSONText(id)), model: string(vocab.JSONText(model)), index: -1}
}

func (m *messageStream) frame(out Emit, name, rest string) {
	m.json = append(append(append(append(m.json[:0], `{"type":"`...), name...), '"'), rest...)
	out(name, KindFrame, 0, append(m.json, '}'))
}

func (m *messageStream) begin(out Emit) {
	if m.begun {
		return
	}
	m.begun = true
	m.frame(out, "message_start", fmt.Sprintf(`,"message":{"id":"msg_%s","type":"message","role":"assistant","content":[],"model":"%s","stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":%d,"output_tokens":0}}`,
		m.id, m.model, m.call.PromptTokens()))
}

// block ends the block that is open, and opens one of another kind.
func (m *messageStream) block(out Emit, kind, head string) {
	if m.open == kind {
		return
	}
	m.endBlock(out)
	m.open = kind
	m.index++
	m.frame(out, "content_block_start", fmt.Sprintf(`,"index":%d,"content_block":{"type":"%s",%s}`, m.index, kind, head))
	if !m.pinged {
		m.pinged = true
		m.frame(out, "ping", "")
	}
}

func (m *messageStream) endBlock(out Emit) {
	if m.open == "" {
		return
	}
	if m.open == "thinking" {
		m.frame(out, "content_block_delta", fmt.Sprintf(`,"index":%d,"delta":{"type":"signature_delta","signature":"c2lt"}`, m.index))
	}
	m.frame(out, "content_block_stop", fmt.Sprintf(`,"index":%d`, m.index))
	m.open = ""
}

const toolBlock = `"id":"toolu_sim","name":"answer","input":{}`

// Event implements Writer.
func (m *messageStream) Event(e Event, out Emit) {
	m.begin(out)
	switch e.Kind {
	case KindToken:
		m.block(out, "text", `"text":""`)
		m.delta(e, out, "text_delta", "text")
	case KindReasoning:
		m.block(out, "thinking", `"thinking":"","signature":""`)
		m.delta(e, out, "thinking_delta", "thinking")
	case KindTool:
		m.block(out, "tool_use", toolBlock)
		if e.From < e.To {
			m.delta(e, out, "input_json_delta", "partial_json")
		}
	case KindFinish:
		m.endBlock(out)
		usage := ""
		if u := e.Usage; u != nil {
			usage = fmt.Sprintf(`,"usage":{"input_tokens":%d,"cache_read_input_tokens":%d,"output_tokens":%d}`, u.Prompt-u.Cached, u.Cached, u.Completion)
		}
		m.json = fmt.Appendf(m.json[:0], `{"type":"message_delta","delta":{"stop_reason":"%s","stop_sequence":null}%s}`, stopReason[e.Finish], usage)
		out("message_delta", KindFinish, 0, m.json)
	}
}

func (m *messageStream) delta(e Event, out Emit, kind, field string) {
	b := fmt.Appendf(m.json[:0], `{"type":"content_block_delta","index":%d,"delta":{"type":"%s","%s":"`, m.index, kind, field)
	b = m.answer.AppendJSON(b, e.From, e.To)
	m.json = append(b, `"}}`...)
	out("content_block_delta", e.Kind, e.To-e.From, m.json)
}

// stopReason has the API's words for the finish reasons.
var stopReason = map[string]string{"stop": "end_turn", "length": "max_tokens", "tool_calls": "tool_use"}

func (m *messageStream) Fail(out Emit) {
	out("error", KindError, 0, fmt.Appendf(nil, `{"type":"error","error":{"type":"api_error","message":"%s"}}`, errTold))
}

func (m *messageStream) Done(out Emit, mark func()) {
	if mark != nil {
		m.frame(out, "message_stop", "")
	}
}

// wholeMessage is an answer that was not streamed.
func wholeMessage(c *Call, a *Result) any {
	out := map[string]any{
		"id": "msg_" + a.ID, "type": "message", "role": "assistant", "model": a.Model,
		"content": []any{}, "stop_reason": stopReason[a.Finish], "stop_sequence": nil,
	}
	if text := a.Answer.Text(0, a.Usage.Completion); text != "" {
		out["content"] = []any{map[string]any{"type": "text", "text": text}}
	}
	if !a.NoUsage {
		out["usage"] = map[string]int{
			"input_tokens": a.Usage.Prompt - a.Usage.Cached, "cache_read_input_tokens": a.Usage.Cached, "cache_creation_input_tokens": 0, "output_tokens": a.Usage.Completion,
		}
	}
	return out
}

// messagesFailure is the body of an error.
func messagesFailure(status int, err error) any {
	kind := map[int]string{
		http.StatusBadRequest: "invalid_request_error", http.StatusUnauthorized: "authentication_error",
		http.StatusNotFound: "not_found_error", http.StatusTooManyRequests: "rate_limit_error",
	}[status]
	if kind == "" {
		kind = "api_error"
	}
	if errors.Is(err, ErrNoModel) {
		kind = "not_found_error"
	}
	return map[string]any{"type": "error", "error": map[string]any{"type": kind, "message": err.Error()}}
}
