package spec

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/inferometer/inferometer/internal/option"
	"github.com/inferometer/inferometer/internal/outside"
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
	for _, section := range s.sections(nil) {
		var body bytes.Buffer
		for _, k := range section.keys {
			if k.omitted() {
				continue
			}
			value, err := k.field.JSON(k.of)
			if err != nil {
				return nil, fmt.Errorf("%s.%s: %w", section.name, k.field.Key, err)
			}
			fmt.Fprintf(&body, "%s%q:%s", separator(body.Len(), '{'), k.field.Key, value)
		}
		switch {
		case body.Len() > 0:
			fmt.Fprintf(&b, ",%q:%s}", section.name, body.Bytes())
		case section.name != "fleet": // nothing is said of one where there is none
			fmt.Fprintf(&b, ",%q:{}", section.name)
		}
	}
	b.WriteByte('}')
	return b.Bytes(), nil
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
	asked := func(flag string) bool { return given[flag] }
	if err := s.TakeAddresses(asked); err != nil {
		return nil, inFile(err)
	}
	s.Resolve(asked)
	s.May = &Allowed{closed: true}
	if err := s.Validate(); err != nil {
		return nil, inFile(err)
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
	for _, section := range s.sections(draft) {
		known = append(known, section.name)
		body, ok := top[section.name]
		if !ok {
			continue
		}
		delete(top, section.name)
		values, err := members(section.name, body)
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
		err = inFile(s.SetPace(draft))
	}
	return given, err
}

func (section *section) read(values map[string]json.RawMessage, given map[string]bool) error {
	var known []string
	for _, k := range section.keys {
		key := k.field.Key
		known = append(known, key)
		value, ok := values[key]
		if !ok {
			continue
		}
		delete(values, key)
		given[k.field.Flag] = true
		var e *option.Error
		if err := k.setJSON(value); errors.As(err, &e) {
			return wrong("%s.%s %s", section.name, key, e.Text(func(key string) string { return key }))
		} else if err != nil {
			return wrong("%s.%s %s", section.name, key, err)
		}
	}
	for key := range values {
		return wrong("%q is no key of %s: there are %s", outside.Word(key), section.name, strings.Join(known, ", "))
	}
	return nil
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

// inFile names options by the keys of a file in an error.
func inFile(err error) error {
	var u *usage.Error
	if !errors.As(err, &u) {
		return err
	}
	keys := Keys()
	keys["targets"] = "server.urls"
	return u.Named(func(flag string) string {
		if key, ok := keys[flag]; ok {
			return key
		}
		return "--" + flag
	})
}
