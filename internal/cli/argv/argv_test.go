package argv

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/inferometer/inferometer/internal/option"
	"github.com/inferometer/inferometer/internal/outside"
)

var inf = math.Inf(1)

// everything is a set with one flag of each kind.
type everything struct {
	name     string
	n        int
	opt      *int
	ratio    *float64
	wait     time.Duration
	choice   string
	on       bool
	tri      *bool
	pairs    []Pair
	limits   []Pair
	list     []string
	body     json.RawMessage
	words    []string
	numbers  []float64
	anything string
}

func newEverything() (*Set, *everything) {
	s, v := New("tool go", "Does it."), &everything{}
	s.Config()
	s.String(&v.name, "name", "nobody", "A name.", Alias("title"), Short('n'))
	s.Int(&v.n, "count", 3, "How many.")
	s.OptInt(&v.opt, "limit", "At most.")
	s.OptFloat(&v.ratio, "ratio", "A ratio.")
	s.Duration(&v.wait, "wait", 10*time.Minute, "How long.")
	s.Choice(&v.choice, "colour", "red", []string{"red", "blue"}, "Which.", Later("is not mixed yet", "green"))
	s.Bool(&v.on, "on", "A switch.")
	s.TriBool(&v.tri, "maybe", "A switch with three states.")
	s.KeyValues(&v.pairs, "header", ZeroOrMore, "Headers.", Redact(RedactPair))
	s.Option(option.Field{Flag: "goodput", Kind: option.Several, Some: true, Separator: ":", Metavar: "KEY:VALUE", Help: "Limits."}, func(texts []string) error {
		v.limits = nil
		for _, text := range texts {
			key, value, ok := strings.Cut(text, ":")
			if !ok {
				return Errorf("", "needs KEY:VALUE, not %q", text)
			}
			v.limits = append(v.limits, Pair{key, value})
		}
		return nil
	})
	s.Strings(&v.list, "list", OneOrMore, "Things.")
	s.Option(option.Field{Flag: "body", Kind: option.JSON, Metavar: "JSON", Help: "A body."}, func(texts []string) (err error) {
		v.body, err = option.ParseJSON(texts[0], true)
		return err
	})
	s.CSV(&v.words, "words", []string{"a"}, "Words.")
	v.numbers = []float64{99}
	s.Option(option.Field{Flag: "numbers", Kind: option.Numbers, Default: "99", Metavar: "X,Y,…", Help: "Numbers."}, func(texts []string) (err error) {
		v.numbers, err = option.ParseNumbers(texts[0])
		return err
	})
	s.Custom("range", "0", "A number or a mapping.", func(text string) error { v.anything = text; return nil })
	s.Unsupported("profile", NoValue, "there is nothing to profile here")
	s.Unsupported("probe-rate", OneValue, "probes are not sent")
	s.UnsupportedTriBool("timed", "traces are not read")
	return s, v
}

func ptr[T any](v T) *T { return &v }

func TestValues(t *testing.T) {
	tests := []struct {
		args string
		want func(*everything)
	}{
		{"", func(*everything) {}},
		{"--title x", func(v *everything) { v.name = "x" }},
		{"-n x", func(v *everything) { v.name = "x" }},
		{"-nx", func(v *everything) { v.name = "x" }},
		{"-n=x", func(v *everything) { v.name = "x" }},
		{"--limit 0", func(v *everything) { v.opt = ptr(0) }},
		{"--limit -5", func(v *everything) { v.opt = ptr(-5) }},
		{"--ratio -1e5", func(v *everything) { v.ratio = ptr(-1e5) }},
		{"--ratio inf", func(v *everything) { v.ratio = ptr(inf) }},
		{"--wait 90s", func(v *everything) { v.wait = 90 * time.Second }},
		{"--wait 1.5", func(v *everything) { v.wait = 1500 * time.Millisecond }},
		{"--maybe", func(v *everything) { v.tri = ptr(true) }},
		{"--maybe --no-maybe", func(v *everything) { v.tri = ptr(false) }},
		{"--header A=1=2 B= --on", func(v *everything) { v.pairs, v.on = []Pair{{"A", "1=2"}, {"B", ""}}, true }},
		{"--header", func(v *everything) { v.pairs = []Pair{} }},
		{"--goodput ttft:100 e2el:2000", func(v *everything) { v.limits = []Pair{{"ttft", "100"}, {"e2el", "2000"}} }},
		{"--list a b --list c", func(v *everything) { v.list = []string{"c"} }},
		{"--body {\"a\":1}", func(v *everything) { v.body = json.RawMessage(`{"a":1}`) }},
		{"--body.a_b 1 --body.c.d=x --bod.c.e [1]", func(v *everything) { v.body = json.RawMessage(`{"a_b":1,"c":{"d":"x","e":[1]}}`) }},
		{"--words b,c", func(v *everything) { v.words = []string{"b", "c"} }},
		{"--numbers 50,99.9", func(v *everything) { v.numbers = []float64{50, 99.9} }},
		{"--range {\"a\":1}", func(v *everything) { v.anything = `{"a":1}` }},
		{"--on --", func(v *everything) { v.on = true }},
	}
	for _, tt := range tests {
		s, got := newEverything()
		_, want := newEverything()
		tt.want(want)
		if err := s.Parse(strings.Fields(tt.args)); err != nil {
			t.Errorf("%s: %v", tt.args, err)
		} else if !reflect.DeepEqual(got, want) {
			t.Errorf("%s:\n got %+v\nwant %+v", tt.args, got, want)
		}
	}
}

func TestErrors(t *testing.T) {
	tests := []struct{ args, want string }{
		{"--count", "--count needs a value"},
		{"--count --on", "--count needs a value; a value that begins with a dash is written --count=--on"},
		{"--count 1.5", `--count needs a whole number, not "1.5"`},
		{"--count 99999999999999999999", "--count value 99999999999999999999 is too large"},
		{"--ratio nan", `--ratio needs a number, not "nan"`},
		{"--ratio 0x1p4", `--ratio needs a number, not "0x1p4"`},
		{"--ratio 1__0", `--ratio needs a number, not "1__0"`},
		{"--wait soon", `--wait needs a time span such as 90s, 2m or 1h30m, not "soon"`},
		{"--wait=-5s", `--wait can't be negative, as "-5s" is`},
		{"--wait 1e300", `--wait needs a time span such as 90s, 2m or 1h30m, not "1e300"`},
		{"--colour pink", `--colour must be one of red, blue, not "pink"`},
		{"--colour green", "--colour green is not mixed yet"},
		{"--on=1", `--on takes no value, but was given "1"; type --on alone`},
		{"--on true", `unexpected argument "true"; --on is a switch: type --on alone`},
		{"--on false", `unexpected argument "false"; --on is a switch: leave it out`},
		{"--count 5 6", `unexpected argument "6"; --count takes one value, and has "5": one with spaces in it needs quotes`},
		{"--count 1k", `--count needs a whole number, not "1k"; write 1000`},
		{"--count 1,000", `--count needs a whole number, not "1,000"; write 1000`},
		{"--count 1e3", `--count needs a whole number, not "1e3"; write 1000`},
		{"--count 10s", `--count needs a whole number, not "10s"; write 10: it has no unit`},
		{"--count “10”", `--count has a value in the quotes of a web page; type it in the shell's own, ' or "`},
		{"--ratio 0,5", `--ratio needs a number, not "0,5"; write 0.5`},
		{"--ratio 50%", `--ratio needs a number, not "50%"; write 0.5 if it is a share`},
		{"--ratio 5/s", `--ratio needs a number, not "5/s"; write 5: it has no unit`},
		{"--wait 10sec", `--wait needs a time span such as 90s, 2m or 1h30m, not "10sec"; write 10s`},
		{"--wait 2days", `--wait needs a time span such as 90s, 2m or 1h30m, not "2days"; write 48h`},
		{"-count 5", "-count has one dash; type --count"},
		{"–count 5", `"–count" has a dash that a web page made from a hyphen; type --count`},
		{"—count=5", `"—count=5" has a dash that a web page made from a hyphen; type --count`},
		{"--header A", `--header needs KEY=VALUE, not "A"`},
		{"--header =1", `--header needs KEY=VALUE, not "=1"`},
		{"--goodput ttft=1", `--goodput needs KEY:VALUE, not "ttft=1"`},
		{"--body [1]", `--body needs a JSON object such as {"key": 1}, not [1]`},
		{"--body.a 1 --body {}", "--body is given whole and by key; use --body or --body.KEY, not both"},
		{"--body {} --body.a 1", "--body is given whole and by key; use --body or --body.KEY, not both"},
		{"--body..a 1", "--body has an empty key in --body..a"},
		{"--name.x 1", "--name.x is not a flag of tool go; did you mean --name?"},
		{"--words a,,b", `--words needs words between commas, not "a,,b"`},
		{"--numbers 1,x", `--numbers needs numbers between commas, not "1,x"`},
		{"--profile", "--profile is not supported: there is nothing to profile here"},
		{"--prof", "--profile is not supported: there is nothing to profile here"},
		{"--probe-rate 2", "--probe-rate is not supported: probes are not sent"},
		{"--no-timed", "--timed is not supported: traces are not read"},
		{"--p 1", "--p is ambiguous: it could be --probe-rate, --profile"},
		{"--conut 5", "--conut is not a flag of tool go; did you mean --count?"},
		{"--xyzzy", "--xyzzy is not a flag of tool go"},
		{"--coutn=5", "--coutn is not a flag of tool go; did you mean --count?"},
		{"stray", `unexpected argument "stray"`},
		{"-q", "-q is not a flag of tool go"},
	}
	for _, tt := range tests {
		s, _ := newEverything()
		err := s.Parse(strings.Fields(tt.args))
		var usage *UsageError
		if !errors.As(err, &usage) || err.Error() != tt.want {
			t.Errorf("%s:\n got %v\nwant %s", tt.args, err, tt.want)
		}
	}
	s, _ := newEverything()
	if err := s.Parse([]string{"--coutn=a b"}); err == nil || !strings.Contains(err.Error(), "did you mean --count?") {
		t.Errorf("a misspelt flag with a space in its value: %v", err)
	}
}

func TestOperands(t *testing.T) {
	parse := func(args ...string) ([]string, error) {
		s, _ := newEverything()
		s.Operands("RUN_DIR", 1, 2)
		err := s.Parse(args)
		return s.Args(), err
	}
	if got, err := parse("a", "--on", "--", "--count"); err != nil || !reflect.DeepEqual(got, []string{"a", "--count"}) {
		t.Errorf("got %q, %v", got, err)
	}
	if _, err := parse(); err == nil || err.Error() != "RUN_DIR is missing" {
		t.Errorf("none: %v", err)
	}
	if _, err := parse("a", "b", "c"); err == nil || err.Error() != `unexpected argument "c"` {
		t.Errorf("three: %v", err)
	}
}

func TestSource(t *testing.T) {
	s, _ := newEverything()
	s.ReadFile = func(string) ([]byte, error) { return []byte("count: 3\nwait: 5s\non: false\n"), nil }
	if err := s.Parse([]string{"--config", "x.yaml", "--wait", "6s"}); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]Source{
		"name": FromDefault, "count": FromConfig, "wait": FromCommandLine, "on": FromDefault,
	} {
		if got := s.Source(name); got != want || s.Seen(name) != (want != FromDefault) {
			t.Errorf("%s: source %d, want %d", name, got, want)
		}
	}
}

// A list of ours adds to what was given before, and what is typed replaces the config. vLLM's own lists keep argparse's rule.
func TestListsThatAdd(t *testing.T) {
	type options struct {
		Ours   []string `json:"ours" flag:"ours" repeat:"true"`
		Theirs []string `json:"theirs" flag:"theirs"`
	}
	for args, want := range map[string]string{
		"--ours a --ours b,c":                     "[a b c] [] []",
		"--theirs a --theirs b,c":                 "[] [b c] []",
		"--csv a --csv=b,c --csv d":               "[] [] [a b c d]",
		"--config f":                              "[x y] [] [p q]",
		"--config f --ours a --csv b --ours c":    "[a c] [] [b]",
		"--ours a --config f --csv b,c --csv d,e": "[a] [] [b c d e]",
	} {
		var o options
		var csv []string
		s := New("x", "x")
		s.Options(&o)
		s.CSV(&csv, "csv", nil, "Words.")
		s.Config()
		s.ReadFile = func(string) ([]byte, error) { return []byte("ours: x,y\ncsv: [p, q]\n"), nil }
		if err := s.Parse(strings.Fields(args)); err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(o.Ours, o.Theirs, csv); got != want {
			t.Errorf("%s: %s, want %s", args, got, want)
		}
	}
}

func TestRedacted(t *testing.T) {
	s, _ := newEverything()
	var proxy string
	s.String(&proxy, "proxy", "", "A proxy.", Redact(outside.RedactURL))
	args := []string{
		"--name", "n", "--head", "Authorization=Bearer x", "K=v", "--header=A=b",
		"--proxy=http://me:pw@host:1/p", "--proxy", "me:pw@host", "--proxy", "http://host:1",
	}
	want := []string{
		"--name", "n", "--head", "Authorization=<redacted>", "K=<redacted>", "--header=A=<redacted>",
		"--proxy=http://redacted@host:1/p", "--proxy", "<redacted>", "--proxy", "http://host:1",
	}
	if got := s.Redacted(args); !reflect.DeepEqual(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
}

func TestDeclaredTwice(t *testing.T) {
	for name, declare := range map[string]func(*Set){
		"same name":      func(s *Set) { s.Bool(new(bool), "on", "") },
		"name of no-":    func(s *Set) { s.Bool(new(bool), "no-maybe", "") },
		"underscore":     func(s *Set) { s.Bool(new(bool), "a_b", "") },
		"short":          func(s *Set) { s.Bool(new(bool), "hh", "", Short('h')) },
		"short number":   func(s *Set) { s.Bool(new(bool), "one", "", Short('1')) },
		"unknown source": func(s *Set) { s.Seen("nothing") },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			s, _ := newEverything()
			declare(s)
		}()
	}
}

// Flags of other programs are told all at once, with what to do about each, beside
// those that are misspelt and those that are not supported.
func TestForeignFlags(t *testing.T) {
	set := func() *Set {
		s, _ := newEverything()
		s.Foreign("is the engine's", "-tp", "--spec-model", "--na")
		return s
	}
	for args, want := range map[string]string{
		"-tp 4":           "-tp is the engine's",
		"--spec_model=x":  "--spec_model is the engine's",
		"--na x":          "--na is the engine's", // not --name
		"--nam x":         "",
		"-tp 4 --conut 5": "2 flags are not accepted by tool go:\n  -tp is the engine's\n  --conut is not a flag of tool go; did you mean --count?",
		"-tp 4 --profile -tp 2": "2 flags are not accepted by tool go:\n  -tp is the engine's\n" +
			"  --profile is not supported: there is nothing to profile here",
	} {
		err := set().Parse(strings.Fields(args))
		if want == "" && err == nil {
			continue
		}
		var usage *UsageError
		if !errors.As(err, &usage) || err.Error() != want {
			t.Errorf("%s:\n got %v\nwant %s", args, err, want)
		}
	}
}

// FuzzParse: whatever is given, an answer comes back, errors are usage errors, and
// hiding secrets neither drops nor adds an argument, nor lets a header's value through.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"--name\nx", "--count\n5\n--no-maybe", "--header\nA=1\nB=2\n--on", "--body.a\n1", "--p", "-nx\n--\n-1", "--=", "--\n--", "-\n-1e5", "--config\nf",
		"--header\nAuthorization=Bearer 0123456789abcdef",
	} {
		f.Add(seed, "count: 4\nheader: [A=1]\nbody: {a: [1, .inf]}\n")
	}
	f.Fuzz(func(t *testing.T, line, config string) {
		args := strings.Split(line, "\n")
		s, v := newEverything()
		s.ReadFile = func(string) ([]byte, error) { return []byte(config), nil }
		err := s.Parse(args)
		var usage *UsageError
		if err != nil && !errors.Is(err, ErrHelp) && !errors.As(err, &usage) {
			t.Fatalf("%q: %T %v", args, err, err)
		}
		if got := s.Redacted(args); len(got) != len(args) {
			t.Fatalf("%q redacted to %q", args, got)
		}
		if err == nil && s.Source("header") == FromCommandLine {
			shown := strings.Join(s.Redacted(args), "\n")
			for _, p := range v.pairs {
				if len(p.Value) > 12 && strings.Count(line, p.Value) == 1 && strings.Contains(shown, p.Value) {
					t.Fatalf("%q shows %q: %q", args, p.Value, shown)
				}
			}
		}
	})
}

func TestWholeName(t *testing.T) {
	var users int
	var beam bool
	set := New("x", "")
	set.Int(&users, "users", 0, "", WholeName())
	set.Bool(&beam, "use-beam-search", "")
	if err := set.Parse([]string{"--use", "--users", "3"}); err != nil || !beam || users != 3 {
		t.Errorf("beam %v, users %d, %v", beam, users, err)
	}
	if err := set.Parse([]string{"--user", "3"}); err == nil {
		t.Error("--user is taken for --users")
	}
}

// What is supported by now is not refused, whoever still lists it.
func TestUnsupportedLeavesADeclaredFlag(t *testing.T) {
	set := New("x", "")
	var text string
	set.String(&text, "mine", "", "A flag.")
	set.Unsupported("mine", OneValue, "is not there")
	if err := set.Parse([]string{"--mine", "a"}); err != nil || text != "a" {
		t.Errorf("%q, %v", text, err)
	}
}
