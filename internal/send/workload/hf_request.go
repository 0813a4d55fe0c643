package workload

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/inferometer/inferometer/internal/send/workload/hfset"
	"github.com/inferometer/inferometer/internal/send/workload/prompts"
	"github.com/inferometer/inferometer/tokenizer"
	"github.com/inferometer/inferometer/tokenizer/jinja"
)

// request makes a request of a sample; nil where its lengths do not fit.
func (d *hfDataset) request(s *hfset.Sample) (*Request, error) {
	r := &Request{Prompt: s.Prompt, Media: s.Media}
	var err error
	if s.Messages != nil {
		err = d.chat(r, s)
	} else {
		err = d.render(r, s)
	}
	if err != nil {
		return nil, err
	}
	asked := d.own.OutputLen != nil && !d.set.OwnOutput
	switch {
	case asked:
		r.OutputTokens = *d.own.OutputLen
	case s.Output > 0:
		r.OutputTokens = s.Output
	case d.set.Output > 0:
		r.OutputTokens = d.set.Output
	default:
		if r.OutputTokens, err = d.answer(s.Answer); err != nil {
			return nil, err
		}
	}
	if !d.set.Limits.Fit(r.PromptTokens, r.OutputTokens, asked) && d.opts.Tokenizer != nil || r.OutputTokens <= 0 {
		return nil, nil
	}
	return r, nil
}

// answer counts the tokens of a recorded answer.
func (d *hfDataset) answer(text string) (int, error) {
	if d.opts.Tokenizer == nil {
		return 0, prompts.ErrNoTokenizer
	}
	if d.set.PlainAnswer {
		ids, err := d.opts.Tokenizer.Encode(text)
		return len(ids), err
	}
	return prompts.CountTokens(d.opts.Tokenizer, text)
}

// render puts the prompt into the chat template, where the set wants it, and counts it.
func (d *hfDataset) render(r *Request, s *hfset.Sample) (err error) {
	tok := d.opts.Tokenizer
	if tok == nil {
		return nil
	}
	if d.set.Wrap == hfset.Always || d.set.Wrap == hfset.Template && !d.opts.SkipChatTemplate {
		instead := ", or send prompts as they are (--skip-chat-template)"
		if d.set.Wrap == hfset.Always {
			instead = "; the prompts of this set are always put into it"
		}
		var messages []tokenizer.Message
		if s.System != "" || d.set.Wrap == hfset.Always {
			messages = append(messages, tokenizer.Message{Role: "system", Content: s.System})
		}
		if r.Prompt, err = prompts.RenderChat(tok, append(messages, tokenizer.Message{Role: "user", Content: s.Prompt}), instead); err != nil {
			return err
		}
	}
	r.PromptTokens, err = prompts.CountTokens(tok, r.Prompt)
	return err
}

// chat sends the sample's own messages, with its tools.
func (d *hfDataset) chat(r *Request, s *hfset.Sample) error {
	messages, err := hfset.JSON(s.Messages)
	if err != nil {
		return err
	}
	tools, err := hfset.JSON(s.Tools)
	if err != nil {
		return err
	}
	r.Messages = messages
	if len(s.Tools) > 0 {
		r.Fields = []Field{{Name: "tools", Value: tools}, {Name: "tool_choice", Value: json.RawMessage(`"auto"`)}}
	}
	if d.opts.Tokenizer == nil {
		return nil
	}
	text, err := d.shown(messages, tools)
	if err == nil {
		r.PromptTokens, err = prompts.CountTokens(d.opts.Tokenizer, text)
	}
	return err
}

// shown is the text that the server's template probably makes of messages and tools; where
// there is no template, as in vLLM, the messages' texts.
func (d *hfDataset) shown(messages, tools json.RawMessage) (string, error) {
	if t, ok := d.opts.Tokenizer.(interface {
		RenderChat(map[string]any) (string, error)
	}); ok {
		turns, err := jinja.FromJSON(messages)
		if err != nil {
			return "", err
		}
		list, err := jinja.FromJSON(tools)
		if err != nil {
			return "", err
		}
		if text, err := t.RenderChat(map[string]any{"messages": turns, "tools": list, "add_generation_prompt": true}); err == nil {
			return text, nil
		}
	}
	var parts []struct{ Content string }
	if err := json.Unmarshal(messages, &parts); err != nil {
		return "", fmt.Errorf("its messages: %w", err)
	}
	var texts []string
	for _, p := range parts {
		texts = append(texts, p.Content)
	}
	return strings.Join(texts, "\n"), nil
}

// withSystem puts a system message before others.
func withSystem(messages json.RawMessage, text string) (json.RawMessage, error) {
	var list []json.RawMessage
	if err := json.Unmarshal(messages, &list); err != nil {
		return nil, err
	}
	first, err := json.Marshal(map[string]string{"role": "system", "content": text})
	if err != nil {
		return nil, err
	}
	return json.Marshal(append([]json.RawMessage{first}, list...))
}
