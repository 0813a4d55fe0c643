package spec

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/inferometer/inferometer/internal/option"
	"github.com/inferometer/inferometer/internal/outside"
	"github.com/inferometer/inferometer/internal/send/pace"
	"github.com/inferometer/inferometer/internal/send/workload"
	"github.com/inferometer/inferometer/internal/usage"
)

// mostSpec bounds a Spec's file.
const mostSpec = 1 << 20

// Encode gives the Spec as indented JSON with a line break at its end.
func (s *Spec) Encode() []byte {
	b, err := s.MarshalJSON()
	if err != nil {
		panic(err) // all its types marshal
	}
	var indented bytes.Buffer
	_ = json.Indent(&indented, b, "", "  ") // it is JSON
	indented.WriteByte('\n')
	return indented.Bytes()
}

// MarshalJSON implements json.Marshaler: spans of time are texts such as 90s, and a
// rate without a bound is "inf".
func (s Spec) MarshalJSON() ([]byte, error) {
	s.Command = slices.Clone(s.Command) // these two are only shown, so they are kept as they may be shown
	for i, argument := range s.Command {
		s.Command[i] = outside.Text(argument, len(argument))
	}
	s.Label = outside.Text(s.Label, len(s.Label))
	var b bytes.Buffer
	fmt.Fprintf(&b, `{"version":%d`, s.Version)
	for _, section := range sections(&s) {
		if section.omit && section.empty() {
			continue
		}
		fmt.Fprintf(&b, ",%q:", section.key)
		n := 0
		for _, f := range section.fields {
			if f.omit && f.empty() {
				continue
			}
			value, err := f.encode()
			if err != nil {
				return nil, fmt.Errorf("%s.%s: %w", section.key, f.key, err)
			}
			fmt.Fprintf(&b, "%s%q:%s", separator(n, '{'), f.key, value)
			n++
		}
		if n == 0 {
			b.WriteByte('{')
		}
		b.WriteByte('}')
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

func (f *field) encode() ([]byte, error) {
	if f.option != nil {
		return f.option.JSON(f.of)
	}
	switch x := f.value.Interface().(type) {
	case time.Duration:
		return json.Marshal(x.String())
	case float64:
		if math.IsInf(x, 1) {
			return []byte(`"inf"`), nil
		}
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false) // the bytes of a body stay as they are
	err := e.Encode(f.value.Interface())
	return bytes.TrimSpace(b.Bytes()), err
}

// UnmarshalJSON implements json.Unmarshaler, as strictly as Decode.
func (s *Spec) UnmarshalJSON(b []byte) error {
	d, err := Decode(bytes.NewReader(b))
	if err == nil {
		*s = *d
	}
	return err
}

// Decode reads, resolves and validates a Spec. What the file does not say is as in
// Default; what it says and nobody knows is an error. Every error about the file's
// content is a *usage.Error that names the key. No file that it names is opened: who sent it
// must not learn by an error what is on this machine.
func Decode(r io.Reader) (*Spec, error) {
	b, err := io.ReadAll(io.LimitReader(r, mostSpec+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("read the Spec: %w", err)
	case len(b) > mostSpec:
		return nil, wrong("a Spec has at most %d bytes", mostSpec)
	}
	s := Default()
	given, err := s.read(b)
	if err != nil {
		return nil, err
	}
	s.Resolve(func(flag string) bool { return given[flag] })
	s.May = &Allowed{closed: true}
	if err := s.Validate(); err != nil {
		return nil, InFile(err)
	}
	s.May = nil
	return &s, nil
}

func wrong(format string, args ...any) error { return &usage.Error{Text: fmt.Sprintf(format, args...)} }

// read takes in all keys, and tells by their flags which there are.
func (s *Spec) read(b []byte) (given map[string]bool, err error) {
	top, err := members("the Spec", b)
	if err != nil {
		return nil, err
	}
	if json.Unmarshal(top["version"], &s.Version) != nil || s.Version != SpecVersion {
		return nil, wrong("the Spec needs \"version\": %d, the only one that this program reads", SpecVersion)
	}
	delete(top, "version")
	draft, err := s.choose(top)
	if err != nil {
		return nil, err
	}
	given = map[string]bool{}
	known := []string{"version"}
	for _, section := range sectionsOf(s, draft) {
		known = append(known, section.key)
		body, ok := top[section.key]
		if !ok {
			continue
		}
		delete(top, section.key)
		values, err := members(section.key, body)
		if err != nil {
			return nil, err
		}
		if err := section.read(values, given); err != nil {
			return nil, err
		}
	}
	for key := range top {
		return nil, wrong("%q is no section of a Spec: there are %s", outside.Word(key), strings.Join(known, ", "))
	}
	if draft != nil {
		err = InFile(s.SetPace(draft))
	}
	return given, err
}

func (section *section) read(values map[string]json.RawMessage, given map[string]bool) error {
	var known []string
	for _, f := range section.fields {
		known = append(known, f.key)
		value, ok := values[f.key]
		if !ok {
			continue
		}
		delete(values, f.key)
		given[f.flag] = true
		if err := f.decode(value); err != nil {
			return wrong("%s.%s %s", section.key, f.key, err)
		}
	}
	for key := range values {
		return wrong("%q is no key of %s: there are %s", outside.Word(key), section.key, strings.Join(known, ", "))
	}
	return nil
}

func (f *field) decode(value json.RawMessage) error {
	if f.option == nil {
		return decodeField(f.value, value)
	}
	err := f.set(value)
	var e *option.Error
	if errors.As(err, &e) {
		return errors.New(e.Text(func(key string) string { return key }))
	}
	return err
}

func decodeField(to reflect.Value, value json.RawMessage) error {
	switch p := to.Addr().Interface().(type) {
	case *time.Duration:
		var text string
		span, err := time.Duration(0), json.Unmarshal(value, &text)
		if err == nil {
			span, err = time.ParseDuration(text)
		}
		if err != nil {
			return fmt.Errorf("needs a time such as \"90s\", not %s", outside.Word(string(value)))
		}
		*p = span
		return nil
	case *float64:
		if string(value) == `"inf"` {
			*p = math.Inf(1)
			return nil
		}
	}
	d := json.NewDecoder(bytes.NewReader(value))
	d.DisallowUnknownFields()
	if raw, ok := to.Addr().Interface().(*json.RawMessage); ok {
		var compact bytes.Buffer
		err := json.Compact(&compact, value) // how a file is indented is not sent
		*raw = compact.Bytes()
		return err
	}
	err := d.Decode(to.Addr().Interface())
	var kind *json.UnmarshalTypeError
	if errors.As(err, &kind) {
		return fmt.Errorf("needs a JSON value of the kind %s, not a %s", to.Type(), kind.Value)
	}
	return err
}

// members are the fields of a JSON object, each of them once.
func members(name string, b []byte) (map[string]json.RawMessage, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(b, &fields); err != nil || fields == nil {
		if err == nil {
			err = errors.New("it is null")
		}
		return nil, wrong("%s is no JSON object: %v", name, err)
	}
	keys := ObjectKeys(b)
	slices.Sort(keys)
	for i := 1; i < len(keys); i++ {
		if keys[i] == keys[i-1] {
			return nil, wrong("%s has the key %q twice", name, outside.Word(keys[i]))
		}
	}
	return fields, nil
}

// section is one part of a Spec.
type section struct {
	key    string
	omit   bool // where nothing is in it
	fields []field
}

func (section *section) empty() bool {
	return !slices.ContainsFunc(section.fields, func(f field) bool { return !f.empty() })
}

func (f *field) empty() bool {
	return f.value.IsZero() || f.value.Kind() == reflect.Slice && f.value.Len() == 0
}

// field is one key of a section.
type field struct {
	key, flag string
	omit      bool // where it is empty
	value     reflect.Value

	// Of an option that describes itself:
	option *option.Field
	of     any
	set    func(json.RawMessage) error
}

// sections lists all keys of a Spec in their order.
func sections(s *Spec) []section { return sectionsOf(s, nil) }

// sectionsOf has the keys of all paces where draft takes them, else those of the one.
func sectionsOf(s *Spec, draft *pace.Draft) (list []section) {
	all := reflect.ValueOf(s).Elem()
	for i := range all.NumField() {
		outer := all.Type().Field(i)
		if outer.Type.Kind() != reflect.Struct {
			continue // the version
		}
		key, options, _ := strings.Cut(outer.Tag.Get("json"), ",")
		one := section{key: key, omit: options != ""}
		for k := range outer.Type.NumField() {
			inner := outer.Type.Field(k)
			if inner.Anonymous || inner.Tag.Get("json") == "-" {
				continue // options, which describe themselves
			}
			key, options, _ := strings.Cut(inner.Tag.Get("json"), ",")
			flag := inner.Tag.Get("cli")
			if flag == "" {
				flag = strings.ReplaceAll(key, "_", "-")
			}
			one.fields = append(one.fields, field{key: key, flag: flag, omit: options != "", value: all.Field(i).Field(k)})
		}
		one.fields = append(one.fields, s.optionKeys(one.key, draft)...)
		list = append(list, one)
	}
	return list
}

// Keys are the keys of a Spec by their flags.
func Keys() map[string]string {
	keys := map[string]string{}
	var none Spec
	for _, section := range sections(&none) {
		for _, f := range section.fields {
			keys[f.flag] = section.key + "." + f.key
		}
	}
	for _, k := range workload.Kinds() {
		for _, f := range optionFields(k.Options(), false) {
			keys[f.flag] = "dataset." + f.key
		}
	}
	for _, f := range pace.Fields() {
		keys[strings.TrimPrefix(option.FlagName([]option.Field{f}, f.Key), "--")] = "pace." + f.Key
	}
	return keys
}

var flagName = regexp.MustCompile(`--[a-z][a-z0-9-]*`)

// InFile puts the keys of a file in the place of flags in an error of Validate.
func InFile(err error) error {
	var u *usage.Error
	if !errors.As(err, &u) {
		return err
	}
	keys := Keys()
	keys["targets"] = "server.urls"
	in := func(text string) string {
		return flagName.ReplaceAllStringFunc(text, func(flag string) string {
			if key, ok := keys[flag[2:]]; ok {
				return key
			}
			return flag
		})
	}
	said := *u
	if u.Flag != "" {
		said.Flag, said.Text = "", "--"+u.Flag+" "+u.Text
	}
	said.Text, said.Hint = in(said.Text), in(said.Hint)
	return &said
}
