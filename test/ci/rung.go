package main

import (
	"fmt"
	"slices"
)

// rung says how much is run. Each one runs all that the one before does, and more.
type rung int

const (
	quick   rung = iota // no real servers, nothing measured, fewer samples: while you work
	landing             // what must hold for every landing
	all                 // everything: what the night and a release run
)

var rungs = []string{"quick", "landing", "all"}

func (r rung) String() string { return rungs[r] }

func parseRung(word string) (rung, error) {
	if i := slices.Index(rungs, word); i >= 0 {
		return rung(i), nil
	}
	return 0, fmt.Errorf("%q is none of quick, landing (which it is without a word) and all", word)
}
