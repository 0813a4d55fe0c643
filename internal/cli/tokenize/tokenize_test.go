package tokenize

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode"

	"github.com/inferometer/inferometer/tokenizer"
)

func small(t testing.TB) *tokenizer.Tokenizer {
	t.Helper()
	tok, err := tokenizer.Load("../../../tokenizer/testdata/bytes")
	if err != nil {
		t.Fatal(err)
	}
	return tok
}

// TestSplit: what the tokens add is the text, whatever it holds.
func TestSplit(t *testing.T) {
	tok := small(t)
	for _, text := range []string{"", "Hello world", "日本語 🚀🚀", "a\x1b[31mb\r\n", "\xff\xfe", "e\u0301\u202e", " lead", "<eot>x"} {
		r, err := encoded(tok, text, false)
		if err != nil {
			t.Fatal(err)
		}
		joined := ""
		for _, one := range r.Tokens {
			joined += one.Text
		}
		if want, _ := tok.Decode(r.IDs); joined != want || len(r.Tokens) != r.Count || r.Bytes != len(text) {
			t.Errorf("%q: the tokens give %q, all together %q", text, joined, want)
		}
	}
}

// FuzzShown: nothing of a text reaches the terminal that steers it or can't be seen, and JSON stays JSON.
func FuzzShown(f *testing.F) {
	for _, seed := range []string{"Hello", "\x1b]0;x\x07", "\u009b31m", "\u202eabc", "日\xe6", "\U000e0041", `"\`} {
		f.Add(seed)
	}
	tok := small(f)
	f.Fuzz(func(t *testing.T, text string) {
		r, err := encoded(tok, text, true)
		if err != nil {
			t.Skip()
		}
		var table, line bytes.Buffer
		if r.writeTable(&table) != nil || r.writeJSON(&line) != nil {
			t.Fatal("it was not written")
		}
		for _, out := range []string{table.String(), line.String()} {
			if at := strings.IndexFunc(out, func(c rune) bool { return c != '\n' && !unicode.IsPrint(c) }); at >= 0 {
				t.Errorf("%q is shown as %q", text, out)
			}
		}
		var back result
		if err := json.Unmarshal(line.Bytes(), &back); err != nil || back.Count != r.Count {
			t.Errorf("%q: %v", line.String(), err)
		}
	})
}

func TestConversation(t *testing.T) {
	tok := small(t)
	for text, want := range map[string]string{
		"hi":                                 "<bos>[user: hi<eot>\nassistant: ",
		`[{"role": "user", "content": "a"}]`: "<bos>[user: a<eot>\nassistant: ",
		`[1, 2]`:                             "<bos>[user: [1, 2]<eot>\nassistant: ",
		`{"messages": [{"role": "user", "content": "b"}], "add_generation_prompt": false}`: "<bos>[user: b<eot>\n",
		`{"a": 1`: "<bos>[user: {\"a\": 1<eot>\nassistant: ",
	} {
		got, err := (&options{}).render(tok, text)
		if err != nil || got != want {
			t.Errorf("%s: %q, %v; want %q", text, got, err, want)
		}
	}
}

func TestParseIDs(t *testing.T) {
	for text, want := range map[string]int{"1,2": 2, "[1, 2,3]": 3, "5": 1, "": 0, "x": 0, "-1": 0, "99999999999": 0} {
		ids, err := parseIDs(text)
		if len(ids) != want && err == nil || (err == nil) != (want > 0) {
			t.Errorf("%q: %v, %v", text, ids, err)
		}
	}
}
