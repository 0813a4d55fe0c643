package spec

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/inferometer/inferometer/internal/compat/pyjson"
	"github.com/inferometer/inferometer/internal/outside"
	"github.com/inferometer/inferometer/internal/send/protocol"
)

// ObjectKeys lists the top-level keys of a JSON object in the order in which
// they stand; encoding/json alone would lose it.
func ObjectKeys(object json.RawMessage) []string {
	d := json.NewDecoder(bytes.NewReader(object))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil
	}
	var keys []string
	for d.More() {
		t, err := d.Token()
		key, ok := t.(string)
		if err != nil || !ok {
			return keys
		}
		keys = append(keys, key)
		var skip json.RawMessage
		if d.Decode(&skip) != nil {
			return keys
		}
	}
	return keys
}

// objectFields lists the fields of a JSON object in its own order.
func ObjectFields(object json.RawMessage) []protocol.Field {
	var values map[string]json.RawMessage
	if len(object) == 0 || json.Unmarshal(object, &values) != nil {
		return nil // it was checked that it is an object
	}
	var fields []protocol.Field
	for _, name := range ObjectKeys(object) {
		fields = append(fields, protocol.Field{Name: name, Value: values[name]})
	}
	return fields
}

// envKey is the only key of an object that stands for a secret in extra_body.
const envKey = "$env"

// HideSecrets replaces the texts of fields that are named like secrets by the names
// of variables. name chooses a variable for a text.
func HideSecrets(object json.RawMessage, name func(text string) string) json.RawMessage {
	for _, quoted := range outside.JSONSecrets(object) {
		var text string
		_ = json.Unmarshal(quoted, &text) // it is a text
		variable, _ := json.Marshal(map[string]string{envKey: name(text)})
		object = bytes.ReplaceAll(object, quoted, variable)
	}
	return object
}

// fillIn puts the secrets back whose variables are named. What names none stays as it
// is, byte for byte.
func fillIn(value json.RawMessage, e *Environment) (json.RawMessage, error) {
	if !bytes.Contains(value, []byte(`"`+envKey+`"`)) {
		return value, nil
	}
	switch fields := ObjectFields(value); {
	case len(fields) == 1 && fields[0].Name == envKey:
		var name string
		if json.Unmarshal(fields[0].Value, &name) != nil {
			return nil, fmt.Errorf("extra_body: %s needs the name of a variable", envKey)
		}
		text, err := Value{Env: name}.get(e)
		if err != nil {
			return nil, err
		}
		return json.Marshal(text)
	case len(fields) > 0:
		var b bytes.Buffer
		for i, f := range fields {
			filled, err := fillIn(f.Value, e)
			if err != nil {
				return nil, err
			}
			key, _ := json.Marshal(f.Name) // a text always marshals
			fmt.Fprintf(&b, "%s%s:%s", separator(i, '{'), key, filled)
		}
		return append(b.Bytes(), '}'), nil
	}
	var items []json.RawMessage
	if json.Unmarshal(value, &items) != nil {
		return value, nil // a text that has the word in it
	}
	var b bytes.Buffer
	for i, item := range items {
		filled, err := fillIn(item, e)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&b, "%s%s", separator(i, '['), filled)
	}
	return append(b.Bytes(), ']'), nil
}

// separator is what stands before the i-th item of a list or an object.
func separator(i int, open byte) string {
	if i == 0 {
		return string(open)
	}
	return ","
}

// sampling are the fields that say how to choose tokens.
func (s *Spec) Sampling() (fields []protocol.Field) {
	number := func(name string, v *float64) {
		if v != nil {
			fields = append(fields, protocol.Field{Name: name, Value: json.RawMessage(pyjson.Float(*v)), Sampling: true})
		}
	}
	number("top_p", s.TopP)
	if s.TopK != nil {
		b, _ := json.Marshal(*s.TopK) // an int always marshals
		fields = append(fields, protocol.Field{Name: "top_k", Value: b, Sampling: true})
	}
	number("min_p", s.MinP)
	number("temperature", s.Temperature)
	number("frequency_penalty", s.FrequencyPenalty)
	number("presence_penalty", s.PresencePenalty)
	number("repetition_penalty", s.RepetitionPenalty)
	return fields
}
