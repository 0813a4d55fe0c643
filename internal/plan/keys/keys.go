// Package keys has the scenario keys of what describes itself: the options of
// datasets in the section workload, and those of arrival processes in pace. They are
// read from the registries, so that a new dataset brings its keys along.
package keys

import (
	"errors"
	"slices"

	"github.com/inferometer/inferometer/internal/option"
	"github.com/inferometer/inferometer/internal/send/pace"
	"github.com/inferometer/inferometer/internal/send/workload"
)

// Section is the part of a scenario's section that registries describe.
type Section []*key

// key is one key, and whose option it is.
type key struct {
	name   string
	owners []owner
}

// owner is a choice that has an option of this key.
type owner struct {
	name  string // of the dataset; empty: of all
	field option.Field
	fresh func() any // options to try a value on
}

// Values are the texts that a file gives, by key.
type Values map[string]string

// ofSection are the keys with a place of their own in a scenario.
var ofSection = []string{"path", "rate"}

// Workload are the keys of datasets.
func Workload() Section {
	var s Section
	for _, k := range workload.Kinds() {
		for _, f := range option.Fields(k.Options()) {
			s.add(f.Key, owner{k.Name, f, k.Options})
			if f.Also != "" {
				s.add(f.Also, owner{k.Name, f, k.Options})
			}
		}
	}
	fresh := func() any { return &workload.Shared{} }
	for _, f := range option.Fields(fresh()) {
		s.add(f.Key, owner{"", f, fresh})
	}
	return s
}

// Eval are the keys of questions, but for those with a place of their own in the section.
func Eval() Section {
	var s Section
	for _, k := range Workload() {
		i := slices.IndexFunc(k.owners, func(o owner) bool { return o.name == workload.EvalName })
		if i >= 0 && k.name != "task" && k.name != "examples" {
			s.add(k.name, k.owners[i])
		}
	}
	return s
}

// Pace are the keys of arrival processes. One without a flag is for a Spec only.
func Pace() Section {
	var s Section
	for _, k := range pace.Kinds() {
		for _, f := range option.Fields(k.Options()) {
			if f.Flag != "" {
				s.add(f.Key, owner{k.Name, f, k.Options})
			}
		}
	}
	return s
}

func (s *Section) add(name string, o owner) {
	if slices.Contains(ofSection, name) {
		return
	}
	i := slices.IndexFunc(*s, func(k *key) bool { return k.name == name })
	if i < 0 {
		i = len(*s)
		*s = append(*s, &key{name: name})
	}
	(*s)[i].owners = append((*s)[i].owners, o)
}

// Names are the keys in the order of the registries.
func (s Section) Names() []string {
	names := make([]string, len(s))
	for i, k := range s {
		names[i] = k.name
	}
	return names
}

// Many says that a key may hold a list.
func (s Section) Many(name string) bool {
	return slices.ContainsFunc(s, func(k *key) bool { return k.name == name && k.owners[0].field.Many })
}

// Check says what is wrong with a value, if no choice could take it. The text reads on
// from the key.
func (s Section) Check(name, text string) error {
	var first error
	for _, k := range s {
		if k.name != name {
			continue
		}
		for _, o := range k.owners {
			v := o.fresh()
			err := o.field.SetText(v, text)
			if err == nil {
				err = o.field.Check(v)
			}
			if err == nil {
				return nil
			}
			if first == nil {
				first = err
			}
		}
	}
	var e *option.Error
	if errors.As(first, &e) {
		return errors.New(e.Text(func(key string) string { return key }))
	}
	return first
}

// Settings are those of bench serve for some values, where a choice was made. A key
// that the choice does not know becomes the flag of another one: bench serve notes
// that it has no effect.
func (s Section) Settings(chosen string, values Values) (list option.Settings) {
	for _, k := range s {
		text, given := values[k.name]
		if !given {
			continue
		}
		i := max(slices.IndexFunc(k.owners, func(o owner) bool { return o.name == chosen }), 0)
		f := k.owners[i].field
		switch {
		case f.Kind != option.Bool:
			list.Add(flagOf(&f), text)
		case text == "true":
			list.Add(f.Flag)
		case f.CanBeOff():
			list.Add("no-" + f.Flag)
		}
	}
	return list
}

// flagOf is the general flag where there is one: it reads the same for all datasets.
func flagOf(f *option.Field) string {
	if f.Follows == "input-len" || f.Follows == "output-len" {
		return f.Follows
	}
	return f.Flag
}
