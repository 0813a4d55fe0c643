// Command mutation breaks the code in many places, one at a time, and says which breaks the tests notice: a line
// that can be wrong without a test failing is a line that no refactoring may touch.
//
//	go run ./bench/mutation                      # all; make mutation
//	go run ./bench/mutation -only journal        # those whose file or description matches
//	go run ./bench/mutation -json results.json   # a record beside the table
//
// It changes no file: each mutation is an overlay (go build -overlay) with which the tests of its package are run.
// First they are run without one, since a test that fails anyway catches nothing. A mutation is caught if one fails
// with it, by itself as well, and passes without it, or if they hang or crash; it survives if they pass. The exit code is 1 if one survives without a sentence
// that accepts it, does not compile, or no longer applies.
//
// To add one: write a line into the list of its package (load.go, wire.go, …), the text as it stands in the file, and
// enough of it to occur once. Choose what a refactoring would get wrong (a bound, an order, a unit, a field that is
// left out, a lock, an error that is dropped) before you look at the tests. One that changes nothing that anybody
// could see is no mutation: take another. If it survives, write the test beside the code. A table that the code has
// moved away from fails in TestTableApplies, which is part of the ordinary tests.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
)

func main() {
	only := flag.String("only", "", "run the mutations whose file or description matches this regular expression")
	record := flag.String("json", "", "write a record to this file")
	short := flag.Bool("short", true, "run the tests with -short")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	which, err := regexp.Compile(*only)
	if err == nil {
		err = check(ctx, which, *record, *short)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutation:", err)
		os.Exit(1)
	}
}

// root is the repository's folder.
func root() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for ; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		if dir == filepath.Dir(dir) {
			return "", fmt.Errorf("no go.mod above the working directory")
		}
	}
}

func check(ctx context.Context, only *regexp.Regexp, record string, short bool) error {
	dir, err := root()
	if err != nil {
		return err
	}
	scratch, err := os.MkdirTemp("", "mutation")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	t := newTrial(dir, scratch, short)
	var all []outcome
	for _, m := range table() {
		if !only.MatchString(m.File + " " + m.Breaks) {
			continue
		}
		o := t.try(ctx, m)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		all = append(all, o)
		fmt.Printf("%-9s %s: %s (%s, %.0f s)\n", o.Result, m.File, m.Breaks, o.By, o.Seconds)
	}
	summary(all)
	if record != "" {
		b, err := json.MarshalIndent(all, "", "  ")
		if err != nil {
			return err
		}
		if err := os.WriteFile(record, append(b, '\n'), 0o644); err != nil {
			return err
		}
	}
	return judge(all)
}

// summary prints how many were caught, by package.
func summary(all []outcome) {
	type count struct{ tried, caught, accepted int }
	by, order := map[string]*count{}, []string(nil)
	total := count{}
	for _, o := range all {
		name := filepath.Dir(o.File)
		if by[name] == nil {
			by[name], order = &count{}, append(order, name)
		}
		for _, c := range []*count{by[name], &total} {
			c.tried++
			switch {
			case o.Result == caught:
				c.caught++
			case o.Result == survived && o.Accepted != "":
				c.accepted++
			}
		}
	}
	fmt.Printf("\n%-28s %6s %6s %8s\n", "package", "tried", "caught", "accepted")
	for _, name := range order {
		fmt.Printf("%-28s %6d %6d %8d\n", name, by[name].tried, by[name].caught, by[name].accepted)
	}
	fmt.Printf("%-28s %6d %6d %8d\n", "all", total.tried, total.caught, total.accepted)
}

// judge is an error where something is to be done.
func judge(all []outcome) error {
	open := 0
	for _, o := range all {
		if o.Result == caught || o.Result == survived && o.Accepted != "" {
			continue
		}
		open++
		fmt.Printf("%s: %s: %s\n", o.Result, o.File, o.Breaks)
	}
	if open > 0 {
		return fmt.Errorf("%d of %d are to be looked at", open, len(all))
	}
	return nil
}
