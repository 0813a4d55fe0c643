package treefile

import (
	"bytes"
	"encoding/json"
	"errors"
)

// message is one of a chat completion, made of texts.
func message(role, content string) json.RawMessage {
	return encode(struct {
		Role    string `json:"role"`
		Content string `json:"content"`
	}{role, content})
}

// encode writes JSON as it is sent: without a web page's escapes.
func encode(v any) json.RawMessage {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return json.RawMessage("null") // of what was just decoded: can't be
	}
	return bytes.TrimSpace(b.Bytes())
}

// compact is JSON without white space.
func compact(raw json.RawMessage) json.RawMessage {
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return raw
	}
	return b.Bytes()
}

// messages checks that each has a role, and takes white space out of them.
func messages(list []json.RawMessage) ([]json.RawMessage, error) {
	if len(list) == 0 {
		return nil, errors.New("it has no messages")
	}
	made := make([]json.RawMessage, len(list))
	for i, raw := range list {
		var m struct {
			Role string `json:"role"`
		}
		if err := json.Unmarshal(raw, &m); err != nil || m.Role == "" {
			return nil, errors.New("a message must be a JSON object with a role")
		}
		made[i] = compact(raw)
	}
	return made, nil
}

// isNull says that a value is absent.
func isNull(raw json.RawMessage) bool { return len(raw) == 0 || string(raw) == "null" }

// field adds one to the body, if it is there.
func field(to map[string]json.RawMessage, name string, raw json.RawMessage) map[string]json.RawMessage {
	if isNull(raw) {
		return to
	}
	if to == nil {
		to = map[string]json.RawMessage{}
	}
	to[name] = compact(raw)
	return to
}
