package argv

import (
	"slices"
	"strings"

	"github.com/inferometer/inferometer/internal/option"
	"github.com/inferometer/inferometer/internal/outside"
)

// Given returns what the command line and the config have set, in the order in which it was
// applied: what a command hands on to another one.
func (s *Set) Given() (list option.Settings) {
	for _, o := range s.given {
		if o.flag == s.configFlag {
			continue // what it says is here
		}
		one := option.Setting{Flag: strings.Join(append([]string{o.flag.Name}, o.path...), "."), Values: o.values, Joined: o.inline}
		switch {
		case o.flag.arity == triValue && o.values[0] == "false":
			one = option.Setting{Flag: "no-" + o.flag.Name}
		case o.flag.arity == triValue, o.flag.arity == NoValue:
			one.Values = nil
		}
		list = append(list, one)
	}
	return list
}

// Lay gives flags the values that settings have for them, by the rules of Parse: no text is
// made of them.
func (s *Set) Lay(settings option.Settings) error {
	var found []occurrence
	var unknown []stranger
	for _, one := range settings {
		sp, path, ambiguous := s.resolve(one.Flag)
		switch {
		case s.isForeign("--" + one.Flag):
			unknown = append(unknown, stranger{"--" + one.Flag, one.Values})
			continue
		case ambiguous != nil:
			return ambiguousError(token{name: "--" + one.Flag, ambiguous: ambiguous})
		case sp.flag == nil:
			unknown = append(unknown, stranger{"--" + one.Flag, one.Values})
			continue
		}
		f := sp.flag
		o := occurrence{flag: f, path: path, values: one.Values, source: FromCommandLine, inline: one.Joined}
		switch n := len(one.Values); {
		case f.arity == triValue && n == 0:
			o.values = []string{"true"}
			if sp.negated {
				o.values = []string{"false"}
			}
		case (f.arity == NoValue || f.arity == triValue) && n > 0:
			return Errorf(f.Name, "takes no value, but was given %q", one.Values[0]).WithHint("%s", f.withoutValue(one.Values[0]))
		case f.arity == OneValue && n > 1:
			return Errorf(f.Name, "takes one value, and was given %d", n)
		case n == 0 && (f.arity == OneValue || f.arity == OneOrMore):
			return Errorf(f.Name, "needs a value")
		}
		found = append(found, o)
	}
	return s.take(found, unknown, nil)
}

// Hidden returns the settings with the values of secret flags replaced, for people to read.
func (s *Set) Hidden(settings option.Settings) option.Settings {
	shown := slices.Clone(settings)
	for i, one := range shown {
		sp, path, _ := s.resolve(one.Flag)
		if sp.flag == nil || sp.flag.redact == nil {
			continue
		}
		shown[i].Values = slices.Clone(one.Values)
		for k, v := range one.Values {
			shown[i].Values[k] = sp.flag.redacted(v, path)
		}
	}
	return shown
}

// redacted returns a flag's value as it may be shown; path are the keys of --flag.key.key.
func (f *Flag) redacted(value string, path []string) string {
	if len(path) > 0 && outside.SecretName(path[len(path)-1]) {
		return outside.Redacted
	}
	return f.redact(value)
}
