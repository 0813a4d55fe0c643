package sim

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
var anthropicMessages = &dialect{
	paths: []string{pathMessages}, read: readMessages, write: newMessageStream, whole: wholeMessage, failure: messagesFailure,
	usageWithFinish: true, ownFinish: true,
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

func readMessages(m *model, _ *http.Request, raw []byte) (*call, error) {
	var b struct {
		Model     string          `json:"model"`
		System    json.RawMessage `json:"system"`
		Messages  []message       `json:"messages"`
		MaxTokens *int            `json:"max_tokens"`
		Stream    bool            `json:"stream"`
	}
	if err := json.Unmarshal(raw, &b); err != nil {
		return nil, fmt.Errorf("the body is not the JSON of a request: %w", err)
	}
	if b.MaxTokens == nil || *b.MaxTokens < 1 {
		return nil, wording("max_tokens: Field required, 1 or more")
	}
	c := &call{model: b.Model, chat: true, stream: b.Stream, maxTokens: *b.MaxTokens, logprobs: -1}
	list, err := c.readBlocks(b.Messages)
	if err != nil {
		return nil, err
	}
	if system, err := contentText(b.System); err != nil {
		return nil, fmt.Errorf("system: %w", err)
	} else if system != "" {
		list = append([]message{{Role: "system", Content: quoted(system)}}, list...)
	}
	c.prompt, err = chatPrompt(list, m.tokenizer)
	return c, err
}

// readBlocks turns messages with blocks into messages with texts. What the API refuses is
// refused here too: other roles, empty texts, results of tools that nobody called.
func (c *call) readBlocks(messages []message) (list []message, err error) {
	calls := map[string]bool{}
	for i, m := range messages {
		if m.Role != "user" && m.Role != "assistant" {
			return nil, wording(fmt.Sprintf("messages.%d.role: Input should be 'user' or 'assistant'", i))
		}
		var text string
		var blocks []block
		if json.Unmarshal(m.Content, &text) != nil {
			if err := json.Unmarshal(m.Content, &blocks); err != nil {
				return nil, wording(fmt.Sprintf("messages.%d.content: Input should be a valid list or string", i))
			}
		}
		var words strings.Builder
		words.WriteString(text)
		for k := range blocks {
			if err := c.readBlock(&blocks[k], calls, &words); err != nil {
				return nil, fmt.Errorf("messages.%d.content.%d: %w", i, k, err)
			}
		}
		list = append(list, message{Role: m.Role, Content: quoted(words.String())})
	}
	return list, nil
}

func (c *call) readBlock(b *block, calls map[string]bool, words *strings.Builder) error {
	switch b.Type {
	case "text":
		if b.Text == "" {
			return wording("text content blocks must be non-empty")
		}
		words.WriteString(b.Text)
	case "thinking":
		words.WriteString(b.Thinking)
	case "image":
		if b.Source == nil || b.Source.Type != "base64" && b.Source.Type != "url" {
			return wording("source: Field required")
		}
		c.media++
	case "tool_use":
		var input map[string]json.RawMessage
		if err := json.Unmarshal(b.Input, &input); err != nil || b.ID == "" || b.Name == "" {
			return wording("tool_use: id, name and an object as input are required")
		}
		calls[b.ID] = true
		words.WriteString(b.Name + string(b.Input))
	case "tool_result":
		if !calls[b.ToolUseID] {
			return wording("unexpected `tool_use_id` found in `tool_result` blocks: " + b.ToolUseID)
		}
		text, err := contentText(b.Content)
		if err != nil {
			return err
		}
		words.WriteString(text)
	default:
		return wording("type: Input tag '" + b.Type + "' is not known")
	}
	return nil
}

func quoted(text string) json.RawMessage {
	return append(append([]byte{'"'}, vocab.JSONText(text)...), '"')
}

// messageStream writes the events of an answer.
type messageStream struct {
	call   *call
	answer vocab.Answer
	id     string // and model, as they stand in JSON
	model  string
	begun  bool
	index  int    // of the block that is open
	open   string // its kind; empty: none
	pinged bool
	json   []byte
}

func newMessageStream(c *call, a vocab.Answer, id, model string, _ time.Time) writer {
	return &messageStream{call: c, answer: a, id: string(vocab.JSONText(id)), model: string(vocab.JSONText(model)), index: -1}
}

func (m *messageStream) frame(out emit, name, rest string) {
	m.json = append(append(append(append(m.json[:0], `{"type":"`...), name...), '"'), rest...)
	out(name, KindFrame, 0, append(m.json, '}'))
}

func (m *messageStream) begin(out emit) {
	if m.begun {
		return
	}
	m.begun = true
	m.frame(out, "message_start", fmt.Sprintf(`,"message":{"id":"msg_%s","type":"message","role":"assistant","content":[],"model":"%s","stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":%d,"output_tokens":0}}`,
		m.id, m.model, len(m.call.prompt)))
}

// block ends the block that is open, and opens one of another kind.
func (m *messageStream) block(out emit, kind, head string) {
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

func (m *messageStream) endBlock(out emit) {
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

// event implements writer.
func (m *messageStream) event(e event, out emit) {
	m.begin(out)
	switch e.kind {
	case KindToken:
		m.block(out, "text", `"text":""`)
		m.delta(e, out, "text_delta", "text")
	case KindReasoning:
		m.block(out, "thinking", `"thinking":"","signature":""`)
		m.delta(e, out, "thinking_delta", "thinking")
	case KindTool:
		m.block(out, "tool_use", toolBlock)
		if e.from < e.to {
			m.delta(e, out, "input_json_delta", "partial_json")
		}
	case KindFinish:
		m.endBlock(out)
		usage := ""
		if u := e.usage; u != nil {
			usage = fmt.Sprintf(`,"usage":{"input_tokens":%d,"cache_read_input_tokens":%d,"output_tokens":%d}`, u.Prompt-u.Cached, u.Cached, u.Completion)
		}
		m.json = fmt.Appendf(m.json[:0], `{"type":"message_delta","delta":{"stop_reason":"%s","stop_sequence":null}%s}`, stopReason[e.finish], usage)
		out("message_delta", KindFinish, 0, m.json)
	}
}

func (m *messageStream) delta(e event, out emit, kind, field string) {
	b := fmt.Appendf(m.json[:0], `{"type":"content_block_delta","index":%d,"delta":{"type":"%s","%s":"`, m.index, kind, field)
	for i := e.from; i < e.to; i++ {
		b = append(b, m.answer.Piece(i).JSON...)
	}
	m.json = append(b, `"}}`...)
	out("content_block_delta", e.kind, e.to-e.from, m.json)
}

// stopReason has the API's words for the finish reasons.
var stopReason = map[string]string{"stop": "end_turn", "length": "max_tokens", "tool_calls": "tool_use"}

func (m *messageStream) fail(out emit) {
	out("error", KindError, 0, fmt.Appendf(nil, `{"type":"error","error":{"type":"api_error","message":"%s"}}`, errTold))
}

func (m *messageStream) done(out emit, mark func()) {
	if mark != nil {
		m.frame(out, "message_stop", "")
	}
}

// wholeMessage is an answer that was not streamed.
func wholeMessage(c *call, a *result) any {
	out := map[string]any{
		"id": "msg_" + a.id, "type": "message", "role": "assistant", "model": a.model,
		"content": []any{}, "stop_reason": stopReason[a.finish], "stop_sequence": nil,
	}
	if text := a.answer.Text(0, a.usage.Completion); text != "" {
		out["content"] = []any{map[string]any{"type": "text", "text": text}}
	}
	if !a.noUsage {
		out["usage"] = map[string]int{
			"input_tokens": a.usage.Prompt - a.usage.Cached, "cache_read_input_tokens": a.usage.Cached, "cache_creation_input_tokens": 0, "output_tokens": a.usage.Completion,
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
	if errors.Is(err, errNoModel) {
		kind = "not_found_error"
	}
	return map[string]any{"type": "error", "error": map[string]any{"type": kind, "message": err.Error()}}
}
