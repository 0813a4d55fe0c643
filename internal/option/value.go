package option

import (
	"encoding"
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/inferometer/inferometer/internal/usage"
)

type textual interface {
	encoding.TextUnmarshaler
	encoding.TextMarshaler
}

// SetDefaults gives all options of v their defaults.
func SetDefaults(v any) {
	for _, f := range Fields(v) {
		if f.Default == "" {
			continue
		}
		if err := f.SetText(v, f.Default); err != nil {
			panic("option: the default of " + err.Error())
		}
	}
}

// SetText gives the option a value that was written as text. Bounds are left to Check.
func (f *Field) SetText(v any, text string) error {
	if err := f.checkChoice(text); err != nil {
		return err
	}
	to := f.Reflect(v)
	element := to.Type()
	if f.Optional {
		element = element.Elem()
	}
	value := reflect.New(element)
	if err := f.parse(value, text); err != nil {
		var form *usage.Error
		if errors.As(err, &form) && form.Hint != "" {
			return Errorf(f.Key, "%s", form.Text).WithHint("%s", form.Hint)
		}
		return Errorf(f.Key, "%s", err.Error())
	}
	if !f.Optional {
		value = value.Elem()
	}
	to.Set(value)
	return nil
}

// SetTexts gives the option a value that was written as several texts. Of those of an
// option that takes one the last one counts.
func (f *Field) SetTexts(v any, texts []string) error {
	if f.Kind == Several {
		if err := f.Reflect(v).Addr().Interface().(several).SetTexts(texts); err != nil {
			return Errorf(f.Key, "%s", err.Error())
		}
		return nil
	}
	switch {
	case f.Many:
		return f.SetText(v, strings.Join(texts, " "))
	case f.Repeat && f.Kind == Words:
		return f.SetText(v, strings.Join(texts, ","))
	}
	if len(texts) == 0 {
		return Errorf(f.Key, "needs a value")
	}
	return f.SetText(v, texts[len(texts)-1])
}

// checkChoice refuses what is none of the choices.
func (f *Field) checkChoice(text string) error {
	switch {
	case slices.Contains(f.Refused, text):
		return Errorf(f.Key, "%s %s", text, f.Why)
	case len(f.Choices) == 0 || slices.Contains(f.Choices, text) || text == "" && f.Omit:
		return nil
	}
	err := Errorf(f.Key, "must be one of %s, not %q", strings.Join(f.Choices, ", "), short(text))
	if near := usage.Nearest(strings.ToLower(text), f.Choices); near != "" {
		return err.WithHint("did you mean %s?", near)
	}
	return err
}

func (f *Field) parse(into reflect.Value, text string) error {
	switch f.Kind {
	case Int:
		n, err := ParseInt(text)
		into.Elem().SetInt(int64(n))
		return err
	case Float:
		x, err := ParseFloat(text)
		into.Elem().SetFloat(x)
		return err
	case Bool:
		b, err := parseBool(text)
		into.Elem().SetBool(b)
		return err
	case Duration:
		d, err := ParseDuration(text)
		into.Elem().SetInt(int64(d))
		return err
	case Custom:
		return into.Interface().(textual).UnmarshalText([]byte(text))
	case Words:
		words, err := ParseWords(text)
		into.Elem().Set(reflect.ValueOf(words))
		return err
	case Numbers:
		numbers, err := ParseNumbers(text)
		into.Elem().Set(reflect.ValueOf(numbers))
		return err
	case JSON:
		object, err := ParseJSON(text, true)
		into.Elem().SetBytes(object)
		return err
	case Several:
		return into.Interface().(several).SetTexts([]string{text})
	case Object:
		return errors.New("has no text: it is written as JSON")
	}
	into.Elem().SetString(text)
	return nil
}

// Texts is the option's value as SetTexts reads it; nil: it has none.
func (f *Field) Texts(v any) []string {
	if f.Kind == Several {
		return f.Reflect(v).Addr().Interface().(several).Texts()
	}
	if text, ok := f.Text(v); ok {
		return []string{text}
	}
	return nil
}

// Text is the option's value as SetText reads it; ok is false for an optional one
// without a value.
func (f *Field) Text(v any) (text string, ok bool) {
	value, ok := f.value(v)
	if !ok {
		return "", false
	}
	switch x := value.Interface().(type) {
	case int:
		return strconv.Itoa(x), true
	case float64:
		return FormatFloat(x), true
	case time.Duration:
		return FormatDuration(x), true
	case bool:
		return strconv.FormatBool(x), true
	case []string:
		return strings.Join(x, ","), len(x) > 0
	case []float64:
		texts := make([]string, len(x))
		for i, n := range x {
			texts[i] = FormatFloat(n)
		}
		return strings.Join(texts, ","), len(x) > 0
	case json.RawMessage:
		return string(x), len(x) > 0
	}
	switch f.Kind {
	case Several:
		texts := f.Texts(v)
		return strings.Join(texts, " "), len(texts) > 0
	case Object:
		return "", false
	case Custom:
		b, err := value.Addr().Interface().(textual).MarshalText()
		return string(b), err == nil
	}
	return value.String(), true
}

// Value is the option's value as a Go value, nil for an optional one without any.
func (f *Field) Value(v any) any {
	value, ok := f.value(v)
	if !ok {
		return nil
	}
	return value.Interface()
}

// Reflect is the place of the option in v.
func (f *Field) Reflect(v any) reflect.Value { return reflect.ValueOf(v).Elem().FieldByIndex(f.index) }

func (f *Field) value(v any) (reflect.Value, bool) {
	value := f.Reflect(v)
	if f.Optional {
		if value.IsNil() {
			return value, false
		}
		value = value.Elem()
	}
	return value, true
}

// Check looks at the bounds of each option of v, and then at all beside each other
// where v is a Checker.
func Check(v any) error {
	if v == nil {
		return nil
	}
	for _, f := range Fields(v) {
		if err := f.Check(v); err != nil {
			return err
		}
	}
	if c, ok := v.(Checker); ok {
		return c.Check()
	}
	return nil
}

// Check looks at the bounds of one option.
func (f *Field) Check(v any) error {
	value, ok := f.value(v)
	if !ok {
		return nil
	}
	var x float64
	switch f.Kind {
	case Int, Duration:
		x = float64(value.Int())
	case Float:
		x = value.Float()
	default:
		return nil
	}
	shown := func(x float64) string {
		if f.Kind == Duration && x != 0 {
			return FormatDuration(time.Duration(x))
		}
		if f.Kind == Int {
			return formatInt(x)
		}
		return FormatFloat(x)
	}
	// The comparisons are such that nan fails.
	switch {
	case f.above != nil && !(x > *f.above):
		return Errorf(f.Key, "must be above %s, not %s", shown(*f.above), shown(x))
	case f.min != nil && !(x >= *f.min):
		return Errorf(f.Key, "must be at least %s, not %s", shown(*f.min), shown(x))
	case f.below != nil && math.IsInf(*f.below, 1) && !(x < *f.below):
		return Errorf(f.Key, "must be finite, not %s", shown(x))
	case f.below != nil && !(x < *f.below):
		return Errorf(f.Key, "must be below %s, not %s", shown(*f.below), shown(x))
	case f.max != nil && !(x <= *f.max):
		return Errorf(f.Key, "must be at most %s, not %s", shown(*f.max), shown(x))
	}
	return nil
}
