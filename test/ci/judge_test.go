package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// script is an executor that plays recorded streams: of the first call, of a test by itself, of a whole package.
type script struct {
	t                    *testing.T
	first, alone, packed string
	calls                [][]string
}

func (s *script) execute(_ context.Context, c command, stdout, _ io.Writer) error {
	name := s.first
	switch {
	case len(s.calls) == 0:
	case slices.Contains(c.args, "-run"):
		name = s.alone
	default:
		name = s.packed
	}
	s.calls = append(s.calls, c.args)
	text, err := os.ReadFile(filepath.Join("testdata", name+".json"))
	if err != nil {
		s.t.Fatal(err)
	}
	_, _ = stdout.Write(text)
	if bytes.Contains(text, []byte(`"Action":"fail"`)) {
		return errors.New("exit status 1")
	}
	return nil
}

func (s *script) runner() *runner {
	return &runner{execute: s.execute, out: io.Discard, pulse: func(time.Time, time.Time) float64 { return 0.06 }}
}

func TestJudge(t *testing.T) {
	for name, k := range map[string]struct {
		first, alone, packed   string
		flags                  string
		passed, skipped, calls int
		failed, flaky          []string // what is said of each
	}{
		"pass": {first: "pass", passed: 4, calls: 1},
		"skip": {first: "skip", passed: 2, skipped: 5, calls: 1},
		"a test that fails, then passes by itself and with its package": {
			first: "fail", alone: "alone", packed: "again", passed: 6, calls: 3,
			flaky: []string{"sometimes TestA/chat/completions"},
		},
		"a test that fails with its package and passes by itself": {
			first: "fail", alone: "alone", packed: "fail", passed: 6, calls: 3,
			failed: []string{"sometimes TestA/chat/completions: passed by itself, and its package failed again"},
		},
		"a test that fails by itself too": {
			first: "fail", alone: "alone_fail", passed: 6, calls: 2,
			failed: []string{"sometimes TestA/chat/completions: failed again by itself"},
		},
		"a test that is not there when it is run again": {
			first: "fail", alone: "none", passed: 6, calls: 2,
			failed: []string{"sometimes TestA/chat/completions: failed again by itself"},
		},
		"a data race": {first: "race", passed: 4, calls: 1, failed: []string{"racy TestA: never run again: WARNING: DATA RACE"}},
		"a panic":     {first: "panic", passed: 5, calls: 1, failed: []string{"panics TestB: never run again: panic"}},
		"a goroutine left behind": {
			first: "leak", passed: 1, calls: 1, failed: []string{"leaks: found unexpected goroutines"},
		},
		"a package that is not built": {first: "unbuilt", passed: 4, calls: 1, failed: []string{"unbuilt: [build failed]"}},
		"a test that never ends":      {first: "timeout", calls: 1, failed: []string{"hangs TestA: panic: test timed out"}},
		"a name that no test has": {
			first: "none", flags: "-run TestGone", calls: 1, failed: []string{"good: no test has a name that this part runs: -run TestGone"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := &script{t: t, first: k.first, alone: k.alone, packed: k.packed}
			got := s.runner().judge(t.Context(), "a part", goTest{flags: words(k.flags + " -race"), packages: []string{"./..."}})
			if got.Passed != k.passed || len(got.Skipped) != k.skipped || len(s.calls) != k.calls {
				t.Errorf("%d passed, %d skipped, %d calls\nwant %d, %d, %d", got.Passed, len(got.Skipped), len(s.calls), k.passed, k.skipped, k.calls)
			}
			hold(t, "failed", got.Failed, k.failed)
			hold(t, "flaky", got.Flaky, k.flaky)
			for _, f := range slices.Concat(got.Failed, got.Flaky) {
				if f.Output == "" && !strings.HasPrefix(f.Why, "no test has") {
					t.Errorf("%s: nothing of what it said", f.String())
				}
			}
			for _, c := range s.calls {
				if !slices.Contains(c, "-race") || !slices.Contains(c, "-count=1") {
					t.Errorf("%q is not run as the part is", c)
				}
			}
		})
	}
}

func hold(t *testing.T, what string, got []finding, want []string) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: %+v\nwant %q", what, got, want)
		return
	}
	for i, f := range got {
		if said := f.String() + ": " + f.Why; !strings.HasPrefix(said, want[i]) {
			t.Errorf("%s: %s\nwant %s…", what, said, want[i])
		}
	}
}

// A test is run again by its whole name, and its package by the same flags.
func TestWhatIsRunAgain(t *testing.T) {
	s := &script{t: t, first: "fail", alone: "alone", packed: "again"}
	s.runner().judge(t.Context(), "a part", goTest{flags: words("-race -skip TestSlow"), packages: words("./a ./b"), args: words("-seeds 5")})
	want := []string{
		"go test -json -count=1 -timeout 40m -race -skip TestSlow ./a ./b -seeds 5",
		"go test -json -count=1 -timeout 40m -race -skip TestSlow -run ^TestA$/^chat$/^completions$ " + module + "/sometimes -seeds 5",
		"go test -json -count=1 -timeout 40m -race -skip TestSlow " + module + "/sometimes -seeds 5",
	}
	for i, c := range s.calls {
		if got := strings.Join(c, " "); i >= len(want) || got != want[i] {
			t.Errorf("call %d: %s", i, got)
		}
	}
}

// Many failures at once are no accident, and take hours to run again.
func TestManyFailures(t *testing.T) {
	var text strings.Builder
	for _, name := range words("TestA TestB TestC TestD TestE TestF") {
		text.WriteString(`{"Action":"fail","Package":"p","Test":"` + name + `"}` + "\n")
	}
	text.WriteString(`{"Action":"fail","Package":"p"}` + "\n")
	calls := 0
	r := &runner{out: io.Discard, execute: func(_ context.Context, _ command, out, _ io.Writer) error {
		calls++
		_, _ = io.WriteString(out, text.String())
		return errors.New("exit status 1")
	}}
	got := r.judge(t.Context(), "a part", goTest{packages: []string{"p"}})
	if len(got.Failed) != 6 || calls != 1 || !strings.HasPrefix(got.Failed[0].Why, "6 failed at once") {
		t.Errorf("%d calls, %+v", calls, got.Failed)
	}
}

// go test itself may fail: no test says so.
func TestGoTestFails(t *testing.T) {
	r := &runner{out: io.Discard, execute: func(_ context.Context, _ command, _, words io.Writer) error {
		_, _ = io.WriteString(words, "no required module provides package\n")
		return errors.New("exit status 1")
	}}
	got := r.judge(t.Context(), "a part", goTest{packages: []string{"./gone"}})
	if len(got.Failed) == 0 || !strings.Contains(got.Failed[0].Output, "no required module") {
		t.Errorf("%+v", got)
	}
}

func TestReason(t *testing.T) {
	for output, want := range map[string]string{
		"=== RUN   TestA\n    a_test.go:12: there is no sshd: install it\n--- SKIP: TestA (0.00s)\n": "there is no sshd: install it",
		"=== RUN   TestA\n--- SKIP: TestA (0.00s)\n":                                                 "it does not say why",
	} {
		if got := reason(output); got != want {
			t.Errorf("%q: %q, want %q", output, got, want)
		}
	}
}
