package main

import (
	"context"
	"io"
	"testing"
)

// A command that could not check anything has not passed.
func TestAStepThatChecksNothing(t *testing.T) {
	for said, passed := range map[string]int{
		"it held in 3 of 3\n":                       1,
		"try 1\nskipped: the machine is too busy\n": 0,
		"skipped: not the last line\nit held\n":     1,
	} {
		r := runner{execute: func(_ context.Context, _ command, out, _ io.Writer) error {
			_, err := io.WriteString(out, said)
			return err
		}}
		got := r.step(t.Context(), "a part", command{})
		if got.Passed != passed || len(got.Skipped) != 1-passed || len(got.Failed) != 0 {
			t.Errorf("%q: %+v", said, got)
		}
	}
}

// A part that is not there is an error, not a run in which nothing failed.
func TestNoSuchPart(t *testing.T) {
	if ok, err := run(t.Context(), []string{"-part", "nosuchpart", "quick"}); ok || err == nil {
		t.Errorf("%v, %v", ok, err)
	}
}
