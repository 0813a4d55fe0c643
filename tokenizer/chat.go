package tokenizer

import (
	"encoding/json"
	"fmt"
	"maps"
	"sync"
	"time"

	"github.com/inferometer/inferometer/tokenizer/jinja"
)

// Message is one turn of a conversation.
type Message struct {
	Role    string // such as "system", "user", "assistant"
	Content string
}

// ChatOptions say how a conversation is rendered.
type ChatOptions struct {
	// AddGenerationPrompt ends the text with the beginning of the assistant's turn, for the model to continue.
	AddGenerationPrompt bool

	// Variables are others that the template sees, such as "tools" or "enable_thinking".
	Variables map[string]any
}

// ApplyChatTemplate renders a conversation with the model's chat template.
//
// The result is the text that transformers' apply_chat_template(tokenize=False) returns. It already holds
// the special tokens, so it is encoded with [Tokenizer.Encode], not EncodeWithSpecial.
func (t *Tokenizer) ApplyChatTemplate(messages []Message, o ChatOptions) (string, error) {
	turns := make([]any, len(messages))
	for i, m := range messages {
		turns[i] = jinja.NewDict("role", m.Role, "content", m.Content)
	}
	variables := map[string]any{"messages": jinja.NewList(turns...), "add_generation_prompt": o.AddGenerationPrompt}
	maps.Copy(variables, o.Variables)
	return t.RenderChat(variables)
}

// RenderChat renders the model's chat template with the given variables, for conversations that are more
// than roles and texts: messages with tool calls, "tools", "documents", or a model's own switches such as
// "enable_thinking". Values are of the kinds that [jinja.Template.Render] takes; [jinja.FromJSON] makes them
// from JSON.
//
// The template also sees the special tokens of the model, as in transformers, and the function strftime_now,
// for which it is always 1 January 2026: a prompt with today's date in it would be another prompt tomorrow. Another
// day is a variable too: [jinja.StrftimeNow] makes it.
func (t *Tokenizer) RenderChat(variables map[string]any) (string, error) {
	template, err := t.chat()
	if err != nil {
		return "", err
	}
	values := map[string]any{"tools": nil, "documents": nil, "add_generation_prompt": false, "strftime_now": jinja.StrftimeNow(time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC))}
	for name, token := range map[string]tokenText{
		"bos_token": t.settings.BOS, "eos_token": t.settings.EOS,
		"unk_token": t.settings.Unknown, "pad_token": t.settings.Padding,
	} {
		if token != "" {
			values[name] = string(token)
		}
	}
	maps.Copy(values, variables)
	text, err := template.Render(values)
	if err != nil {
		return "", fmt.Errorf("chat template: %w", err)
	}
	return text, nil
}

// lazyChat parses a template when it is first used, and only once.
func lazyChat(source json.RawMessage) func() (*jinja.Template, error) {
	return sync.OnceValues(func() (*jinja.Template, error) {
		text, err := chatSource(source)
		if err != nil {
			return nil, err
		}
		template, err := jinja.Parse(text)
		if err != nil {
			return nil, fmt.Errorf("chat template: %w", err)
		}
		return template, nil
	})
}

// chatSource returns the template itself, or the one named "default" in a list of templates.
func chatSource(raw json.RawMessage) (string, error) {
	var text string
	if json.Unmarshal(raw, &text) == nil && text != "" {
		return text, nil
	}
	var named []struct{ Name, Template string }
	if json.Unmarshal(raw, &named) == nil {
		for _, t := range named {
			if t.Name == "default" {
				return t.Template, nil
			}
		}
	}
	return "", ErrNoChatTemplate
}
