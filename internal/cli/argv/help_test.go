package argv

import (
	"bytes"
	"flag"
	"os"
	"strings"
	"testing"
	"unicode/utf8"
)

var update = flag.Bool("update", false, "write the golden files anew")

func TestHelp(t *testing.T) {
	s, _ := newEverything()
	s.Operands("[RUN_DIR]", 0, 1)
	s.Example("Send a few", `tool go --name "somebody" --count 5 --header Authorization=x`)
	s.String(new(string), "secret-of-the-house", "", "Not shown.", Hidden())
	var b bytes.Buffer
	s.Help(&b, 80)
	const golden = "testdata/help.txt"
	if *update {
		if err := os.WriteFile(golden, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if b.String() != string(want) {
		t.Errorf("the help is not that of %s (run with -update):\n%s", golden, b.String())
	}
}

func TestHelpKeepsToTheWidth(t *testing.T) {
	for _, width := range []int{60, 80, 120} {
		s, _ := newEverything()
		var b bytes.Buffer
		s.Help(&b, width)
		for line := range strings.Lines(b.String()) {
			if n := utf8.RuneCountInString(strings.TrimRight(line, "\n")); n > width {
				t.Errorf("width %d: a line of %d: %q", width, n, line)
			}
		}
	}
}
