package option

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"strconv"
	"strings"
	"time"
)

func formatInt(x float64) string { return strconv.FormatInt(int64(x), 10) }

// JSON is the option's value as SetJSON reads it; nil for an optional one without a value.
func (f *Field) JSON(v any) (json.RawMessage, error) {
	value, ok := f.value(v)
	if !ok {
		return nil, nil
	}
	if d, ok := value.Interface().(time.Duration); ok {
		return json.Marshal(d.String())
	}
	if !f.Native() {
		text, _ := f.Text(v)
		if f.Kind != String && json.Valid([]byte(text)) { // inf is none, and 10s@5 is none
			return []byte(text), nil
		}
		return marshal(text)
	}
	return marshal(value.Interface())
}

// Native says that the option is written and read by its type's own rules for JSON.
func (f *Field) Native() bool {
	switch f.Kind {
	case Words, Numbers, JSON, Several, Object:
		return true
	case Custom:
		return reflect.PointerTo(f.custom).Implements(reflect.TypeFor[json.Unmarshaler]())
	}
	return false
}

// marshal leaves the bytes of texts as they are.
func marshal(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSpace(b.Bytes()), err
}

// SetJSON gives the option the value of a piece of JSON. A text is read as SetText
// reads it, so that "inf" and "10s" can be written; null leaves the option as it is.
func (f *Field) SetJSON(v any, raw json.RawMessage) error {
	text := strings.TrimSpace(string(raw))
	switch {
	case text == "null":
		return nil
	case f.Native():
		return f.unmarshal(v, raw)
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

func (f *Field) unmarshal(v any, raw json.RawMessage) error {
	to := f.Reflect(v).Addr().Interface()
	if f.Kind == JSON {
		var compact bytes.Buffer // how a file is indented is not kept
		if err := json.Compact(&compact, raw); err != nil {
			return Errorf(f.Key, "is no JSON: %s", err.Error())
		}
		*to.(*json.RawMessage) = compact.Bytes()
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	err := d.Decode(to)
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &kind):
		return Errorf(f.Key, "needs a JSON value of the kind %s, not a %s", reflect.TypeOf(to).Elem().String(), kind.Value)
	case err != nil:
		return Errorf(f.Key, "%s", err.Error())
	}
	return nil
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
	case Words:
		s["type"], s["items"] = "array", map[string]any{"type": "string"}
	case Numbers:
		s["type"], s["items"] = "array", map[string]any{"type": "number"}
	case JSON:
		s["type"] = "object"
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
