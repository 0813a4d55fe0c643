package argv

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

func TestConfig(t *testing.T) {
	tests := []struct {
		name, yaml, args string
		want             func(*everything)
	}{
		{"empty", "", "", func(*everything) {}},
		{"comment", "# nothing\n", "", func(*everything) {}},
		{"names as on the command line", "cou: 5", "", func(v *everything) { v.n = 5 }},
		{"plain values", "count: 5\nratio: .inf\nname: -x --y\n", "", func(v *everything) { v.n, v.ratio, v.name = 5, ptr(inf), "-x --y" }},
		{"command line wins", "count: 5\nlist: [a, b]", "--count 6 --list c", func(v *everything) { v.n, v.list = 6, []string{"c"} }},
		{"lists", "list: [a, 1, -2]\nheader:\n  - A=1\n  - B=2\n", "", func(v *everything) {
			v.list, v.pairs = []string{"a", "1", "-2"}, []Pair{{"A", "1"}, {"B", "2"}}
		}},
		{"list of one", "list: a", "", func(v *everything) { v.list = []string{"a"} }},
		{"empty list", "header: []", "", func(v *everything) { v.pairs = []Pair{} }},
		{"pairs as a mapping", "goodput: {ttft: 100, tpot: 20.5}", "", func(v *everything) { v.limits = []Pair{{"ttft", "100"}, {"tpot", "20.5"}} }},
		{"commas as a list", "words: [x, y]\nnumbers: [50, 99.9]", "", func(v *everything) {
			v.words, v.numbers = []string{"x", "y"}, []float64{50, 99.9}
		}},
		{"commas as text", "numbers: 50,99", "", func(v *everything) { v.numbers = []float64{50, 99} }},
		{"switches", "on: yes\nmaybe: false", "", func(v *everything) { v.on, v.tri = true, ptr(false) }},
		{"switch off", "on: false\nprofile: false", "", func(*everything) {}},
		{"no- in the config", "no_maybe: true", "", func(v *everything) { v.tri = ptr(false) }},
		{"no- off says nothing", "no-maybe: false", "", func(*everything) {}},
		{"mapping as JSON, in order", "body: {z: 1.0, a: [true, null, x, '1'], 5: {b: 1e3}}", "", func(v *everything) {
			v.body = json.RawMessage(`{"z":1.0,"a":[true,null,"x","1"],"5":{"b":1e3}}`)
		}},
		{"JSON as text", `body: '{"a": 1}'`, "", func(v *everything) { v.body = json.RawMessage(`{"a":1}`) }},
		{"config whole, command line by key", "body: {a: 1}", "--body.b 2", func(v *everything) { v.body = json.RawMessage(`{"b":2}`) }},
		{"a mapping for a custom value", "range: {input: 0.1}", "", func(v *everything) { v.anything = `{"input":0.1}` }},
		{"a number for a custom value", "range: 0.1", "", func(v *everything) { v.anything = "0.1" }},
	}
	for _, tt := range tests {
		s, got := newEverything()
		_, want := newEverything()
		tt.want(want)
		s.ReadFile = func(string) ([]byte, error) { return []byte(tt.yaml), nil }
		if err := s.Parse(append(strings.Fields(tt.args), "--config=f.yaml")); err != nil {
			t.Errorf("%s: %v", tt.name, err)
		} else if !reflect.DeepEqual(got, want) {
			t.Errorf("%s:\n got %+v\nwant %+v", tt.name, got, want)
		}
	}
}

func TestConfigErrors(t *testing.T) {
	tests := []struct{ yaml, want string }{
		{"- a", "f.yaml:1: must be a mapping of flag names to values"},
		{"a: [", "f.yaml:1: is no YAML: did not find expected node content"},
		{"count: 1\n---\ncount: 2", "f.yaml:2: must hold one YAML document and no more"},
		{"\n\ncoutn: 5", "f.yaml:3: coutn is not a flag of tool go; did you mean --count?"},
		{"name: x\np: 1", "f.yaml:2: p is ambiguous: it could be --probe-rate, --profile"},
		{"name: x\ncount: many", `f.yaml:2: --count needs a whole number, not "many"`},
		{"name: x\ncount:\n", "f.yaml:2: --count has no value; delete the line to leave the flag unset"},
		{"name: true", "f.yaml:1: --name needs a value, not true; put it in quotes if it is meant as text"},
		{"name: [a]", "f.yaml:1: --name needs a plain value here, not a list or a mapping"},
		{"list: {a: 1}", "f.yaml:1: --list needs a plain value here, not a list or a mapping"},
		{"list: []", "f.yaml:1: --list needs at least one value"},
		{"on: 1", "f.yaml:1: --on must be true or false in a config file"},
		{"on: 'yes'", "f.yaml:1: --on must be true or false in a config file"},
		{"count: 1\ncount: 2", "f.yaml:2: --count is set twice; it is on line 1 already"},
		{"count: 1\ncoun: 2", "f.yaml:2: --count is set twice; it is on line 1 already"},
		{"config: g.yaml", "f.yaml:1: --config can't be set in a config file"},
		{"help: true", "f.yaml:1: --help can't be set in a config file"},
		{"name: &x a\ntitle: *x", "f.yaml:2: --name uses a YAML alias, which is not read here; write the value out"},
		{"body: {a: .nan}", "f.yaml:1: --body holds .nan, which JSON can't"},
		{"body: 5", `f.yaml:1: --body needs a JSON object such as {"key": 1}, not 5`},
		{"profile: true", "f.yaml:1: --profile is not supported: there is nothing to profile here"},
		{"probe-rate: {a: 1}", "f.yaml:1: --probe-rate is not supported: probes are not sent"},
		{"colour: green", "f.yaml:1: --colour green is not mixed yet"},
		{"[a]: 1", "f.yaml:1: a flag's name must be plain text"},
	}
	for _, tt := range tests {
		s, _ := newEverything()
		s.ReadFile = func(string) ([]byte, error) { return []byte(tt.yaml), nil }
		err := s.Parse([]string{"--config", "f.yaml"})
		var usage *UsageError
		if !errors.As(err, &usage) || err.Error() != tt.want {
			t.Errorf("%q:\n got %v\nwant %s", tt.yaml, err, tt.want)
		}
	}
}

func TestConfigFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "bench.yaml")
	if err := os.WriteFile(name, []byte("count: 7\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s, v := newEverything()
	if err := s.Parse([]string{"--conf", name}); err != nil || v.n != 7 {
		t.Errorf("count %d, %v", v.n, err)
	}
	s, _ = newEverything()
	if err := s.Parse([]string{"--config", name, "--config", name}); err == nil || err.Error() != "--config can be given only once" {
		t.Errorf("twice: %v", err)
	}
	s, _ = newEverything()
	s.ReadFile = func(string) ([]byte, error) { return nil, fs.ErrNotExist }
	if err := s.Parse([]string{"--config", name}); err == nil || err.Error() != "--config can't be read: file does not exist" {
		t.Errorf("absent: %v", err)
	}
}
