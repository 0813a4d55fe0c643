package report

import (
	"bytes"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/inferometer/inferometer/internal/judge/verdict"
)

// TestNarrowTerminal: no line of words is wider than the terminal, nothing is lost,
// and vLLM's block stays as it is.
func TestNarrowTerminal(t *testing.T) {
	r := results(t)["closed"]
	r.Warnings = append(r.Warnings, strings.Repeat("a doubt ", 20)+"at its end")
	v := &verdict.Verdict{Level: verdict.TrustInvalid, Reasons: []string{"outcomes"}, Checks: []verdict.Check{
		{Name: "outcomes", Level: verdict.Invalid, Sentence: strings.Repeat("some words ", 20) + "the last", Hint: "do something about it, and then run it once more"},
	}}
	var wide, narrow, block bytes.Buffer
	if err := Console(&wide, r, Options{RunDir: "runs/x", Verdict: v, Details: true}); err != nil {
		t.Fatal(err)
	}
	if err := Console(&narrow, r, Options{RunDir: "runs/x", Verdict: v, Details: true, Width: 60}); err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(narrow.String(), "\n") {
		if n := utf8.RuneCountInString(line); n > 60 {
			t.Errorf("%d columns: %q", n, line)
		}
	}
	words := func(b *bytes.Buffer) string { return strings.Join(strings.Fields(b.String()), " ") }
	if words(&wide) != words(&narrow) {
		t.Errorf("other words:\n%s\n%s", wide.String(), narrow.String())
	}
	if err := VLLM(&block, r); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(narrow.String(), block.String()) {
		t.Error("vLLM's block is not whole")
	}
}

// TestColor: only if asked for, and nothing but colour is added.
func TestColor(t *testing.T) {
	r := results(t)["closed"]
	colors := regexp.MustCompile("\x1b\\[[0-9;]*m")
	for level, color := range map[verdict.Trust]string{verdict.TrustValid: green, verdict.TrustSuspect: yellow, verdict.TrustInvalid: red} {
		var plain, colored bytes.Buffer
		if err := Console(&plain, r, Options{Details: true, Verdict: &verdict.Verdict{Level: level}}); err != nil {
			t.Fatal(err)
		}
		if err := Console(&colored, r, Options{Details: true, Verdict: &verdict.Verdict{Level: level}, Color: true}); err != nil {
			t.Fatal(err)
		}
		if colors.Match(plain.Bytes()) || colors.ReplaceAllString(colored.String(), "") != plain.String() {
			t.Errorf("%s: colour where none was asked for, or more than colour", level)
		}
		if !strings.Contains(colored.String(), "\x1b[1;"+color+"m"+string(level)+"\x1b[0m") {
			t.Errorf("%s has not its colour", level)
		}
	}
}
