package main

import (
	"fmt"
	"slices"
	"strings"
)

// answer is what a judge's sentence was worth.
type answer int

const (
	right     answer = iota
	undecided        // it said that it can't tell, or asked for more
	wrong            // with confidence
)

// tally counts the answers of one judge in one situation.
type tally struct {
	judge, situation        string
	right, undecided, wrong int
	quiet                   bool // nothing disturbs the machine or the server: leaving the question open is a fault too
}

func (t *tally) add(a answer) {
	switch a {
	case right:
		t.right++
	case undecided:
		t.undecided++
	default:
		t.wrong++
	}
}

func (t *tally) trials() int { return t.right + t.undecided + t.wrong }

// most of a judge's trials that may be wrong with confidence, and of its quiet ones that may stay open.
const (
	mostWrong = 0.01
	mostOpen  = 0.05
)

// holds says whether every judge keeps to mostWrong, over all of its situations.
func holds(all []tally) bool {
	return !slices.ContainsFunc(sums(all), func(t tally) bool { return float64(t.wrong) > mostWrong*float64(t.trials()) })
}

// sums are the tallies of each judge together.
func sums(all []tally) []tally {
	var out []tally
	for _, t := range all {
		at := slices.IndexFunc(out, func(s tally) bool { return s.judge == t.judge })
		if at < 0 {
			out, at = append(out, tally{judge: t.judge, situation: "all"}), len(out)
		}
		out[at].right, out[at].undecided, out[at].wrong = out[at].right+t.right, out[at].undecided+t.undecided, out[at].wrong+t.wrong
	}
	return out
}

// table is for docs/reference/judgement.md: each situation, and each judge's sum.
func table(all []tally) string {
	var b strings.Builder
	b.WriteString("| judge | situation | trials | right | undecided | wrong with confidence |\n|---|---|---:|---:|---:|---:|\n")
	for _, s := range sums(all) {
		for _, t := range append(slices.DeleteFunc(slices.Clone(all), func(t tally) bool { return t.judge != s.judge }), s) {
			situation := t.situation
			if t.quiet {
				situation += " (quiet)"
			}
			fmt.Fprintf(&b, "| %s | %s | %d | %d | %d | %d |\n", t.judge, situation, t.trials(), t.right, t.undecided, t.wrong)
		}
	}
	return b.String()
}

// under are the lines below the table: how often each judge left a question open though nothing disturbed it, and the
// judges' own.
func under(all []tally, notes []string) string {
	var b strings.Builder
	quiet := sums(slices.DeleteFunc(slices.Clone(all), func(t tally) bool { return !t.quiet }))
	for _, t := range quiet {
		fmt.Fprintf(&b, "- %s: undecided on a quiet machine in %s\n", t.judge, share(t.undecided, t.trials()))
	}
	for _, n := range notes {
		fmt.Fprintf(&b, "- %s\n", n)
	}
	return b.String()
}

// share is a number of trials and what share of all it is.
func share(n, of int) string {
	if of == 0 {
		return "0 of 0"
	}
	return fmt.Sprintf("%d of %d (%.1f %%)", n, of, 100*float64(n)/float64(of))
}
