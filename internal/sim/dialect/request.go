package dialect

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/inferometer/inferometer/internal/sim/answers"
	"github.com/inferometer/inferometer/internal/sim/vocab"
)

// body is the part of OpenAI's request that the sim heeds. Unknown fields are
// ignored, as most servers do.
type body struct {
	Model               string          `json:"model"`
	Prompt              json.RawMessage `json:"prompt"`
	Messages            []Message       `json:"messages"`
	Input               json.RawMessage `json:"input"`
	Stream              bool            `json:"stream"`
	StreamOptions       *streamOptions  `json:"stream_options"`
	MaxTokens           *int            `json:"max_tokens"`
	MaxCompletionTokens *int            `json:"max_completion_tokens"`
	IgnoreEOS           bool            `json:"ignore_eos"`
	N                   *int            `json:"n"`
	Logprobs            json.RawMessage `json:"logprobs"` // a number for completions, true or false for chat
	TopLogprobs         int             `json:"top_logprobs"`
	ReturnTokenIDs      bool            `json:"return_token_ids"`
	Echo                bool            `json:"echo"`
}

type streamOptions struct {
	IncludeUsage         bool `json:"include_usage"`
	ContinuousUsageStats bool `json:"continuous_usage_stats"`
}

type Message struct {
	Role    string          `json:"role"`
	Content json.RawMessage `json:"content"`
}

// Call is a request that has been understood.
type Call struct {
	Dialect     *Dialect
	Model       string
	Adapter     string // that stands in for the model; empty: the model itself
	Chat        bool
	Stream      bool
	Usage       bool // a usage event at the end
	UsageAlways bool // usage in each event
	IgnoreEOS   bool
	MaxTokens   int // 0: none given
	Prompt      []int32
	forgotten   int   // tokens of a prompt that is no longer there
	asked       asked // what prompt was made of, where it may be in an answer key
	Logprobs    int   // −1: none; else how many alternatives
	tokenIDs    bool
	echo        bool    // the answer begins with the prompt
	Media       int     // images, videos and sounds in its messages
	incremental bool    // SGLang: an event has only its own text
	details     bool    // TGI: the last event has counts
	context     bool    // the answer ends with the ids of prompt and answer
	own         any     // what only its dialect knows
	triton      *triton // of a call in Triton's words
	// Of a sound: what its events are called; empty: as those of chat.
	object, idPrefix string
}

// Wording is an error in the words of a real server, which are sentences.
type Wording string

func (w Wording) Error() string { return string(w) }

// ParseCall reads the body of a completion or chat request.
func ParseCall(raw []byte, chat bool, t vocab.Tokenizer) (*Call, error) {
	var b body
	if err := json.Unmarshal(raw, &b); err != nil {
		return nil, fmt.Errorf("the body is not the JSON of a request: %w", err)
	}
	c := &Call{Model: b.Model, Chat: chat, Stream: b.Stream, IgnoreEOS: b.IgnoreEOS, tokenIDs: b.ReturnTokenIDs, echo: b.Echo, Logprobs: -1}
	if b.N != nil && *b.N != 1 {
		return nil, fmt.Errorf("n is %d; this server gives one choice a request", *b.N)
	}
	if o := b.StreamOptions; o != nil {
		if !b.Stream {
			return nil, Wording("Stream options can only be defined when `stream=True`.")
		}
		c.Usage = o.IncludeUsage
		c.UsageAlways = o.IncludeUsage && o.ContinuousUsageStats
	}
	if err := c.readLimits(&b); err != nil {
		return nil, err
	}
	var err error
	if chat {
		c.Media, c.asked.messages = mediaParts(b.Messages), b.Messages
		c.Prompt, err = ChatPrompt(b.Messages, t)
	} else {
		c.asked.prompt = b.Prompt
		c.Prompt, err = promptTokens(b.Prompt, t)
	}
	return c, err
}

func (c *Call) readLimits(b *body) error {
	for _, m := range []*int{b.MaxTokens, b.MaxCompletionTokens} {
		if m == nil {
			continue
		}
		if *m < 1 {
			return fmt.Errorf("max_tokens must be at least 1, got %d", *m)
		}
		c.MaxTokens = *m
	}
	switch lp := string(bytes.TrimSpace(b.Logprobs)); lp {
	case "", "null", "false":
	case "true":
		c.Logprobs = b.TopLogprobs
	default:
		if err := json.Unmarshal(b.Logprobs, &c.Logprobs); err != nil {
			return fmt.Errorf("logprobs is %s; give a number, or true for chat", lp)
		}
	}
	if c.Logprobs < -1 || c.Logprobs > 20 {
		return fmt.Errorf("logprobs is %d; give 0 to 20", c.Logprobs)
	}
	return nil
}

// promptTokens reads a prompt: a text, token ids, or a list with one of these.
func promptTokens(raw json.RawMessage, t vocab.Tokenizer) ([]int32, error) {
	const need = "prompt must be a string, a list of token ids, or a list with one of these"
	var text string
	if json.Unmarshal(raw, &text) == nil && len(raw) > 0 && raw[0] == '"' {
		return t.Encode(text)
	}
	var list []json.RawMessage
	if err := json.Unmarshal(raw, &list); err != nil || len(list) == 0 {
		return nil, errors.New(need)
	}
	if first := list[0]; first[0] == '"' || first[0] == '[' {
		if len(list) > 1 {
			return nil, fmt.Errorf("%d prompts in one request; this server takes one", len(list))
		}
		if first[0] == '[' && bytes.HasPrefix(bytes.TrimSpace(first[1:]), []byte{'['}) {
			return nil, errors.New(need)
		}
		return promptTokens(first, t)
	}
	var ids []int32
	if err := json.Unmarshal(raw, &ids); err != nil {
		return nil, errors.New(need)
	}
	// Ids outside the vocabulary are a client's error in a real server too.
	if _, err := t.Decode(ids); err != nil {
		return nil, fmt.Errorf("prompt: %w", err)
	}
	return ids, nil
}

// ChatPrompt is the sim's chat template: "role: content\n" for each message and
// "assistant:" at the end.
func ChatPrompt(messages []Message, t vocab.Tokenizer) ([]int32, error) {
	if len(messages) == 0 {
		return nil, errors.New("messages must be a list with at least one message")
	}
	list, err := plainMessages(messages)
	if err != nil {
		return nil, err
	}
	if own, ok := t.(ChatTokenizer); ok {
		return own.EncodeChat(list)
	}
	return t.Encode(answers.ChatText(list))
}

// ChatTokenizer is a tokenizer with a chat template of its own, in place of the sim's.
type ChatTokenizer interface {
	EncodeChat(messages []answers.Message) ([]int32, error)
}

// plainMessages are roles and texts.
func plainMessages(messages []Message) ([]answers.Message, error) {
	list := make([]answers.Message, len(messages))
	for i, m := range messages {
		if m.Role == "" {
			return nil, fmt.Errorf("messages[%d] has no role", i)
		}
		content, err := contentText(m.Content)
		if err != nil {
			return nil, fmt.Errorf("messages[%d]: %w", i, err)
		}
		list[i] = answers.Message{Role: m.Role, Content: content}
	}
	return list, nil
}

// contentText reads a message's content: a text, or a list of parts of which
// the sim keeps the text parts.
func contentText(raw json.RawMessage) (string, error) {
	if len(raw) == 0 || string(raw) == "null" {
		return "", nil
	}
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text, nil
	}
	var parts []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	if err := json.Unmarshal(raw, &parts); err != nil {
		return "", errors.New("content must be a string or a list of parts")
	}
	var b strings.Builder
	for _, p := range parts {
		b.WriteString(p.Text)
	}
	return b.String(), nil
}

// asked is a request's prompt before it became tokens. Only one of them is set; neither,
// where the request's dialect does not keep it.
type asked struct {
	prompt   json.RawMessage
	messages []Message
}

// PromptText is the prompt's text as an answer key knows it. Where only tokens are left it
// is theirs, which with most tokenizers is the same.
func (c *Call) PromptText(t vocab.Tokenizer) (string, error) {
	if len(c.asked.messages) > 0 {
		list, err := plainMessages(c.asked.messages)
		return answers.ChatText(list), err
	}
	var text string
	if json.Unmarshal(c.asked.prompt, &text) == nil && text != "" {
		return text, nil
	}
	var one []string
	if json.Unmarshal(c.asked.prompt, &one) == nil && len(one) == 1 {
		return one[0], nil
	}
	return t.Decode(c.Prompt)
}

// PromptTokens is how many tokens the prompt has.
func (c *Call) PromptTokens() int { return max(len(c.Prompt), c.forgotten) }

// Forget lets go of the prompt, unless the answer repeats it: an answer takes long, and thousands may be in progress.
func (c *Call) Forget() {
	c.asked = asked{}
	if !c.tokenIDs && !c.echo && !c.context {
		c.forgotten, c.Prompt = len(c.Prompt), nil
	}
}

// Echoes says whether an answer repeats its prompt: a completion that was asked to, in one piece.
func (c *Call) Echoes() bool { return c.echo && !c.Chat && !c.Stream }
