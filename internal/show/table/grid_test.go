package table

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func wide() *Grid {
	t := &Grid{Head: []string{"target", "concurrency", "out tok/s", "TTFT p50", "TTFT p99", "TPOT p50", "verdict", "why"}, Keys: 2}
	t.Body = append(t.Body, []string{"one", "8", "**774.2 ± 6.72**", "40.75 ± 0.35", "81.50 ± 0.71", "9.50 ± 0.00", "VALID", "–"},
		[]string{"a-target-whose-name-has-no-end-and-no-space-either", "32", "–", "–", "–", "–", "failed", "connection refused: " + strings.Repeat("once more ", 12)})
	return t
}

func TestATableKeepsToItsWidth(t *testing.T) {
	for _, width := range []int{40, 60, 80, 120} {
		var b strings.Builder
		wide().Write(&b, width)
		for line := range strings.Lines(b.String()) {
			if n := utf8.RuneCountInString(strings.TrimRight(line, "\n")); n > width {
				t.Errorf("width %d: a line of %d: %s", width, n, line)
			}
		}
		for _, head := range wide().Head[2:] {
			if !strings.Contains(b.String(), "| "+head) {
				t.Errorf("width %d lacks the column %s:\n%s", width, head, b.String())
			}
		}
		if width == 80 && strings.Count(b.String(), "| target") < 2 {
			t.Errorf("each part has the keys:\n%s", b.String())
		}
	}
}

func TestAFileHasItWhole(t *testing.T) {
	var b strings.Builder
	wide().Write(&b, 0)
	lines := strings.Split(strings.TrimSpace(b.String()), "\n")
	if len(lines) != 4 || strings.Contains(b.String(), "…") {
		t.Errorf("%s", b.String())
	}
	if n := utf8.RuneCountInString(lines[0]); n != utf8.RuneCountInString(lines[3]) {
		t.Errorf("lines of different width:\n%s", b.String())
	}
}

func TestLine(t *testing.T) {
	var b strings.Builder
	Line(&b, "- ", "one two three averylongwordthatstayswhole four", 12)
	want := "- one two\n  three\n  averylongwordthatstayswhole\n  four\n"
	if b.String() != want {
		t.Errorf("%q", b.String())
	}
	b.Reset()
	Line(&b, "- ", "one  two", 0)
	if b.String() != "- one  two\n" {
		t.Errorf("%q", b.String())
	}
}

// On a screen a bold cell is bold and as wide as the others; that of a file becomes so.
func TestBold(t *testing.T) {
	mark := func(s string) string { return "<" + s + ">" }
	table := &Grid{Head: []string{"a", "b"}, Body: [][]string{{Strong("1.5"), "2"}, {"10.25", Strong("1")}, {"**", "x ** y"}}}
	write := func(bold func(string) string, width int) string {
		var b strings.Builder
		table.Bold = bold
		table.Write(&b, width)
		return b.String()
	}
	for name, c := range map[string]struct{ got, want string }{
		"file":   {write(nil, 0), "| a       | b      |\n|---------|--------|\n| **1.5** | 2      |\n| 10.25   | **1**  |\n| **      | x ** y |\n"},
		"screen": {write(mark, 0), "| a     | b      |\n|-------|--------|\n| <1.5>   | 2      |\n| 10.25 | <1>      |\n| **    | x ** y |\n"},
		"read":   {Screen(write(nil, 0), mark), "| a       | b      |\n|---------|--------|\n| <1.5>     | 2      |\n| 10.25   | <1>      |\n| **      | x ** y |\n"},
		"piped":  {Screen("| **1** |\n**not a cell**\n", nil), "| **1** |\n**not a cell**\n"},
		"words":  {Screen("**not a cell**\n", mark), "**not a cell**\n"},
	} {
		if c.got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", name, c.got, c.want)
		}
	}
}
