package shlex

import (
	"slices"
	"testing"
)

// Words as Python's shlex.split gives them (checked with it).
func TestSplit(t *testing.T) {
	for line, want := range map[string][]string{
		`a  b`:               {"a", "b"},
		`a 'b c'"d"\ e`:      {"a", "b cd e"},
		`"a\"b\\c\d" '' x`:   {`a"b\c\d`, "", "x"},
		`--x='{"a": 1}' # y`: {`--x={"a": 1}`, "#", "y"},
		"a\tb\nc":            {"a", "b", "c"},
		``:                   nil,
	} {
		got, err := Split(line)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: %q, %v", line, got, err)
		}
		if back, err := Split(Join(want)); err != nil || !slices.Equal(back, want) {
			t.Errorf("%q comes back as %q, %v", want, back, err)
		}
	}
	for _, line := range []string{`'a`, `"a\"`, `a\`} {
		if got, err := Split(line); err == nil {
			t.Errorf("%q: %q", line, got)
		}
	}
}
