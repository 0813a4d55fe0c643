package argv

import (
	"slices"
	"strings"

	"github.com/inferometer/inferometer/internal/compat/shlex"
	"github.com/inferometer/inferometer/internal/outside"
)

// stranger is a flag that the command does not have, with the arguments that may be its values.
type stranger struct {
	name string
	rest []string
}

// Foreign is what there is to say about a flag of another program.
type Foreign struct {
	Advice  string   // reads on from the name ("is the engine's: give it to vllm serve")
	Values  int      // how many of the arguments after it are its values
	Instead []string // what to type in place of it and its values
	Mended  bool     // Instead is all that has to be typed; it may be nothing
}

// Foreign names flags of other programs, dashes included, that people bring along. The advice
// reads on from the name. They are never taken for an abbreviation.
func (s *Set) Foreign(advice string, names ...string) {
	for _, name := range names {
		s.ForeignBy(name, func([]string) Foreign { return Foreign{Advice: advice} })
	}
}

// ForeignBy is Foreign for one flag of which more can be said with the arguments that follow it.
func (s *Set) ForeignBy(name string, advise func(rest []string) Foreign) {
	s.foreign[normalize(name)] = advise
}

// ForeignFirst says that names are those of the other program even if we have them too: the
// command line was written for it.
func (s *Set) ForeignFirst(names ...string) {
	s.foreignFirst = map[string]bool{}
	for _, name := range names {
		s.foreignFirst[normalize(name)] = true
	}
}

// Advice is what there is to say about a flag of another program; empty: it is none.
func (s *Set) Advice(name string) string {
	if advise := s.foreign[normalize(name)]; advise != nil {
		return advise(nil).Advice
	}
	return ""
}

// Typed is how the command is called where it is not by its name.
func (s *Set) Typed(words string) { s.typed = words }

// Elsewhere gives the command a way to ask which others have a flag: "it is a flag of find".
func (s *Set) Elsewhere(ask func(name string) string) { s.elsewhere = ask }

// isForeign says that a name is another program's, and none of this command's own.
func (s *Set) isForeign(name string) bool {
	_, known := s.foreign[normalize(name)]
	if s.foreignFirst[normalize(name)] {
		return known
	}
	_, own := s.byName[strings.TrimPrefix(normalize(name), "--")]
	return known && !own && !(len(name) == 2 && s.byShort[name[1]] != nil)
}

// following are the values that an unknown flag may have: its own, or the arguments up to the next flag.
func (s *Set) following(t token, rest []string) []string {
	if t.hasValue {
		return []string{t.value}
	}
	n := 0
	for n < len(rest) && rest[n] != "--" && !s.classify(rest[n]).isFlag {
		n++
	}
	return rest[:n]
}

// dashes are what web pages and word processors make of a hyphen.
const dashes = "\u2010\u2011\u2012\u2013\u2014\u2015\u2212"

// quotedByPage says that a value begins with a quote that no shell takes for one.
func quotedByPage(value string) bool {
	return strings.HasPrefix(value, "\u201c") || strings.HasPrefix(value, "\u201d") || strings.HasPrefix(value, "\u2018") || strings.HasPrefix(value, "\u2019")
}

// pasted is the flag that an argument was before a web page changed its dashes or its space;
// empty: it is none.
func (s *Set) pasted(arg string) string {
	if !strings.ContainsAny(arg, dashes+"\u00a0") {
		return ""
	}
	name := strings.TrimLeft(arg, "-"+dashes)
	if name == arg {
		return ""
	}
	name, _, _ = strings.Cut(name, "=")
	name, _, _ = strings.Cut(name, "\u00a0")
	for _, dash := range dashes {
		name = strings.ReplaceAll(name, string(dash), "-")
	}
	if s.Lookup(name) == nil {
		return ""
	}
	return "--" + normalize(name)
}

// oneDash is the flag that a name with a single dash was meant to be; empty: none.
func (s *Set) oneDash(name string) string {
	if bare := strings.TrimPrefix(name, "-"); len(bare) > 1 && s.byName[normalize(bare)].flag != nil {
		return "--" + normalize(bare)
	}
	return ""
}

func (s *Set) unknownErrors(all []stranger) (errs []*UsageError) {
	for i, one := range all {
		if !slices.ContainsFunc(all[:i], func(before stranger) bool { return before.name == one.name }) {
			errs = append(errs, s.unknownError(one))
		}
	}
	return errs
}

func (s *Set) unknownError(one stranger) *UsageError {
	name := one.name
	if meant := s.pasted(name); meant != "" {
		what := "a dash that a web page made from a hyphen"
		if strings.Contains(name, "\u00a0") {
			what = "a space of a web page, which a shell takes for a letter"
		}
		return Errorf("", "%q has %s", name, what).WithHint("type %s", meant)
	}
	if advise := s.foreign["--"+normalize(strings.TrimPrefix(name, "--"))]; advise != nil { // a key of a config has no dashes
		return advised("%s %s", name, advise(one.rest).Advice)
	}
	if advise := s.foreign[name]; advise != nil {
		return advised("%s %s", name, advise(one.rest).Advice)
	}
	if meant := s.oneDash(name); meant != "" {
		return Errorf("", "%s has one dash", name).WithHint("type %s", meant)
	}
	err := Errorf("", "%s is not a flag of %s", outside.Word(name), s.name)
	var hints []string
	bare := normalize(strings.TrimLeft(name, "-"))
	if near := s.nearest(bare); near != "" {
		hints = append(hints, "did you mean --"+near+"?")
	}
	if s.elsewhere != nil && strings.HasPrefix(name, "-") {
		if where := s.elsewhere(outside.Word(name)); where != "" {
			hints = append(hints, where)
		}
	}
	if len(hints) > 0 {
		return err.WithHint("%s", strings.Join(hints, " "))
	}
	return err
}

// advised is an error whose text says what to do.
func advised(format string, args ...any) *UsageError {
	err := Errorf("", format, args...)
	err.Advised = true
	return err
}

// refusedErrors are for flags that are known and not supported.
func refusedErrors(found []occurrence) (errs []*UsageError) {
	for _, o := range found {
		if o.flag.Unsupported != "" {
			errs = append(errs, Errorf(o.flag.Name, "is not supported: %s", o.flag.Unsupported))
		}
	}
	return errs
}

// together is one error of several: who brings a command line of another program
// wants to mend it once.
func together(command string, errs []*UsageError) *UsageError {
	lines := make([]string, len(errs))
	for i, err := range errs {
		lines[i] = "\n  " + err.Error()
	}
	all := Errorf("", "%d flags are not accepted by %s:%s", len(errs), command, strings.Join(lines, ""))
	all.Advised = !slices.ContainsFunc(errs, func(err *UsageError) bool { return err.Hint == "" && !err.Advised })
	return all
}

// mended adds to the error of flags of other programs the whole command line that has ours,
// where nothing else is wrong with it.
func (s *Set) mended(err *UsageError, args []string) *UsageError {
	if line, ok := s.Mend(args); ok && args != nil {
		return advised("%s\nType:\n  %s", err.Error(), s.typed+" "+shlex.Join(line))
	}
	return err
}

// Mend writes a command line with our names for the flags of other programs, secrets hidden.
// It is false where it can't: a flag has no equal, or is no other program's.
func (s *Set) Mend(args []string) (line []string, ok bool) {
	for i := 0; i < len(args); {
		if args[i] == "--" {
			return append(line, args[i:]...), true
		}
		t := s.classify(args[i])
		i++
		if !t.isFlag || t.spelling.flag != nil {
			line = append(line, args[i-1])
			continue
		}
		advise := s.foreign[normalize(t.name)]
		if advise == nil || s.pasted(t.name) != "" {
			return nil, false
		}
		told := advise(s.following(t, args[i:]))
		if !told.Mended {
			return nil, false
		}
		line = append(line, told.Instead...)
		if !t.hasValue {
			i += told.Values
		}
	}
	return s.Redacted(line), true
}
