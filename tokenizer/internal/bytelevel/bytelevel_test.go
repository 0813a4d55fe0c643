package bytelevel

import (
	"testing"
	"unicode/utf8"
)

func TestLossy(t *testing.T) {
	tests := []struct{ name, bytes, want string }{
		{"text", "aé日🤗", "aé日🤗"},
		{"a replacement that was there", "a\uFFFDb", "a\uFFFDb"},
		{"a lone continuation", "a\x80b", "a\uFFFDb"},
		{"two lone continuations are two", "\x80\x80", "\uFFFD\uFFFD"},
		{"half of a rune is one, however long", "\xf0\x9f\xa4", "\uFFFD"},
		{"half of a rune, then text", "\xe6\x97a", "\uFFFDa"},
		{"an overlong form begins nothing", "\xe0\x80\x80", "\uFFFD\uFFFD\uFFFD"},
		{"a surrogate begins nothing", "\xed\xa0\x80", "\uFFFD\uFFFD\uFFFD"},
		{"above the last rune", "\xf4\x90\x80\x80", "\uFFFD\uFFFD\uFFFD\uFFFD"},
		{"never a byte of text", "\xc0\xaf\xff", "\uFFFD\uFFFD\uFFFD"},
	}
	for _, test := range tests {
		if got := Lossy([]byte(test.bytes)); got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}

func FuzzLossy(f *testing.F) {
	f.Add([]byte("a\xf0\x9f\xa4b"))
	f.Fuzz(func(t *testing.T, b []byte) {
		got := Lossy(b)
		if !utf8.ValidString(got) {
			t.Errorf("%q is no text", got)
		}
		if utf8.Valid(b) && got != string(b) {
			t.Errorf("%q became %q", b, got)
		}
	})
}

func TestSpelling(t *testing.T) {
	for b := range 256 {
		text := string([]byte{byte(b)})
		name := string(AppendSpelling(nil, text))
		if got := string(AppendBytes(nil, name)); got != text {
			t.Errorf("byte %#x is spelled %q, which is %q", b, name, got)
		}
	}
	if got := string(AppendBytes(nil, "two words")); got != "two words" {
		t.Errorf("a name with a foreign rune became %q", got)
	}
}
