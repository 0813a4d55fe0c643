package option

import (
	"encoding/json"
	"math"
	"reflect"
	"strconv"
	"strings"
)

func formatInt(x float64) string { return strconv.FormatInt(int64(x), 10) }

// JSON is the option's value as SetJSON reads it; nil for an optional one without a value.
func (f *Field) JSON(v any) (json.RawMessage, error) {
	text, ok := f.Text(v)
	if !ok {
		return nil, nil
	}
	plain := false
	switch f.Kind {
	case Int, Bool:
		plain = true
	case Float, Custom:
		plain = json.Valid([]byte(text)) // inf is none, and 10s@5 is none
	}
	if plain {
		return []byte(text), nil
	}
	return json.Marshal(text)
}

// SetJSON gives the option the value of a piece of JSON. A text is read as SetText
// reads it, so that "inf" and "10s" can be written; null leaves the option as it is.
func (f *Field) SetJSON(v any, raw json.RawMessage) error {
	text := strings.TrimSpace(string(raw))
	switch {
	case text == "null":
		return nil
	case strings.HasPrefix(text, `"`):
		var s string
		if err := json.Unmarshal(raw, &s); err != nil {
			return Errorf(f.Key, "is no JSON: %s", err.Error())
		}
		return f.SetText(v, s)
	case f.Kind == String:
		return Errorf(f.Key, "needs a text, not %s", short(text))
	}
	return f.SetText(v, text)
}

// SchemaOf is a type of its own that says how it is written in JSON.
type SchemaOf interface{ JSONSchema() map[string]any }

// Schema is the JSON schema of the option's value, without a description.
func (f *Field) Schema() map[string]any {
	s := map[string]any{}
	switch f.Kind {
	case Int:
		s["type"] = "integer"
	case Float:
		s["type"] = "number"
	case Bool:
		s["type"] = "boolean"
	case String, Duration:
		s["type"] = "string"
	case Custom:
		s["type"] = "string"
		if own, ok := reflect.New(f.custom).Interface().(SchemaOf); ok {
			s = own.JSONSchema()
		}
	}
	if f.Kind == Duration {
		s["pattern"] = DurationPattern
	}
	if len(f.Choices) > 0 {
		s = map[string]any{"enum": f.Choices}
	}
	if f.Kind != Int && f.Kind != Float {
		return s
	}
	for name, bound := range map[string]*float64{"minimum": f.min, "maximum": f.max, "exclusiveMinimum": f.above, "exclusiveMaximum": f.below} {
		if bound != nil && *bound != mostInt && !math.IsInf(*bound, 0) {
			s[name] = *bound
		}
	}
	return s
}

// DurationPattern is what a duration looks like.
const DurationPattern = `^([0-9.]+(ns|us|µs|ms|s|m|h))+$|^0$`
