package wire

import (
	"bytes"
	"regexp"
	"testing"
)

func TestParseTrace(t *testing.T) {
	for text, want := range map[string]bool{
		"0af7651916cd43dd8448eb211c80319c": true,
		"0AF7651916CD43DD8448EB211C80319C": false,
		"00000000000000000000000000000000": false,
		"0af7651916cd43dd8448eb211c80319":  false,
		"0af7651916cd43dd8448eb211c80319g": false,
		"":                                 false, "random": false,
	} {
		got, err := ParseTrace(text)
		if (err == nil) != want {
			t.Errorf("%q: %v", text, err)
		}
		if err == nil && got.String() != text {
			t.Errorf("%q became %q", text, got)
		}
	}
}

func TestSpansOfATraceDiffer(t *testing.T) {
	trace := RandomTrace()
	seen := map[[8]byte]int{trace.Root(): rootIndex}
	for i := range 100_000 {
		id := trace.Span(i)
		if other, there := seen[id]; there {
			t.Fatalf("%s: requests %d and %d have the same span", trace, i, other)
		}
		seen[id] = i
	}
	if bytes.Equal(trace[:], make([]byte, 16)) || RandomTrace() == trace {
		t.Error("a random trace is not")
	}
}

func TestTraceparent(t *testing.T) {
	trace := RandomTrace()
	// As https://www.w3.org/TR/trace-context/#traceparent-header has it.
	form := regexp.MustCompile(`^00-` + trace.String() + `-[0-9a-f]{16}-01$`)
	seventh, again := trace.Parent(7), trace.Parent(7)
	if !form.MatchString(seventh) {
		t.Errorf("%q", seventh)
	}
	if seventh != again || seventh == trace.Parent(8) {
		t.Error("a span is not its index's")
	}
}
