package argv

import "slices"

// Bare lets words that stand by themselves be the values of flags, in the order of the flags, as
// far as is knows them: an address is a server's, and needs no --base-url before it.
func (s *Set) Bare(is func(word string) bool, flags ...string) {
	s.bare = nil
	s.isBare = is
	for _, name := range flags {
		s.bare = append(s.bare, s.byName[name].flag)
	}
}

// takeBare is a word as the value of a flag; ok is false where it is none. n is how many came before.
func (s *Set) takeBare(word string, n, arg int) (o occurrence, ok bool) {
	if n >= len(s.bare) || !s.isBare(word) {
		return o, false
	}
	return occurrence{flag: s.bare[n], values: []string{word}, source: FromCommandLine, arg: arg, bare: true}, true
}

// twice is for a flag that was given by its name and by a word that stands by itself.
func twice(found []occurrence) error {
	for _, o := range found {
		if o.bare && slices.ContainsFunc(found, func(other occurrence) bool { return other.flag == o.flag && !other.bare }) {
			return Errorf(o.flag.Name, "is given, and %s beside it", o.flag.shown(o.values[0])).WithHint("give one of them")
		}
	}
	return nil
}

// shown is a value of the flag as it may be shown.
func (f *Flag) shown(value string) string {
	if f.redact == nil {
		return value
	}
	return f.redact(value)
}
