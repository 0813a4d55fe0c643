package outside

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestLine(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"plain", "Qwen/Qwen3-8B", "Qwen/Qwen3-8B"},
		{"empty", "", ""},
		{"spaces", "  a  b\tc ", "a b c"},
		{"line breaks", "b1\n    base_url: x\r\n\u2028y\u0085z", "b1 base_url: x y z"},
		{"colour", "\x1b[1;31mred\x1b[0m", "red"},
		{"clear screen", "\x1b[2J\x1b[Hgone", "gone"},
		{"eight-bit CSI", "\u009b31mred", "red"},
		{"eight-bit CSI, raw", "\x9b31mred", "\ufffd31mred"},
		{"window title", "\x1b]0;evil\x07title", "title"},
		{"link", "\x1b]8;;http://evil\x1b\\text\x1b]8;;\x1b\\", "text"},
		{"clipboard", "a\x1b]52;c;ZXZpbA==\u009cb", "ab"},
		{"device control", "\x1bPq#0\x1b\\ok", "ok"},
		{"character set", "\x1b(0lqk", "lqk"},
		{"reset", "\x1bcgone", "gone"},
		{"a title without an end", "\x1b]0;title", "]0;title"},
		{"nested", "\x1b[\x1b[31m1mred", "[1mred"},
		{"lone escape", "a\x1b", "a"},
		{"control characters", "a\x00b\x08c\x7fd\u0090e", "abcde"},
		{"bidirectional override", "gpj\u202e.exe\u2066x\u2069\u200f", "gpj.exex"},
		{"zero width, tags", "a\u200bb\ufeffc\U000e0041d", "abcd"},
		{"no UTF-8", "a\xff\xfeb", "a\ufffd\ufffdb"},
		{"other scripts stay", "模型 – é 🦙", "模型 – é 🦙"},
		{"quotes stay", `"a" 'b' ${X} {port} <b>`, `"a" 'b' ${X} {port} <b>`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := Line(c.in, 100); got != c.want {
				t.Errorf("Line(%q) = %q, want %q", c.in, got, c.want)
			}
		})
	}
}

func TestLineIsBounded(t *testing.T) {
	for _, c := range []struct {
		in   string
		n    int
		want string
	}{
		{"abcdef", 6, "abcdef"},
		{"abcdefg", 6, "abcde…"},
		{"éééééé", 6, "éééééé"},
		{"ééééééé", 6, "ééééé…"},
		{"abcd efg", 6, "abcd…"},
		{"abc", 0, ""},
		{strings.Repeat("\x1b[31m", 1000) + "abc", 3, "abc"},
	} {
		if got := Line(c.in, c.n); got != c.want {
			t.Errorf("Line(%.20q, %d) = %q, want %q", c.in, c.n, got, c.want)
		}
	}
	if got := Word(strings.Repeat("x", 1<<20)); utf8.RuneCountInString(got) != MaxWord {
		t.Errorf("a word of %d characters", utf8.RuneCountInString(got))
	}
}

func TestLines(t *testing.T) {
	if got, want := Lines("a\x1b[2J\nb\r\n\nccccc", 3), "a\nb\n\ncc…"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestText(t *testing.T) {
	if got, want := Text("a  b\n\tc\r\x1b[2Jd\u202e\xff tail", 21), "a  b\n\tcd\ufffd tai"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestMarkdown(t *testing.T) {
	for in, want := range map[string]string{
		"a|b":             `a\|b`,
		`a\|b`:            `a\\\|b`,
		"3 < 4, 5 > 4":    "3 < 4, 5 > 4",
		"<script>x":       "&lt;script>x",
		"![x](y) *b* `c`": "![x]\\(y) \\*b\\* \\`c\\`",
		"+20 % [14, 27]":  "+20 % [14, 27]",
		"[x]: http://e":   `[x]\: http://e`,
		"a\n## b\x1b[2J":  "a ## b",
	} {
		if got := Markdown(in); got != want {
			t.Errorf("Markdown(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestFileName(t *testing.T) {
	for in, want := range map[string]string{
		"tp8, run 1":            "tp8, run 1",
		"a/b":                   "a-b",
		"../../etc/passwd":      "-..-etc-passwd",
		"..":                    "",
		`C:\x`:                  "C--x",
		"a\x00b\n\x1b[2Jc":      "ab c",
		strings.Repeat("é", 99): strings.Repeat("é", 45),
	} {
		if got := FileName(in); got != want {
			t.Errorf("FileName(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestCSV(t *testing.T) {
	for in, want := range map[string]string{
		"=cmd|'/C calc'!A0": "'=cmd|'/C calc'!A0",
		"+1+1":              "'+1+1",
		"@SUM(A1)":          "'@SUM(A1)",
		"-tp 8":             "'-tp 8",
		"＝1":                "'＝1",
		"\t=1":              "'=1",
		"-5":                "-5",
		"+1.5e3":            "+1.5e3",
		"a=b":               "a=b",
		"":                  "",
	} {
		if got := CSV(in); got != want {
			t.Errorf("CSV(%q) = %q, want %q", in, got, want)
		}
	}
}

func FuzzLine(f *testing.F) {
	for _, s := range []string{"plain", "\x1b[31mred\x1b[0m", "\x1b]0;x\x07", "\u009b1m\u009d0;\u009c", "a\xffb\u202e", " a  b "} {
		f.Add(s, 10)
	}
	f.Fuzz(func(t *testing.T, s string, n int) {
		got := Line(s, n)
		if !utf8.ValidString(got) {
			t.Fatalf("%q is no UTF-8", got)
		}
		if length := utf8.RuneCountInString(got); length > max(n, 0) {
			t.Fatalf("%d characters, at most %d were asked for", length, n)
		}
		for _, r := range got {
			if r != ' ' && (unicode.IsControl(r) || unicode.IsSpace(r) || unicode.Is(unicode.Cf, r)) {
				t.Fatalf("%q holds %U", got, r)
			}
		}
		if again := Line(got, n); again != got {
			t.Fatalf("cleaned again, %q becomes %q", got, again)
		}
	})
}

func BenchmarkLinePlain(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		Word("Qwen/Qwen3-30B-A3B-Instruct")
	}
}
