// Command ci runs what must hold, in three rungs, and hides nothing: a test that fails and then passes is flaky and no
// pass, what is skipped or left out is named with its reason, and time is a budget. See docs/testing.md; the parts are
// the table in parts.go.
//
//	ci [quick | landing | all]     runs a rung; without a word it is landing
//	ci -part WORD [RUNG]           only the parts of it whose name has the word
//	ci -list [RUNG]                what it would run
//	ci -table RECORD…              many runs in one table
//	ci -budgets RECORD…            budgets that fit them, as .ci/budgets has them
//
// INFEROMETER_REQUIRE_ALL=1 makes a skip a failure; INFEROMETER_CI_RECORD names a file for the record of the run, and
// INFEROMETER_CI_BESIDE says in it what ran beside.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	ok, err := run(ctx, os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "ci:", err)
	}
	if err != nil || !ok {
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) (bool, error) {
	flags := flag.NewFlagSet("ci", flag.ContinueOnError)
	word := flags.String("part", "", "run only the parts whose name has this word")
	list := flags.Bool("list", false, "name the parts and run none")
	tables := flags.Bool("table", false, "print a table of the records")
	budgets := flags.Bool("budgets", false, "print budgets that fit the records")
	late := flags.Duration("late", 70*time.Minute, "after this long nothing but the core waits for what is still being built")
	if err := flags.Parse(args); err != nil {
		return false, err
	}
	if *tables || *budgets {
		records, err := readRecords(flags.Args())
		switch {
		case err != nil:
			return false, err
		case *tables:
			table(os.Stdout, records)
		default:
			fmt.Print(makeBudgets(records))
		}
		return true, nil
	}
	level := landing
	if flags.NArg() > 1 {
		return false, errors.New("one rung, please: quick, landing or all")
	}
	if flags.NArg() == 1 {
		var err error
		if level, err = parseRung(flags.Arg(0)); err != nil {
			return false, err
		}
	}
	some := slices.DeleteFunc(slices.Clone(parts), func(p part) bool { return !strings.Contains(p.name, *word) })
	if !slices.ContainsFunc(some, func(p part) bool { return p.in(level) }) {
		return false, fmt.Errorf("no part of this rung has %q in its name: -list names them", *word)
	}
	if *list {
		for _, p := range some {
			if p.in(level) {
				fmt.Println(p.name)
			}
		}
		return true, nil
	}
	if level == all {
		*late = 24 * time.Hour
	}
	return runRung(ctx, level, some, *late)
}

func runRung(ctx context.Context, level rung, some []part, late time.Duration) (bool, error) {
	budget, err := readBudgets(".ci/budgets")
	if err != nil {
		return false, err
	}
	beats := startPulses()
	defer beats.end()
	things := startGets(ctx, wanted(some, level), startCommand)
	defer things.stop()
	r := &runner{
		rung: level, execute: realExecute, gets: things, budgets: budget, out: os.Stdout, pulse: beats.between,
		alone: func() func() {
			resume := things.pause()
			beats.take()
			beats.paused.Store(true)
			return func() { beats.paused.Store(false); beats.take(); resume() }
		},
		list: listPackages, began: time.Now(), late: late, latest: late + 10*time.Minute, over: late + 15*time.Minute,
	}
	stopped := r.run(ctx, some)
	out := newRecord(level, os.Getenv("INFEROMETER_REQUIRE_ALL") != "", r.results)
	out.leave(some, level)
	out.Began, out.Seconds, out.Beside = r.began, since(r.began), os.Getenv("INFEROMETER_CI_BESIDE")
	for _, g := range things.all {
		if g.ended() {
			out.Got = append(out.Got, cost{g.name, g.seconds, g.fault})
		}
	}
	if stopped != nil {
		out.Failed = append(out.Failed, finding{Part: "the run", Why: "it was ended: " + stopped.Error()})
	}
	if path := os.Getenv("INFEROMETER_CI_RECORD"); path != "" {
		if err := out.write(path); err != nil {
			out.Failed = append(out.Failed, finding{Part: "the record of the run", Why: err.Error()})
		}
	}
	return summarise(os.Stdout, out), nil
}

// startCommand starts a command.
func startCommand(ctx context.Context, c command, out, words *bytes.Buffer) (*exec.Cmd, error) {
	cmd := newCommand(ctx, c, out, words)
	return cmd, cmd.Start()
}
