package dialect

import (
	"strings"
	"testing"
)

func TestParseFraming(t *testing.T) {
	for _, name := range FramingNames() {
		f, err := ParseFraming(name)
		if err != nil || f.String() != name || f == 0 {
			t.Errorf("%q: %q, %v", name, f, err)
		}
	}
	if frameEnd != 1<<len(framingNames) {
		t.Errorf("%d names for bits up to %#x", len(framingNames), frameEnd)
	}
	for in, word := range map[string]string{
		"nospac": "unknown", "split,merge": "exclude", "usage-last,no_usage": "exclude", "reasoning,reasoning_content": "exclude",
	} {
		if _, err := ParseFraming(in); err == nil || !strings.Contains(err.Error(), word) {
			t.Errorf("%q: %v, want %q", in, err, word)
		}
	}
}

func FuzzParseFraming(f *testing.F) {
	f.Add("nospace,crlf,event-lines")
	f.Add("split,,merge")
	f.Fuzz(func(t *testing.T, s string) {
		style, err := ParseFraming(s)
		if err != nil {
			return
		}
		if again, err := ParseFraming(style.String()); err != nil || again != style {
			t.Errorf("%q gives %q, which gives %q, %v", s, style, again, err)
		}
	})
}
