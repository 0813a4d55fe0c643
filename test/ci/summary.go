package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
)

// slowest is how many tests are named with their times at the end of a run.
const slowest = 20

// summarise prints what the whole run came to, and says whether it holds. The last line is the count.
func summarise(w io.Writer, r *record) bool {
	left(w, r)
	skips(w, r)
	slow(w, r)
	if r.RequireAll && len(r.Skipped) > 0 {
		fmt.Fprintf(w, "\nINFEROMETER_REQUIRE_ALL is set: the %d skipped count as failed\n", len(r.Skipped))
	}
	if len(r.Flaky) > 0 {
		fmt.Fprintf(w, "\n%d flaky, of %d that a run may have:\n", len(r.Flaky), mostFlaky)
		for _, f := range r.Flaky {
			fmt.Fprintf(w, "      %s\n", f.String())
		}
	}
	if len(r.Failed) > 0 {
		fmt.Fprintf(w, "\n%d failed:\n", len(r.Failed))
		for _, f := range r.Failed {
			fmt.Fprintf(w, "      %s: %s\n", cmp.Or(f.String(), f.Part), f.Why)
		}
	}
	fmt.Fprintf(w, "\n%s in %s\n", r.Rung, minutes(r.Seconds))
	fmt.Fprintf(w, "%d passed, %d failed, %d skipped\n", r.Passed, len(r.Failed), len(r.Skipped))
	return len(r.Failed) == 0 && len(r.Flaky) <= mostFlaky
}

// left names the parts that the rung leaves out: they are no skipped ones, another rung runs them.
func left(w io.Writer, r *record) {
	if len(r.Left) > 0 {
		fmt.Fprintln(w)
	}
	grouped(w, "left out: ", r.Left)
}

// skips names what was skipped, one line for all tests of a package with the same reason.
func skips(w io.Writer, r *record) {
	if len(r.Skipped) > 0 {
		fmt.Fprintf(w, "\n%d skipped:\n", len(r.Skipped))
	}
	grouped(w, "      ", r.Skipped)
}

func grouped(w io.Writer, before string, findings []finding) {
	type group struct{ where, why string }
	names, order := map[group][]string{}, []group(nil)
	for _, f := range findings {
		g := group{cmp.Or(f.Package, f.Part), f.Why}
		if names[g] == nil {
			order = append(order, g)
		}
		names[g] = append(names[g], f.Test)
	}
	for _, g := range order {
		tests := names[g]
		switch {
		case tests[0] == "":
			fmt.Fprintf(w, "%s%s: %s\n", before, g.where, g.why)
		case len(tests) <= 3:
			fmt.Fprintf(w, "%s%s: %s: %s\n", before, g.where, strings.Join(tests, ", "), g.why)
		default:
			fmt.Fprintf(w, "%s%s: %d tests (%s, …): %s\n", before, g.where, len(tests), tests[0], g.why)
		}
	}
}

func slow(w io.Writer, r *record) {
	var every []timed
	for _, p := range r.Parts {
		every = append(every, p.Slow...)
	}
	slices.SortStableFunc(every, func(a, b timed) int { return -cmp.Compare(a.Seconds, b.Seconds) })
	if len(every) > 0 {
		fmt.Fprintf(w, "\nthe slowest tests:\n")
	}
	for _, t := range every[:min(len(every), slowest)] {
		fmt.Fprintf(w, "      %6.1f s  %s %s\n", t.Seconds, t.Package, t.Test)
	}
}

func minutes(seconds float64) string {
	return fmt.Sprintf("%d:%02d minutes", int(seconds)/60, int(seconds)%60)
}
