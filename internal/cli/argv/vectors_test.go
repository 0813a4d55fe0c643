package argv

import (
	"encoding/json"
	"errors"
	"os"
	"reflect"
	"strings"
	"testing"
)

// vectorFlags are the flags of testdata/argparse_vectors.py.
type vectorFlags struct {
	numPrompts, warmups  int
	outputLen            int
	requestRate          float64
	ignoreEOS, insecure  bool
	selfTimed            *bool
	header, goodput      []string
	extraBody            json.RawMessage
	modelText, backendID string
}

func newVectorSet() (*Set, *vectorFlags) {
	s, v := New("bench", "A summary."), &vectorFlags{}
	s.String(&v.modelText, "model", "", "")
	s.Int(&v.numPrompts, "num-prompts", 1000, "")
	s.Int(&v.warmups, "num-warmups", 0, "")
	s.Float(&v.requestRate, "request-rate", inf, "")
	s.Int(&v.outputLen, "custom-output-len", 256, "")
	s.Choice(&v.backendID, "backend", "openai", []string{"vllm", "openai", "openai-chat"}, "")
	s.Bool(&v.ignoreEOS, "ignore-eos", "")
	s.Bool(&v.insecure, "insecure", "")
	s.TriBool(&v.selfTimed, "self-timed", "")
	s.Strings(&v.header, "header", ZeroOrMore, "")
	s.Strings(&v.goodput, "goodput", OneOrMore, "")
	s.JSON(&v.extraBody, "extra-body", "")
	return s, v
}

// changed returns the values that are not the default, under Python's names.
func (v *vectorFlags) changed(s *Set) map[string]any {
	m := map[string]any{}
	put := func(differs bool, name string, value any) {
		if differs {
			m[name] = value
		}
	}
	put(s.Seen("model"), "model", v.modelText)
	put(v.numPrompts != 1000, "num_prompts", v.numPrompts)
	put(v.warmups != 0, "num_warmups", v.warmups)
	put(v.requestRate != inf, "request_rate", v.requestRate)
	put(v.outputLen != 256, "custom_output_len", v.outputLen)
	put(v.backendID != "openai", "backend", v.backendID)
	put(v.ignoreEOS, "ignore_eos", true)
	put(v.insecure, "insecure", true)
	put(v.selfTimed != nil, "self_timed", v.selfTimed)
	put(v.header != nil, "header", v.header)
	put(v.goodput != nil, "goodput", v.goodput)
	put(v.extraBody != nil, "extra_body", v.extraBody)
	return m
}

// errorKind puts our sentence into argparse's drawer.
func errorKind(t *testing.T, err error) string {
	t.Helper()
	if errors.Is(err, ErrHelp) {
		return "help"
	}
	var u *UsageError
	if !errors.As(err, &u) {
		t.Fatalf("%v is a %T, not a *UsageError", err, err)
	}
	for text, kind := range map[string]string{
		"is ambiguous": "ambiguous", "is not a flag": "unknown", "unexpected argument": "unknown",
		"needs a value": "no value", "takes no value": "value not wanted",
		"needs a": "bad value", "needs JSON": "bad value", "must be one of": "bad value",
	} {
		if strings.Contains(u.Text, text) && (text != "needs a" || !strings.Contains(u.Text, "needs a value")) {
			return kind
		}
	}
	t.Fatalf("no kind for %q", u.Text)
	return ""
}

// TestArgparse compares with Python: the first cases are one rule each and must
// fail in the same way, the others are mixtures that must agree in being right.
func TestArgparse(t *testing.T) {
	content, err := os.ReadFile("testdata/argparse_vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	var vectors struct {
		Rules int
		Cases []struct {
			Args   []string
			Error  string
			Values json.RawMessage
		}
	}
	if err := json.Unmarshal(content, &vectors); err != nil {
		t.Fatal(err)
	}
	for i, c := range vectors.Cases {
		s, v := newVectorSet()
		err := s.Parse(c.Args)
		if err != nil {
			if kind := errorKind(t, err); c.Error == "" || i < vectors.Rules && kind != c.Error {
				t.Errorf("%q: got %q (%v), Python has %q %s", c.Args, kind, err, c.Error, c.Values)
			}
			continue
		}
		if c.Error != "" {
			t.Errorf("%q: no error, Python has %q", c.Args, c.Error)
			continue
		}
		got, err := json.Marshal(v.changed(s))
		if err != nil {
			t.Fatal(err)
		}
		if !sameJSON(t, got, c.Values) {
			t.Errorf("%q:\n got %s\nwant %s", c.Args, got, c.Values)
		}
	}
}

func sameJSON(t *testing.T, a, b []byte) bool {
	t.Helper()
	var x, y any
	if err := errors.Join(json.Unmarshal(a, &x), json.Unmarshal(b, &y)); err != nil {
		t.Fatal(err)
	}
	return reflect.DeepEqual(x, y)
}
