package protocol

import (
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/inferometer/inferometer/internal/ordered"
)

var openAIResponses = &Backend{
	Name: "openai-responses", Doc: "OpenAI's Responses", Chat: true, Images: true, Lacks: Lacks{TokenIDs: true}, Protocol: responses,
}

// responses is OpenAI's /v1/responses. An answer that was not streamed is the response by itself.
var responses = &described{
	path: "/v1/responses", suffix: "responses", body: responsesBody, event: responseEvent, meaning: responseMeaning,
	whole: &described{event: responseFields(wholeItem).reader(), meaning: responseAnswered},
}

func responsesBody(c *Call) (*body, error) {
	all, err := turns(c)
	if err != nil {
		return nil, err
	}
	c, err = toolFields(c, func(name string, description, parameters json.RawMessage) any {
		return struct {
			Type        string          `json:"type"`
			Name        string          `json:"name"`
			Description json.RawMessage `json:"description,omitempty"`
			Parameters  json.RawMessage `json:"parameters,omitempty"`
		}{"function", name, description, parameters}
	}, nil)
	if err != nil {
		return nil, err
	}
	system, all := leading(all)
	input, err := responseInput(all)
	if err != nil {
		return nil, err
	}
	b := newBody(ordered.Object{{"model", c.Model}})
	if system != "" {
		b.Set("instructions", system)
	}
	b.Set("input", input)
	if c.MaxTokens > 0 {
		b.Set("max_output_tokens", c.MaxTokens)
	}
	b.Set("stream", !c.NoStream)
	b.Set("store", false)
	b.finish(c)
	return b, nil
}

type responsePart struct {
	Type   string `json:"type"`
	Text   string `json:"text,omitempty"`
	URL    string `json:"image_url,omitempty"`
	Detail string `json:"detail,omitempty"`
}

// responseItem is one of the list of a request. llama.cpp knows an assistant's message by
// its type.
type responseItem struct {
	Type      string  `json:"type,omitempty"`
	ID        string  `json:"id,omitempty"`
	Role      string  `json:"role,omitempty"`
	Summary   *[]any  `json:"summary,omitempty"`
	Content   any     `json:"content,omitempty"`
	CallID    string  `json:"call_id,omitempty"`
	Name      string  `json:"name,omitempty"`
	Arguments *string `json:"arguments,omitempty"`
	Output    *string `json:"output,omitempty"`
}

// responseInput is a text where there is nothing else, and else a list of items.
func responseInput(all []turn) (any, error) {
	if len(all) == 1 && all[0].Role == "user" && len(all[0].Parts) == 1 && all[0].Parts[0].Kind == "text" {
		return all[0].Parts[0].Text, nil
	}
	list := []responseItem{}
	for i := range all {
		t := &all[i]
		switch t.Role {
		case "tool":
			text := t.text()
			list = append(list, responseItem{Type: "function_call_output", CallID: t.CallID, Output: &text})
		case "assistant":
			list = append(list, responseAnswer(t, i)...)
		default:
			parts, err := responseParts(t)
			if err != nil {
				return nil, err
			}
			list = append(list, responseItem{Role: t.Role, Content: parts})
		}
	}
	return list, nil
}

// responseAnswer is an answer as it came: reasoning, text and calls are items.
func responseAnswer(t *turn, i int) (list []responseItem) {
	if t.Reasoning != "" {
		list = append(list, responseItem{
			Type: "reasoning", ID: "rs_" + strconv.Itoa(i), Summary: &[]any{}, Content: []responsePart{{Type: "reasoning_text", Text: t.Reasoning}},
		})
	}
	if text := t.text(); text != "" || len(t.Calls) == 0 {
		list = append(list, responseItem{Type: "message", Role: "assistant", Content: text})
	}
	for k := range t.Calls {
		arguments := string(t.Calls[k].Arguments)
		list = append(list, responseItem{Type: "function_call", CallID: t.Calls[k].ID, Name: t.Calls[k].Name, Arguments: &arguments})
	}
	return list
}

func responseParts(t *turn) ([]responsePart, error) {
	parts := []responsePart{}
	for _, p := range t.Parts {
		switch p.Kind {
		case "text":
			parts = append(parts, responsePart{Type: "input_text", Text: p.Text})
		case "image_url":
			parts = append(parts, responsePart{Type: "input_image", URL: p.URL, Detail: "auto"})
		default:
			return nil, fmt.Errorf("an input of Responses takes texts and images, and not %q: use --backend openai-chat", p.Kind)
		}
	}
	return parts, nil
}
