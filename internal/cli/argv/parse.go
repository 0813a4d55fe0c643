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
	if err := s.take(found, unknown, args); err != nil {
		return err
	}
	return s.takeOperands(args, operands)
}

// take stores what was found, over what a config says. args are the arguments that it was found
// in; nil: it was not typed.
func (s *Set) take(found []occurrence, unknown []stranger, args []string) error {
	configured, err := s.fromConfig(found)
	if err != nil {
		return err
	}
	if refused := append(s.unknownErrors(unknown), refusedErrors(found)...); len(refused) > 1 {
		return s.mended(together(s.name, refused), args)
	}
	all := append(configured, found...)
	s.given = append(s.given, all...)
	if err := s.apply(all); err != nil {
		return err
	}
	if len(unknown) > 0 {
		return s.mended(s.unknownError(unknown[0]), args)
	}
	return nil
}

// scan finds the flags with their values. An unknown flag does not stop it, so
// that help and the mistakes that matter more are seen first, as with argparse, and
// all unknown ones are told at once.
func (s *Set) scan(args []string) (found []occurrence, operands []int, unknown []stranger, err error) {
	bare := 0
	for i := 0; i < len(args); {
		if args[i] == "--" {
			for i++; i < len(args); i++ {
				operands = append(operands, i)
			}
			return found, operands, unknown, nil
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
			operands = append(operands, i-1)
		case t.ambiguous != nil:
			return nil, nil, nil, ambiguousError(t)
		case t.spelling.flag == nil:
			unknown = append(unknown, stranger{t.name, s.following(t, args[i:])})
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
		return o, 0, Errorf(f.Name, "takes no value, but was given %q", t.value).WithHint("%s", f.withoutValue(t.value))
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
	if s.pasted(arg) != "" {
		return token{isFlag: true, name: arg}
	}
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
	} else if f := s.byShort[arg[1]]; f != nil && s.oneDash(name) == "" {
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
	added := map[*Flag][]string{}
	for _, o := range found {
		if o.flag.adds {
			if s.seen[o.flag] != o.source { // the command line replaces what the config says
				added[o.flag] = nil
			}
			added[o.flag] = append(added[o.flag], o.values...)
			o.values = added[o.flag]
		}
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
	if o.source == FromCommandLine && slices.ContainsFunc(o.values, quotedByPage) {
		return Errorf("", "has a value in the quotes of a web page").WithHint(`type it in the shell's own, ' or "`)
	}
	if o.path != nil {
		return dotted.add(o)
	}
	if err := dotted.replacedBy(o); err != nil {
		return err
	}
	return f.store(o.values)
}

func (s *Set) takeOperands(args []string, at []int) error {
	s.operands = nil
	for _, i := range at {
		s.operands = append(s.operands, args[i])
	}
	if len(at) > s.operandsN {
		return s.extraOperand(args, at[s.operandsN])
	}
	if len(at) < s.minOperands {
		return Errorf("", "%s is missing", s.operandName)
	}
	return nil
}

// extraOperand says what is wrong with an argument that has no place.
func (s *Set) extraOperand(args []string, at int) error {
	extra := args[at]
	if name, _, ok := strings.Cut(extra, "="); ok && strings.HasPrefix(name, "--") {
		return s.unknownError(stranger{name: name}) // a misspelt flag whose value has a space in it
	}
	err := Errorf("", "unexpected argument %q", extra)
	before := func(n int) *Flag {
		if at < n {
			return nil
		}
		return s.classify(args[at-n]).spelling.flag
	}
	if f := before(1); f != nil && (f.arity == NoValue || f.arity == triValue) {
		return err.WithHint("--%s is a switch: %s", f.Name, f.withoutValue(extra))
	}
	if f := before(2); f != nil && f.arity == OneValue {
		return err.WithHint("--%s takes one value, and has %q: one with spaces in it needs quotes", f.Name, args[at-1])
	}
	return err
}

// withoutValue says how a switch is typed that was given a value.
func (f *Flag) withoutValue(value string) string {
	switch off := slices.Contains([]string{"false", "0", "no", "off"}, strings.ToLower(value)); {
	case off && f.arity == triValue:
		return "type --no-" + f.Name
	case off:
		return "leave it out"
	}
	return "type --" + f.Name + " alone"
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
