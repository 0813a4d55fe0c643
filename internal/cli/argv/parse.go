package argv

import (
	"slices"
	"strconv"
	"strings"

	"github.com/inferometer/inferometer/internal/option"
)

// occurrence is one place where a flag was set.
type occurrence struct {
	flag   *Flag
	values []string
	path   []string // the keys of --flag.key.key, for JSON flags
	source Source
	file   string
	line   int

	arg    int  // index of the flag in the arguments, to redact its values
	inline bool // --flag=value
	bare   bool // the value alone, and arg is its own index
}

// token is one argument, understood as argparse understands it.
type token struct {
	isFlag    bool
	spelling  spelling // flag is nil for an unknown name
	path      []string
	name      string // as typed, without value
	value     string
	hasValue  bool
	ambiguous []string
}

// Parse reads the arguments, without the names of program and command. It returns
// ErrHelp if help was asked for, and a *UsageError for everything that is wrong.
func (s *Set) Parse(args []string) error {
	found, operands, unknown, err := s.scan(args)
	if err != nil {
		return err // help, or a flag that could not be read: there is no rest
	}
	if err := twice(found); err != nil {
		return err
	}
	if err := s.take(found, unknown); err != nil {
		return err
	}
	return s.takeOperands(operands)
}

// take stores what was found, over what a config says.
func (s *Set) take(found []occurrence, unknown []string) error {
	configured, err := s.fromConfig(found)
	if err != nil {
		return err
	}
	if refused := append(s.unknownErrors(unknown), refusedErrors(found)...); len(refused) > 1 {
		return together(s.name, refused)
	}
	all := append(configured, found...)
	s.given = append(s.given, all...)
	if err := s.apply(all); err != nil {
		return err
	}
	if len(unknown) > 0 {
		return s.unknownErrors(unknown)[0]
	}
	return nil
}

// scan finds the flags with their values. An unknown flag does not stop it, so
// that help and the mistakes that matter more are seen first, as with argparse, and
// all unknown ones are told at once.
func (s *Set) scan(args []string) (found []occurrence, operands, unknown []string, err error) {
	bare := 0
	for i := 0; i < len(args); {
		if args[i] == "--" {
			return found, append(operands, args[i+1:]...), unknown, nil
		}
		if args[i] == HelpAll || args[i] == "--help=all" { // the second as vLLM has it
			return nil, nil, nil, ErrHelpAll
		}
		t := s.classify(args[i])
		i++
		switch {
		case !t.isFlag:
			if o, ok := s.takeBare(args[i-1], bare, i-1); ok {
				found = append(found, o)
				bare++
				continue
			}
			operands = append(operands, args[i-1])
		case t.ambiguous != nil:
			return nil, nil, nil, ambiguousError(t)
		case t.spelling.flag == nil:
			unknown = append(unknown, t.name)
		case t.spelling.flag.Name == "help" && !t.hasValue:
			return nil, nil, nil, ErrHelp
		default:
			o, used, err := s.values(t, args[i:])
			if err != nil {
				return nil, nil, nil, err
			}
			o.arg = i - 1
			i += used
			found = append(found, o)
		}
	}
	return found, operands, unknown, nil
}

// values gives the flag its values, from the token or from the arguments after it.
func (s *Set) values(t token, rest []string) (o occurrence, used int, err error) {
	f := t.spelling.flag
	o = occurrence{flag: f, path: t.path, source: FromCommandLine, inline: t.hasValue}
	switch {
	case (f.arity == NoValue || f.arity == triValue) && t.hasValue:
		return o, 0, Errorf(f.Name, "takes no value, and was given %q", t.value)
	case f.arity == NoValue:
		return o, 0, nil
	case f.arity == triValue:
		o.values = []string{strconv.FormatBool(!t.spelling.negated)}
		return o, 0, nil
	case t.hasValue:
		o.values = []string{t.value} // a list too: --x=a takes a alone, as with argparse
		return o, 0, nil
	}
	most := len(rest)
	if f.arity == OneValue {
		most = min(most, 1)
	}
	for used < most && rest[used] != "--" && !s.classify(rest[used]).isFlag {
		used++
	}
	o.values = slices.Clone(rest[:used])
	if used == 0 && f.arity != ZeroOrMore {
		err := Errorf(f.Name, "needs a value")
		if len(rest) > 0 && rest[0] != "--" {
			err = err.WithHint("a value that begins with a dash is written --%s=%s", f.Name, rest[0])
		}
		return o, 0, err
	}
	return o, used, nil
}

// classify tells a flag from a value. The order of the questions is argparse's:
// a name wins over a negative number, and what has a space in it is a value
// unless it begins like a flag that exists.
func (s *Set) classify(arg string) token {
	if len(arg) < 2 || arg[0] != '-' || arg == "--" {
		return token{}
	}
	name, value, hasValue := strings.Cut(arg, "=")
	t := token{isFlag: true, name: name, value: value, hasValue: hasValue}
	if s.isForeign(name) {
		return t
	}
	if strings.HasPrefix(arg, "--") {
		t.spelling, t.path, t.ambiguous = s.resolve(name[2:])
	} else if f := s.byShort[arg[1]]; f != nil {
		t.spelling.flag = f
		if len(name) > 2 { // -oVALUE
			t.name, t.value, t.hasValue = arg[:2], arg[2:], true
		}
	}
	if t.spelling.flag == nil && t.ambiguous == nil && (isNegativeNumber(arg) || strings.Contains(arg, " ")) {
		return token{}
	}
	return t
}

// isNegativeNumber also knows -1e5, which argparse learnt only lately.
func isNegativeNumber(arg string) bool {
	if arg[1] != '.' && (arg[1] < '0' || arg[1] > '9') {
		return false
	}
	_, err := option.ParseFloat(arg)
	return err == nil
}

// normalize writes a name with dashes, up to the first dot: what follows a dot
// are keys of a JSON value, where an underscore is an underscore.
func normalize(name string) string {
	head, tail, dotted := strings.Cut(name, ".")
	head = strings.ReplaceAll(head, "_", "-")
	if dotted {
		return head + "." + tail
	}
	return head
}

// resolve finds the flag with this name, or the only one that begins with it.
func (s *Set) resolve(typed string) (sp spelling, path, ambiguous []string) {
	name, keys, dotted := strings.Cut(normalize(typed), ".")
	sp, ok := s.byName[name]
	if !ok {
		if sp, ambiguous = s.byPrefix(name); ambiguous != nil {
			return spelling{}, nil, ambiguous
		}
	}
	if dotted {
		if sp.flag == nil || sp.flag.shape != jsonText || keys == "" {
			return spelling{}, nil, nil
		}
		path = strings.Split(keys, ".")
	}
	return sp, path, nil
}

func (s *Set) byPrefix(prefix string) (only spelling, ambiguous []string) {
	var names []string
	for name, sp := range s.byName {
		if strings.HasPrefix(name, prefix) && !sp.whole {
			names = append(names, name)
			if len(names) > 1 && sp != only {
				ambiguous = names
			}
			only = sp
		}
	}
	if ambiguous == nil {
		return only, nil
	}
	slices.Sort(names)
	return spelling{}, names
}

// apply stores the values. Later ones overwrite earlier ones, so the config goes first.
func (s *Set) apply(found []occurrence) error {
	dotted := dottedValues{}
	for _, o := range found {
		if err := s.applyOne(o, dotted); err != nil {
			return at(err, o.flag.Name, o.file, o.line)
		}
		s.seen[o.flag] = o.source
	}
	return dotted.store()
}

func (s *Set) applyOne(o occurrence, dotted dottedValues) error {
	f := o.flag
	if f.Unsupported != "" {
		return Errorf("", "is not supported: %s", f.Unsupported)
	}
	if o.path != nil {
		return dotted.add(o)
	}
	if err := dotted.replacedBy(o); err != nil {
		return err
	}
	return f.store(o.values)
}

func (s *Set) takeOperands(operands []string) error {
	s.operands = operands
	if len(operands) > s.operandsN {
		extra := operands[s.operandsN]
		err := Errorf("", "unexpected argument %q", extra)
		if name, _, ok := strings.Cut(extra, "="); ok && strings.HasPrefix(name, "--") {
			return s.unknownError(name) // a misspelt flag whose value has a space in it
		}
		return err
	}
	if len(operands) < s.minOperands {
		return Errorf("", "%s is missing", s.operandName).WithHint("see %s --help", s.name)
	}
	return nil
}

// isForeign says that a name is another program's, and none of this command's own.
func (s *Set) isForeign(name string) bool {
	_, known := s.foreign[normalize(name)]
	_, own := s.byName[strings.TrimPrefix(normalize(name), "--")]
	return known && !own && !(len(name) == 2 && s.byShort[name[1]] != nil)
}

func (s *Set) unknownErrors(names []string) (errs []*UsageError) {
	for i, name := range names {
		if !slices.Contains(names[:i], name) {
			errs = append(errs, s.unknownError(name))
		}
	}
	return errs
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
	return Errorf("", "%d flags can't be taken by %s:%s", len(errs), command, strings.Join(lines, ""))
}

func (s *Set) unknownError(name string) *UsageError {
	if advice := s.foreign[normalize(name)]; advice != "" {
		return Errorf("", "%s %s", name, advice)
	}
	err := Errorf("", "%s is not a flag of %s", name, s.name)
	if near := s.nearest(normalize(strings.TrimLeft(name, "-"))); near != "" {
		return err.WithHint("did you mean --%s?", near)
	}
	return err.WithHint("see %s --help", s.name)
}

func ambiguousError(t token) error {
	const most = 12
	names := t.ambiguous
	more := ""
	if len(names) > most {
		more = " and " + strconv.Itoa(len(names)-most) + " more"
		names = names[:most]
	}
	return Errorf("", "%s is ambiguous: it could be --%s%s", t.name, strings.Join(names, ", --"), more)
}
