package option

import (
	"strings"
	"testing"
	"time"
)

// TestSettingsWords: settings are shown as a shell takes them.
func TestSettingsWords(t *testing.T) {
	var s Settings
	n, rate := 5, 0.25
	s.Text("model", "m")
	s.Text("label", "")
	s.Number("num-prompts", &n)
	s.Number("seed", nil)
	s.Float("request-rate", &rate)
	s.Span("duration", time.Minute)
	s.Add("ignore-eos")
	s.Add("output-len", "-1")
	s.Add("header", "a=b", "-c=d")
	s = append(s, Setting{Flag: "top-p", Values: []string{"1"}, Joined: true})
	want := "--model m --num-prompts 5 --request-rate 0.25 --duration 1m0s --ignore-eos --output-len=-1 --header a=b -c=d --top-p=1"
	if got := strings.Join(s.Words(), " "); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestSettingsAreNotShared: what is added to one list is in no other.
func TestSettingsAreNotShared(t *testing.T) {
	base := make(Settings, 0, 10)
	base.Add("a", "1")
	one, two := base.With("b", "1"), base.With("c", "1")
	one.Add("d", "1")
	if len(base) != 1 || one[1].Flag != "b" || two[1].Flag != "c" {
		t.Errorf("%v %v %v", base, one, two)
	}
	if left := one.Without(func(flag string) bool { return flag == "b" }); len(left) != 2 || one[1].Flag != "b" {
		t.Errorf("%v of %v", left, one)
	}
}
