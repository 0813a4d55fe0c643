package command

import (
	"bytes"
	"fmt"
	"slices"
	"testing"
)

func TestHeld(t *testing.T) {
	var terminal bytes.Buffer
	h := NewHeld(&terminal)
	fmt.Fprintln(h, "before")
	var seen []string
	h.Hold(func(line string) { seen = append(seen, line) })
	fmt.Fprint(h, "one\ntw")
	fmt.Fprint(h, "o\nthree\n\nhalf")
	if got := terminal.String(); got != "before\n" {
		t.Errorf("the terminal got %q while it was held", got)
	}
	if want := []string{"one", "two", "three", ""}; !slices.Equal(seen, want) {
		t.Errorf("seen %q, want %q", seen, want)
	}
	if err := h.Release(); err != nil {
		t.Fatal(err)
	}
	fmt.Fprint(h, " a line\n")
	if got, want := terminal.String(), "before\none\ntwo\nthree\n\nhalf a line\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestInterruptsByKey(t *testing.T) {
	asks := make(chan struct{}, 2)
	var b bytes.Buffer
	ctx, drain, stop := Interrupts(t.Context(), &b, asks)
	asks <- struct{}{}
	<-drain
	if ctx.Err() != nil {
		t.Error("the first key cancels")
	}
	asks <- struct{}{}
	<-ctx.Done()
	stop()
}
