package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

// mostFlaky is how many flaky tests a run may have; with one more it has failed.
const mostFlaky = 2

// mostAgain is how many failed tests of a part are run again: more of them are no accident.
const mostAgain = 5

// finding is a test, package or part of which something is to be said.
type finding struct {
	Part    string `json:"part"`
	Package string `json:"package,omitempty"`
	Test    string `json:"test,omitempty"`
	Why     string `json:"why,omitempty"`
	Output  string `json:"output,omitempty"`
}

func (f *finding) String() string {
	return strings.Join(slices.DeleteFunc([]string{f.Package, f.Test}, func(s string) bool { return s == "" }), " ")
}

// timed is a test with the time that it took.
type timed struct {
	Package string  `json:"package"`
	Test    string  `json:"test"`
	Seconds float64 `json:"seconds"`
}

// result is what a part came to.
type result struct {
	Part     string    `json:"part"`
	Seconds  float64   `json:"seconds"`
	Passed   int       `json:"passed"`
	Failed   []finding `json:"failed,omitempty"`
	Flaky    []finding `json:"flaky,omitempty"`
	Skipped  []finding `json:"skipped,omitempty"`
	Slow     []timed   `json:"slow,omitempty"`
	Packages []spent   `json:"packages,omitempty"`
	said     string    // figures that a command printed
}

// goTest is a call of go test.
type goTest struct {
	flags    []string // go test's own
	packages []string
	args     []string // for the test programs
	env      []string
}

func (g goTest) command() command {
	return command{args: slices.Concat([]string{"go", "test", "-json", "-count=1", "-timeout", "40m"}, g.flags, g.packages, g.args), env: g.env}
}

// only is the same call for one package, and, unless the pattern is empty, for one test of it.
func (g goTest) only(name, pattern string) goTest {
	g.packages, g.flags = []string{name}, slices.Clone(g.flags)
	if pattern != "" {
		g.flags = append(g.flags, "-run", pattern)
	}
	return g
}

// filtered tells whether the call names tests.
func (g goTest) filtered() bool { return slices.Contains(g.flags, "-run") }

// mode is how the tests of a call are run: the column of the budgets.
func (g goTest) mode() string {
	switch {
	case slices.Contains(g.flags, "-race"):
		return "race"
	case slices.Contains(g.flags, "-short"):
		return "short"
	}
	return "plain"
}

// call runs go test; fault is the end of what it said outside its tests when it failed.
func (r *runner) call(ctx context.Context, g goTest) (s *stream, fault string) {
	in, out := io.Pipe()
	var words bytes.Buffer
	done := make(chan *stream)
	go func() { done <- readStream(in) }()
	err := r.execute(ctx, g.command(), out, &words)
	out.Close()
	s = <-done
	if err != nil {
		fault = strings.TrimSpace(words.String() + s.rest + "\n" + err.Error())
	}
	return s, fault
}

// judge runs the tests of a part and says what became of each. A test that fails is run again, by itself and with
// its whole package: if both pass it is flaky, which is no pass; otherwise it has failed.
func (r *runner) judge(ctx context.Context, part string, g goTest) *result {
	s, fault := r.call(ctx, g)
	out := &result{Part: part, Passed: len(s.with("pass"))}
	for _, t := range s.with("skip") {
		out.Skipped = append(out.Skipped, finding{Part: part, Package: short(t.Package), Test: t.Name, Why: reason(t.Output)})
	}
	failures := s.failures()
	again := len(failures) <= mostAgain
	for _, p := range s.packages {
		out.Failed = append(out.Failed, broken(part, s, p, failures)...)
	}
	packages := map[string]bool{}
	for _, t := range failures {
		f := finding{Part: part, Package: short(t.Package), Test: t.Name, Output: t.Output}
		switch why := s.why(t.Package); {
		case why != "":
			f.Why = "never run again: " + why
		case !again:
			f.Why = fmt.Sprintf("%d failed at once: none is run again", len(failures))
		default:
			f.Why = r.retry(ctx, g, t, packages)
		}
		if f.Why == "" {
			f.Why = "failed, then passed by itself and with its package"
			out.Flaky = append(out.Flaky, f)
		} else {
			out.Failed = append(out.Failed, f)
		}
	}
	if fault != "" && len(failures) == 0 && len(out.Failed) == 0 {
		out.Failed = append(out.Failed, finding{Part: part, Why: "go test failed, and none of its tests", Output: fault})
	}
	if g.filtered() || len(s.packages) == 0 {
		out.Failed = append(out.Failed, empty(part, g, s)...)
	}
	for _, t := range s.leaves() {
		out.Slow = append(out.Slow, timed{short(t.Package), t.Name, t.Seconds})
	}
	slices.SortStableFunc(out.Slow, func(a, b timed) int { return -cmp.Compare(a.Seconds, b.Seconds) })
	out.Slow = out.Slow[:min(len(out.Slow), slowest)]
	r.spend(ctx, out, g, s)
	return out
}

// broken is what is to be said of a package that failed without a test that did: it was not built, or its end is at fault.
func broken(part string, s *stream, p *pack, failures []*test) []finding {
	if p.Action == "pass" || p.Action == "skip" || slices.ContainsFunc(failures, func(t *test) bool { return t.Package == p.Name }) {
		return nil
	}
	out := finding{Part: part, Package: short(p.Name), Why: cmp.Or(s.why(p.Name), "the package failed, and none of its tests"), Output: s.builds[p.FailedBuild] + p.Output}
	for _, t := range s.tests {
		if t.Package == p.Name && t.Action == "" {
			out.Test, out.Output = t.Name, out.Output+t.Output // the last one to begin: it never ended
		}
	}
	return []finding{out}
}

// empty finds the packages of which a part ran nothing at all: a test that it names has another name now.
func empty(part string, g goTest, s *stream) []finding {
	ran := map[string]bool{}
	for _, t := range s.tests {
		ran[t.Package] = true
	}
	var out []finding
	for _, p := range s.packages {
		if !ran[p.Name] && p.Action == "pass" {
			out = append(out, finding{Part: part, Package: short(p.Name), Why: "no test has a name that this part runs: " + strings.Join(g.flags, " ")})
		}
	}
	if len(s.packages) == 0 {
		out = append(out, finding{Part: part, Why: "no package was tested"})
	}
	return out
}

// retry runs a failed test by itself and with its package, each in the same way as before, and says what then
// failed; empty: nothing. A package is run once for all its tests.
func (r *runner) retry(ctx context.Context, g goTest, t *test, packages map[string]bool) string {
	s, fault := r.call(ctx, g.only(t.Package, t.pattern()))
	ran := slices.ContainsFunc(s.tests, func(o *test) bool { return o.Name == t.Name && o.Action == "pass" })
	if fault != "" || !ran {
		return "failed again by itself"
	}
	passed, known := packages[t.Package]
	if !known {
		s, fault = r.call(ctx, g.only(t.Package, ""))
		passed = fault == "" && len(s.tests) > 0
		packages[t.Package] = passed
	}
	if !passed {
		return "passed by itself, and its package failed again: a test leaves something behind, or waits for too little"
	}
	return ""
}

// reason is why a test was skipped, in its own words, without the line of its file.
func reason(output string) string {
	var words []string
	for line := range strings.Lines(output) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "=== ") || strings.HasPrefix(line, "--- ") {
			continue
		}
		if _, after, ok := strings.Cut(line, "_test.go:"); ok {
			if _, after, ok = strings.Cut(after, ": "); ok {
				line = after
			}
		}
		words = append(words, line)
	}
	text := cmp.Or(strings.Join(words, " "), "it does not say why")
	return text[:min(len(text), 240)]
}

// step runs a command, which passes or fails as one. One whose last line begins with "skipped: " could not check what it is for.
func (r *runner) step(ctx context.Context, part string, c command) *result {
	var words bytes.Buffer
	out := &result{Part: part}
	if err := r.execute(ctx, c, &words, &words); err != nil {
		out.Failed = []finding{{Part: part, Why: err.Error(), Output: tail(words.String(), 80)}}
		return out
	}
	out.said = words.String()
	if why, ok := strings.CutPrefix(strings.TrimSpace(tail(out.said, 1)), "skipped: "); ok {
		out.Skipped = []finding{{Part: part, Why: why}}
		return out
	}
	out.Passed = 1
	return out
}

// tail are the last n lines.
func tail(text string, n int) string {
	lines := strings.SplitAfter(strings.TrimRight(text, "\n"), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "") + "\n"
}

func since(began time.Time) float64 { return time.Since(began).Seconds() }
