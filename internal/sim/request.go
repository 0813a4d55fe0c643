package sim

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
	Messages            []message       `json:"messages"`
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

type message struct {
	Role    string          `json:"role"`
	Content json.RawMessage `json:"content"`
}

// call is a request that has been understood.
type call struct {
	dialect     *dialect
	model       string
	adapter     string // of Config.Adapters; empty: the model itself
	chat        bool
	stream      bool
	usage       bool // a usage event at the end
	usageAlways bool // usage in each event
	ignoreEOS   bool
	maxTokens   int // 0: none given
	prompt      []int32
	asked       asked // what prompt was made of, where it may be in an answer key
	logprobs    int   // −1: none; else how many alternatives
	tokenIDs    bool
	echo        bool    // the answer begins with the prompt
	media       int     // images, videos and sounds in its messages
	incremental bool    // SGLang: an event has only its own text
	details     bool    // TGI: the last event has counts
	context     bool    // the answer ends with the ids of prompt and answer
	own         any     // what only its dialect knows
	triton      *triton // of a call in Triton's words
	// Of a sound: what its events are called; empty: as those of chat.
	object, idPrefix string
}

// wording is an error in the words of a real server, which are sentences.
type wording string

func (w wording) Error() string { return string(w) }

// parseCall reads the body of a completion or chat request.
func parseCall(raw []byte, chat bool, t vocab.Tokenizer) (*call, error) {
	var b body
	if err := json.Unmarshal(raw, &b); err != nil {
		return nil, fmt.Errorf("the body is not the JSON of a request: %w", err)
	}
	c := &call{model: b.Model, chat: chat, stream: b.Stream, ignoreEOS: b.IgnoreEOS, tokenIDs: b.ReturnTokenIDs, echo: b.Echo, logprobs: -1}
	if b.N != nil && *b.N != 1 {
		return nil, fmt.Errorf("n is %d; this server gives one choice a request", *b.N)
	}
	if o := b.StreamOptions; o != nil {
		if !b.Stream {
			return nil, wording("Stream options can only be defined when `stream=True`.")
		}
		c.usage = o.IncludeUsage
		c.usageAlways = o.IncludeUsage && o.ContinuousUsageStats
	}
	if err := c.readLimits(&b); err != nil {
		return nil, err
	}
	var err error
	if chat {
		c.media, c.asked.messages = mediaParts(b.Messages), b.Messages
		c.prompt, err = chatPrompt(b.Messages, t)
	} else {
		c.asked.prompt = b.Prompt
		c.prompt, err = promptTokens(b.Prompt, t)
	}
	return c, err
}

func (c *call) readLimits(b *body) error {
	for _, m := range []*int{b.MaxTokens, b.MaxCompletionTokens} {
		if m == nil {
			continue
		}
		if *m < 1 {
			return fmt.Errorf("max_tokens must be at least 1, got %d", *m)
		}
		c.maxTokens = *m
	}
	switch lp := string(bytes.TrimSpace(b.Logprobs)); lp {
	case "", "null", "false":
	case "true":
		c.logprobs = b.TopLogprobs
	default:
		if err := json.Unmarshal(b.Logprobs, &c.logprobs); err != nil {
			return fmt.Errorf("logprobs is %s; give a number, or true for chat", lp)
		}
	}
	if c.logprobs < -1 || c.logprobs > 20 {
		return fmt.Errorf("logprobs is %d; give 0 to 20", c.logprobs)
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

// chatPrompt is the sim's chat template: "role: content\n" for each message and
// "assistant:" at the end.
func chatPrompt(messages []message, t vocab.Tokenizer) ([]int32, error) {
	if len(messages) == 0 {
		return nil, errors.New("messages must be a list with at least one message")
	}
	text, err := chatText(messages)
	if err != nil {
		return nil, err
	}
	return t.Encode(text)
}

func chatText(messages []message) (string, error) {
	list := make([]answers.Message, len(messages))
	for i, m := range messages {
		if m.Role == "" {
			return "", fmt.Errorf("messages[%d] has no role", i)
		}
		content, err := contentText(m.Content)
		if err != nil {
			return "", fmt.Errorf("messages[%d]: %w", i, err)
		}
		list[i] = answers.Message{Role: m.Role, Content: content}
	}
	return answers.ChatText(list), nil
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
	messages []message
}

// promptText is the prompt's text as an answer key knows it. Where only tokens are left it
// is theirs, which with most tokenizers is the same.
func (c *call) promptText(t vocab.Tokenizer) (string, error) {
	if len(c.asked.messages) > 0 {
		return chatText(c.asked.messages)
	}
	var text string
	if json.Unmarshal(c.asked.prompt, &text) == nil && text != "" {
		return text, nil
	}
	var one []string
	if json.Unmarshal(c.asked.prompt, &one) == nil && len(one) == 1 {
		return one[0], nil
	}
	return t.Decode(c.prompt)
}

// echoes says whether an answer repeats its prompt: a completion that was asked to, in one piece.
func (c *call) echoes() bool { return c.echo && !c.chat && !c.stream }
