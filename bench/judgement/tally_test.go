package main

import (
	"strings"
	"testing"
)

func TestTable(t *testing.T) {
	all := []tally{
		{judge: "drift", situation: "steady", right: 190, undecided: 9, wrong: 1, quiet: true},
		{judge: "drift", situation: "slower at half", right: 100, wrong: 1},
		{judge: "ab", situation: "20 %", right: 3},
	}
	got := table(all)
	for _, line := range []string{
		"| drift | steady (quiet) | 200 | 190 | 9 | 1 |",
		"| drift | all | 301 | 290 | 9 | 2 |",
		"| ab | all | 3 | 3 | 0 | 0 |",
	} {
		if !strings.Contains(got, line+"\n") {
			t.Errorf("the table lacks %s:\n%s", line, got)
		}
	}
	if !holds(all) {
		t.Error("2 of 301 are more than one in a hundred?")
	}
	if all[1].wrong = 3; holds(all) {
		t.Error("4 of 301 are no more than one in a hundred?")
	}
}
