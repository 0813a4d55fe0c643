package tokenizer

import (
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/inferometer/inferometer/tokenizer/jinja"
)

// Message is one turn of a conversation.
type Message struct {
	Role    string
	Content string
}

// ApplyChatTemplate gives the text that the model's chat template makes of a conversation, with the
// beginning of the answer at the end if addGenerationPrompt is set.
//
// Templates see what transformers gives them, without strftime_now: a prompt with today's date in it
// would be another prompt tomorrow.
func (f *File) ApplyChatTemplate(messages []Message, addGenerationPrompt bool) (string, error) {
	template, err := f.chat()
	if err != nil {
		return "", err
	}
	turns := make([]any, len(messages))
	for i, m := range messages {
		turns[i] = jinja.NewDict("role", m.Role, "content", m.Content)
	}
	values := map[string]any{
		"messages": jinja.NewList(turns...), "add_generation_prompt": addGenerationPrompt, "tools": nil, "documents": nil,
	}
	for name, token := range map[string]tokenText{
		"bos_token": f.settings.BOS, "eos_token": f.settings.EOS,
		"unk_token": f.settings.Unknown, "pad_token": f.settings.Padding,
	} {
		if token != "" {
			values[name] = string(token)
		}
	}
	text, err := template.Render(values)
	if err != nil {
		return "", fmt.Errorf("chat template: %w", err)
	}
	return text, nil
}

// lazyChat compiles a template when it is first asked for, and only once.
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

// chatSource takes the template itself, or the one called default in a list of them.
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
	return "", errors.New("the tokenizer has no chat template: put one beside tokenizer.json (chat_template.jinja), or send prompts as they are (--skip-chat-template)")
}
