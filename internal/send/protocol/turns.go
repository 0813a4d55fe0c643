package protocol

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/inferometer/inferometer/internal/send/protocol/stream"
)

// turn is a message of a chat in the words that all protocols share. Datasets give
// OpenAI's messages; protocols that write them otherwise begin here.
type turn struct {
	Role  string // system, user, assistant or tool
	Parts []content
	// Calls are those that the assistant asks for, and CallID is the one that a tool answers.
	Calls  []stream.ToolCall
	CallID string
	// Reasoning is what the assistant thought, where it is sent again.
	Reasoning string
}

// content is a part of a turn: a text, or a medium by its URL, which may hold its bytes.
type content struct {
	Kind string // text, image_url, input_audio, …
	Text string
	URL  string          // of an image
	Raw  json.RawMessage // as OpenAI writes it
}

// text is all texts of a turn.
func (t *turn) text() string {
	if len(t.Parts) == 1 {
		return t.Parts[0].Text
	}
	words := ""
	for _, p := range t.Parts {
		words += p.Text
	}
	return words
}

// turns are the messages of a call: its own, or one of the user with its prompt and media.
func turns(c *Call) ([]turn, error) {
	if c.TokenIDs || c.Inputs != nil || c.Sound != nil {
		return nil, errors.New("chat takes messages, not token ids, lists of texts or files: use another backend")
	}
	if c.Messages == nil {
		user := turn{Role: "user", Parts: []content{{Kind: "text", Text: c.Prompt}}}
		for _, m := range c.Media {
			p, err := readContent(m)
			if err != nil {
				return nil, err
			}
			user.Parts = append(user.Parts, p)
		}
		return []turn{user}, nil
	}
	var list []struct {
		Role      string          `json:"role"`
		Content   json.RawMessage `json:"content"`
		ToolCalls []struct {
			ID       string `json:"id"`
			Function struct {
				Name      string `json:"name"`
				Arguments string `json:"arguments"`
			} `json:"function"`
		} `json:"tool_calls"`
		CallID    string `json:"tool_call_id"`
		Reasoning string `json:"reasoning_content"`
	}
	if err := json.Unmarshal(c.Messages, &list); err != nil {
		return nil, fmt.Errorf("the messages can't be read: %w", err)
	}
	all := make([]turn, len(list))
	for i, m := range list {
		t := turn{Role: m.Role, CallID: m.CallID, Reasoning: m.Reasoning}
		if m.Role == "developer" {
			t.Role = "system"
		}
		for k := range m.ToolCalls {
			p := &m.ToolCalls[k]
			t.Calls = append(t.Calls, stream.ToolCall{ID: p.ID, Name: p.Function.Name, Arguments: []byte(p.Function.Arguments)})
		}
		var err error
		if t.Parts, err = readContents(m.Content); err != nil {
			return nil, fmt.Errorf("message %d: %w", i+1, err)
		}
		all[i] = t
	}
	return all, nil
}

// readContents reads a message's content: null, a text, or a list of parts.
func readContents(raw json.RawMessage) ([]content, error) {
	if len(raw) == 0 || string(raw) == "null" {
		return nil, nil
	}
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return []content{{Kind: "text", Text: text}}, nil
	}
	var list []json.RawMessage
	if err := json.Unmarshal(raw, &list); err != nil {
		return nil, errors.New("its content is neither a text nor a list of parts")
	}
	parts := make([]content, len(list))
	for i, r := range list {
		var err error
		if parts[i], err = readContent(r); err != nil {
			return nil, err
		}
	}
	return parts, nil
}

func readContent(raw json.RawMessage) (content, error) {
	var p struct {
		Type  string                `json:"type"`
		Text  string                `json:"text"`
		Image *struct{ URL string } `json:"image_url"`
	}
	if err := json.Unmarshal(raw, &p); err != nil {
		return content{}, fmt.Errorf("a part of its content can't be read: %w", err)
	}
	c := content{Kind: p.Type, Text: p.Text, Raw: raw}
	if p.Image != nil {
		c.URL = p.Image.URL
	}
	return c, nil
}
