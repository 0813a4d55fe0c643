package tokenize

import (
	"errors"
	"fmt"
	"maps"
	"strings"

	"github.com/inferometer/inferometer/internal/send/workload/prompts"
	"github.com/inferometer/inferometer/tokenizer/jinja"
)

// render makes the text that the model's template gives, as a run with these options would.
func (o *options) render(t prompts.Tokenizer, text string) (string, error) {
	template, ok := t.(interface {
		RenderChat(variables map[string]any) (string, error)
	})
	if !ok {
		return "", errors.New("this tokenizer has no chat template")
	}
	variables := conversation(text)
	variables["strftime_now"] = jinja.StrftimeNow(o.shared.ChatTemplateDate.Time())
	maps.Copy(variables, o.shared.ChatTemplateKwargs.Variables())
	rendered, err := template.RenderChat(variables)
	if err != nil {
		return "", fmt.Errorf("render the conversation: %w", err)
	}
	return rendered, nil
}

// conversation reads a list of messages, or a chat request. Any other text is one user's message.
func conversation(text string) map[string]any {
	if trimmed := strings.TrimSpace(text); strings.HasPrefix(trimmed, "[") || strings.HasPrefix(trimmed, "{") {
		v, err := jinja.FromJSON([]byte(trimmed))
		if err != nil {
			v = nil // a text that only looks like JSON
		}
		switch v := v.(type) {
		case *jinja.List:
			if v.IsDicts() {
				return map[string]any{"messages": v, "add_generation_prompt": true}
			}
		case *jinja.Dict:
			given := v.Map()
			if list, ok := given["messages"].(*jinja.List); ok && list.IsDicts() {
				variables := map[string]any{"messages": list, "add_generation_prompt": true}
				for _, name := range []string{"tools", "documents", "add_generation_prompt"} {
					if value, ok := given[name]; ok {
						variables[name] = value
					}
				}
				return variables
			}
		}
	}
	return map[string]any{"messages": jinja.NewList(jinja.NewDict("role", "user", "content", text)), "add_generation_prompt": true}
}
