package command

import (
	"strings"
	"testing"
)

func TestLine(t *testing.T) {
	var b strings.Builder
	l := &Line{w: &b, live: true}
	l.Clear() // nothing is there
	l.Set("%d of 3", 1)
	l.Set("2 of 3")
	l.Print("%s is done", "a")
	l.Clear()
	if got, want := b.String(), "\r\x1b[K1 of 3\r\x1b[K2 of 3\r\x1b[Ka is done\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	b.Reset()
	pipe := NewLine(&b)
	pipe.Set("1 of 3")
	pipe.Print("a is done")
	if got := b.String(); got != "a is done\n" || pipe.Live() {
		t.Errorf("a pipe gets %q", got)
	}
}

func TestFit(t *testing.T) {
	for _, tt := range []struct {
		text  string
		width int
		want  string
	}{{"äöü", 2, "äö"}, {"ab", 5, "ab"}, {"ab", -1, ""}} {
		if got := Fit(tt.text, tt.width); got != tt.want {
			t.Errorf("%q in %d columns is %q", tt.text, tt.width, got)
		}
	}
}
