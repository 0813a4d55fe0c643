package main

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"time"
)

// What became of a mutation.
const (
	caught   = "caught"
	survived = "SURVIVED"
	unbuilt  = "NO BUILD" // it does not compile, and says nothing of tests
	stale    = "STALE"    // its text is not there any more
	unsound  = "UNSOUND"  // the tests fail without it
)

// outcome is a mutation and what became of it.
type outcome struct {
	mutation
	Result  string  `json:"result"`
	By      string  `json:"by"` // the tests that failed, or what is wrong
	Seconds float64 `json:"seconds"`
}

// trial runs tests.
type trial struct {
	dir, scratch string
	short        bool
	sound        map[string]usual // of packages that pass without a mutation, by their names
}

// usual is how long the tests of some packages take, and which of them are slow: those are asked last.
type usual struct {
	took time.Duration
	slow []string
}

func newTrial(dir, scratch string, short bool) *trial {
	return &trial{dir: dir, scratch: scratch, short: short, sound: map[string]usual{}}
}

// try runs the tests of a mutation's packages with it.
func (t *trial) try(ctx context.Context, m mutation) outcome {
	o := outcome{mutation: m}
	list, err := m.overlay(t.dir, t.scratch)
	if err != nil {
		o.Result, o.By = stale, err.Error()
		return o
	}
	u, said, err := t.passes(ctx, &m)
	if err != nil {
		o.Result, o.By = unsound, failures(said)
		return o
	}
	began := time.Now()
	within := u.took*3 + time.Minute // a hang is caught, and is not waited for much longer than the tests take
	o.Result, o.By = t.notice(ctx, &m, list, within, "-skip", oneOf(u.slow))
	if o.Result == survived && len(u.slow) > 0 {
		o.Result, o.By = t.notice(ctx, &m, list, within, "-run", oneOf(u.slow))
	}
	o.Seconds = time.Since(began).Seconds()
	return o
}

// oneOf matches tests by their names, and none of no names.
func oneOf(names []string) string { return "^(" + strings.Join(names, "|") + ")$" }

// notice says whether a test fails because of the mutation. A busy machine fails tests too: one that fails is run
// again by itself, and counts if it fails with the mutation and passes without; else the others have to tell.
func (t *trial) notice(ctx context.Context, m *mutation, list string, within time.Duration, which ...string) (result, by string) {
	var excused []string
	for ctx.Err() == nil {
		args := append([]string{"-overlay", list, "-failfast"}, which...)
		if which[0] == "-skip" {
			args[len(args)-1] += "|" + oneOf(excused)
		} else {
			args = append(args, "-skip", oneOf(excused))
		}
		said, err := t.test(ctx, m, within, args...)
		names := failed.FindStringSubmatch(said)
		if names == nil {
			names = hanging.FindStringSubmatch(said)
		}
		switch {
		case err == nil:
			return survived, "all tests pass"
		case strings.Contains(said, "[build failed]") || strings.Contains(said, "[setup failed]"):
			return unbuilt, said
		case names == nil, strings.Contains(said, "WARNING: DATA RACE"): // it ended the whole program; or a race, which need not show twice
			return caught, failures(said)
		}
		test, _, _ := strings.Cut(names[1], "/")
		alone := oneOf([]string{test})
		_, with := t.test(ctx, m, within, "-overlay", list, "-run", alone)
		if _, without := t.test(ctx, m, within, "-run", alone); with != nil && without == nil {
			return caught, failures(said)
		}
		excused = append(excused, test)
	}
	return survived, "interrupted"
}

// slowTest is how long one takes that is asked after the others.
const slowTest = 3 * time.Second

var passed = regexp.MustCompile(`(?m)^--- PASS: (\S+) \(([0-9.]+)s\)`)

// passes makes sure, once, that the tests pass without a mutation, and says how long they take.
func (t *trial) passes(ctx context.Context, m *mutation) (u usual, said string, err error) {
	key := fmt.Sprint(m.packages(), m.Race)
	if u, ok := t.sound[key]; ok {
		return u, "", nil
	}
	began := time.Now()
	if said, err = t.test(ctx, m, 30*time.Minute, "-v"); err != nil {
		return u, said, err
	}
	u.took = time.Since(began)
	for _, match := range passed.FindAllStringSubmatch(said, -1) {
		if took, err := time.ParseDuration(match[2] + "s"); err == nil && took > slowTest {
			u.slow = append(u.slow, match[1])
		}
	}
	t.sound[key] = u
	return u, "", nil
}

func (t *trial) test(ctx context.Context, m *mutation, timeout time.Duration, more ...string) (said string, err error) {
	args := append([]string{"test", "-count=1", "-vet=off", "-timeout", timeout.String()}, more...)
	if t.short {
		args = append(args, "-short")
	}
	if m.Race {
		args = append(args, "-race")
	}
	cmd := exec.CommandContext(ctx, "go", slices.Concat(args, m.packages())...)
	cmd.Dir = t.dir
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return err.Error(), err
	}
	return string(out), err
}

// failed finds the tests that did, those inside others too, and hanging one that was running when the time was over.
var (
	failed  = regexp.MustCompile(`(?m)^\s*--- FAIL: (\S+)`)
	hanging = regexp.MustCompile(`(?m)^\s*running tests:\n\s+(\S+) \(`)
)

// failures names what failed, in short.
func failures(said string) string {
	var names []string
	if strings.Contains(said, "WARNING: DATA RACE") {
		names = append(names, "data race")
	}
	if strings.Contains(said, "panic: test timed out") {
		names = append(names, "hangs")
	} else if strings.Contains(said, "panic: ") {
		names = append(names, "panic")
	}
	for _, match := range failed.FindAllStringSubmatch(said, -1) {
		if !slices.Contains(names, match[1]) {
			names = append(names, match[1])
		}
	}
	const most = 3
	if len(names) > most {
		names = append(names[:most], fmt.Sprintf("%d more", len(names)-most))
	}
	if len(names) == 0 {
		names = []string{said[max(0, len(said)-300):]}
	}
	return strings.Join(names, ", ")
}
