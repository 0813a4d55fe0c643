package tokenizer

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/inferometer/inferometer/tokenizer/internal/spec"
)

// TestSlowPatterns: a file's patterns have a budget for all of a text, wherever they stand. No match of these takes long
// by itself; all together would take half a minute.
func TestSlowPatterns(t *testing.T) {
	usual := spec.PatternTime
	spec.PatternTime = 100 * time.Millisecond
	t.Cleanup(func() { spec.PatternTime = usual })
	const slow = `{"Regex":"(?:a|aa)+[bd]|[^b]"}`
	word := strings.Repeat("a", 22) + "c"
	text := strings.Repeat(word, 2_000)
	model := `"model":{"type":"BPE","vocab":{"a":0,"c":1,` + quoted(word) + `:2},"merges":[]}`
	added := make([]string, 2_000)
	for i := range added {
		added[i] = fmt.Sprintf(`{"id":%d,"content":"%s%d","normalized":true}`, i+3, word, i)
	}
	for name, c := range map[string]struct {
		file string
		load bool
		do   func(*Tokenizer) error
	}{
		"a pattern that splits": {file: `{"pre_tokenizer":{"type":"Split","pattern":` + slow + `,"behavior":"Isolated"},` + model + `}`},
		"in pieces that another step has made": {file: `{"pre_tokenizer":{"type":"Sequence","pretokenizers":[{"type":"Split","pattern":{"String":"c"},"behavior":"Isolated"},
			{"type":"Split","pattern":` + slow + `,"behavior":"Isolated"}]},` + model + `}`},
		"a pattern that replaces": {file: `{"normalizer":{"type":"Replace","pattern":` + slow + `,"content":"a"},` + model + `}`},
		"many that replace":       {file: `{"normalizer":{"type":"Sequence","normalizers":[` + strings.Repeat(`{"type":"Replace","pattern":{"Regex":"^(?:a|aa)+[bd]"},"content":"a"},`, 1999) + `{"type":"Lowercase"}]},` + model + `}`},
		"between added tokens":    {file: `{"added_tokens":[{"id":1,"content":"c"}],"normalizer":{"type":"Replace","pattern":` + slow + `,"content":"a"},` + model + `}`},
		"a decoder's": {
			file: `{"decoder":{"type":"Replace","pattern":` + slow + `,"content":"a"},` + model + `}`,
			do:   func(k *Tokenizer) error { _, err := k.Decode(repeated(2, 2_000)); return err },
		},
		"in the added tokens": {file: `{"added_tokens":[` + strings.Join(added, ",") + `],"normalizer":{"type":"Replace","pattern":` + slow + `,"content":"a"},` + model + `}`, load: true},
	} {
		t.Run(name, func(t *testing.T) {
			k, err := Parse([]byte(c.file), Options{})
			if !c.load {
				if err != nil {
					t.Fatal(err)
				}
				if c.do == nil {
					c.do = func(k *Tokenizer) error { _, err := k.Encode(text); return err }
				}
				err = c.do(k)
			}
			if !errors.Is(err, ErrUnsupported) || !strings.Contains(err.Error(), "pattern is too slow") {
				t.Errorf("it says %v", err)
			}
		})
	}
}

// TestSlowMatch: the error of one slow match does not hold the text.
func TestSlowMatch(t *testing.T) {
	k, err := Parse([]byte(`{"pre_tokenizer":{"type":"Split","pattern":{"Regex":"(a|aa)+$"},"behavior":"Isolated"},"model":{"type":"BPE","vocab":{"a":0},"merges":[]}}`), Options{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = k.Encode(strings.Repeat("a", 1000) + "c")
	if !errors.Is(err, ErrUnsupported) || !strings.Contains(err.Error(), "one match took more than 2s") || strings.Contains(err.Error(), "aaaa") {
		t.Errorf("it says %v", err)
	}
}

// TestLongPattern: brackets in brackets don't end the process.
func TestLongPattern(t *testing.T) {
	for n, refused := range map[int]bool{8_000: false, 1_000_000: true} {
		pattern := strings.Repeat("(", n) + "a" + strings.Repeat(")", n)
		for _, part := range []string{`"pre_tokenizer":{"type":"Split","behavior":"Isolated",`, `"normalizer":{"type":"Replace","content":"",`, `"decoder":{"type":"Replace","content":"",`} {
			_, err := Parse([]byte(`{`+part+`"pattern":{"Regex":"`+pattern+`"}},"model":{"type":"BPE","vocab":{"a":0},"merges":[]}}`), Options{})
			if refused != errors.Is(err, ErrUnsupported) || refused && !strings.Contains(err.Error(), "a pattern of 2000001 bytes") {
				t.Errorf("%d brackets in %.20s: %.200v", n, part, err)
			}
		}
	}
}

func quoted(s string) string { return `"` + s + `"` }

func repeated(id int32, n int) []int32 {
	ids := make([]int32, n)
	for i := range ids {
		ids[i] = id
	}
	return ids
}
