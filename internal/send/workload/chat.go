package workload

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/inferometer/inferometer/internal/send/workload/prompts"
	"github.com/inferometer/inferometer/tokenizer"
	"github.com/inferometer/inferometer/tokenizer/jinja"
)

// renderer is a vocabulary with a chat template that takes variables.
type renderer interface {
	prompts.Vocabulary
	prompts.ChatTemplate
	RenderChat(variables map[string]any) (string, error)
}

// templated is the tokenizer of a dataset. Its chat template sees the run's date, and the run's own variables
// where the dataset uses them.
func (o *Options) templated(k *Kind) prompts.Tokenizer {
	r, ok := o.Tokenizer.(renderer)
	if !ok {
		return o.Tokenizer
	}
	t := chatVocabulary{renderer: r, variables: map[string]any{"strftime_now": jinja.StrftimeNow(o.ChatTemplateDate.Time())}}
	if k.Uses(keyChatTemplateKwargs) {
		maps.Copy(t.variables, o.ChatTemplateKwargs.Variables())
	}
	return t
}

type chatVocabulary struct {
	renderer
	variables map[string]any
}

// Len is how many tokens there are, added ones included.
func (t chatVocabulary) Len() int {
	if all, ok := t.renderer.(interface{ Len() int }); ok {
		return all.Len()
	}
	return t.VocabSize()
}

// ApplyChatTemplate implements [ChatTemplate].
func (t chatVocabulary) ApplyChatTemplate(messages []tokenizer.Message, o tokenizer.ChatOptions) (string, error) {
	o.Variables = t.with(o.Variables)
	return t.renderer.ApplyChatTemplate(messages, o)
}

// RenderChat renders with the run's variables as well. Those given win.
func (t chatVocabulary) RenderChat(variables map[string]any) (string, error) {
	return t.renderer.RenderChat(t.with(variables))
}

func (t chatVocabulary) with(variables map[string]any) map[string]any {
	all := maps.Clone(t.variables)
	maps.Copy(all, variables)
	return all
}

// ChatDate is the day that chat templates see. Its zero value is the default.
type ChatDate string

// dateLayouts are how a ChatDate is written.
var dateLayouts = []string{time.DateOnly, "2006-01-02T15:04:05"}

const defaultDate = "2026-01-01"

// Time is the day as a time; midnight if the text says no more.
func (d ChatDate) Time() time.Time {
	for _, layout := range dateLayouts {
		if t, err := time.Parse(layout, string(d)); err == nil {
			return t
		}
	}
	t, _ := time.Parse(time.DateOnly, defaultDate)
	return t
}

// UnmarshalText implements [encoding.TextUnmarshaler].
func (d *ChatDate) UnmarshalText(text []byte) error {
	for _, layout := range dateLayouts {
		if _, err := time.Parse(layout, string(text)); err == nil {
			if *d = ChatDate(text); string(text) == defaultDate {
				*d = ""
			}
			return nil
		}
	}
	return fmt.Errorf("must be a date as 2026-01-31 or 2026-01-31T12:00:00, not %.40q", text)
}

// MarshalText implements [encoding.TextMarshaler].
func (d ChatDate) MarshalText() ([]byte, error) {
	return []byte(cmp.Or(string(d), defaultDate)), nil
}

// ChatKwargs are variables for a chat template, as a JSON object.
type ChatKwargs string

// mostKwargs bounds them: they are switches, not documents.
const mostKwargs = 64 << 10

// ownArguments are arguments of transformers' apply_chat_template itself: vLLM's client gives some of them, and the
// others are no variables of a template.
var ownArguments = []string{
	"conversation", "messages", "add_generation_prompt", "tokenize", "chat_template", "continue_final_message", "padding", "truncation", "max_length",
	"return_tensors", "return_dict", "return_assistant_tokens_mask", "tokenizer_kwargs", "strftime_now", "raise_exception",
}

// UnmarshalText implements [encoding.TextUnmarshaler].
func (k *ChatKwargs) UnmarshalText(text []byte) error {
	if len(text) > mostKwargs {
		return fmt.Errorf("must have at most %d bytes, not %d", mostKwargs, len(text))
	}
	if s := strings.TrimSpace(string(text)); s == "" || s == "null" {
		*k = ""
		return nil
	}
	d, err := jinja.FromJSON(text)
	if err != nil {
		return fmt.Errorf("must be a JSON object such as {\"enable_thinking\": false}: %w", err)
	}
	if _, ok := d.(*jinja.Dict); !ok {
		return fmt.Errorf("must be a JSON object such as {\"enable_thinking\": false}, not %.40q", text)
	}
	var b bytes.Buffer
	if err := json.Compact(&b, text); err != nil {
		return err
	}
	*k = ChatKwargs(b.String())
	for name := range k.Variables() {
		if slices.Contains(ownArguments, name) {
			return fmt.Errorf("can't set %s, which is no variable of a template", name)
		}
	}
	return nil
}

// MarshalText implements [encoding.TextMarshaler].
func (k ChatKwargs) MarshalText() ([]byte, error) { return []byte(k), nil }

// JSONSchema implements [option.SchemaOf].
func (ChatKwargs) JSONSchema() map[string]any {
	return map[string]any{"type": []string{"object", "string"}}
}

// Variables are the values by name.
func (k ChatKwargs) Variables() map[string]any {
	if k == "" {
		return nil
	}
	v, _ := jinja.FromJSON([]byte(k))
	d, ok := v.(*jinja.Dict)
	if !ok {
		return nil
	}
	return d.Map()
}
