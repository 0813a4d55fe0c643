package argv

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/inferometer/inferometer/internal/option"
)

type laid struct {
	text  string
	list  []string
	on    bool
	third *bool
	body  json.RawMessage
}

func laidSet() (*Set, *laid) {
	s, v := New("x", ""), &laid{}
	s.String(&v.text, "text", "", "")
	s.Strings(&v.list, "list", OneOrMore, "")
	s.Bool(&v.on, "on", "")
	s.TriBool(&v.third, "third", "")
	s.JSON(&v.body, "body", "", Redact(func(string) string { return "hidden" }))
	s.Unsupported("gone", OneValue, "is gone")
	s.Foreign("is another's", "--theirs")
	return s, v
}

// TestGivenIsLaid: what one command was given is the same when it is laid over another's flags.
func TestGivenIsLaid(t *testing.T) {
	args := strings.Fields(`--tex=-a --list b c --on --no-third --body.k 5`)
	first, one := laidSet()
	if err := first.Parse(args); err != nil {
		t.Fatal(err)
	}
	second, two := laidSet()
	if err := second.Lay(first.Given()); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(one, two) || two.text != "-a" || len(two.list) != 2 || !two.on || *two.third || two.body == nil {
		t.Errorf("%+v, and laid %+v", one, two)
	}
	if !second.Seen("text") || second.Seen("help") {
		t.Error("what was laid counts as given")
	}
	third, three := laidSet()
	if err := third.Parse(first.Given().Words()); err != nil || !reflect.DeepEqual(one, three) {
		t.Errorf("the words mean something else: %+v, %v", three, err)
	}
	if shown := strings.Join(first.Hidden(first.Given()).Words(), " "); !strings.HasSuffix(shown, "--body.k hidden") {
		t.Error(shown)
	}
}

func TestLayRefuses(t *testing.T) {
	for _, tt := range []struct {
		flag   string
		values []string
		want   string
	}{
		{"txt", []string{"a"}, "--txt is not a flag of x; did you mean --text?"},
		{"text", nil, "--text needs a value"},
		{"text", []string{"a", "b"}, "--text takes one value, and was given 2"},
		{"on", []string{"yes"}, `--on takes no value, but was given "yes"; type --on alone`},
		{"gone", []string{"a"}, "--gone is not supported: is gone"},
		{"theirs", nil, "--theirs is another's"},
		{"t", []string{"a"}, "--t is ambiguous: it could be --text, --third"},
	} {
		set, _ := laidSet()
		if err := set.Lay(option.Settings{{Flag: tt.flag, Values: tt.values}}); err == nil || err.Error() != tt.want {
			t.Errorf("%s %v: %v, want %s", tt.flag, tt.values, err, tt.want)
		}
	}
}
