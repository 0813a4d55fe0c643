package foreign

import (
	"strings"

	"github.com/inferometer/inferometer/internal/judge/result"
)

// maxLine is how much of a line is looked at: a Namespace has some 3,000 characters.
const maxLine = 1 << 16

// readText finds the result blocks in any text: a console's output, a log, a note
// in Markdown. Blocks come in the order of the text. It is one pass: what is said about
// a block stands above it, and is remembered on the way.
func readText(data []byte) []result.Result {
	lines := strings.Split(strings.ReplaceAll(string(data), "\r\n", "\n"), "\n")
	for i, line := range lines {
		if len(line) > maxLine {
			lines[i] = line[:maxLine]
		}
	}
	var runs []result.Result
	around := newContext()
	for i := 0; i < len(lines) && len(runs) <= maxRuns; {
		found, used := blockAt(lines[i:])
		if used == 0 {
			i += around.line(lines[i:])
			continue
		}
		for _, r := range found {
			r.Line = i + 1
			around.into(&r)
			runs = append(runs, r)
		}
		i += used
		if len(found) > 0 {
			around.next()
		}
	}
	return joinAccuracy(withoutRepeats(runs))
}

// blockAt reads the block that begins at the first of the lines. used is 0 where none begins.
func blockAt(lines []string) (runs []result.Result, used int) {
	switch line := strings.TrimSpace(lines[0]); {
	case consoleHead.MatchString(line):
		return consoleBlock(lines)
	case locustHead.MatchString(line):
		return locustBlock(lines)
	case offlineHead.MatchString(line):
		return offlineBlock(lines)
	case strings.HasPrefix(line, "|"):
		for _, table := range []func([]string) ([]result.Result, int){llamaTable, evalTable, handTable} {
			if runs, used = table(lines); used > 0 {
				return runs, used
			}
		}
	}
	return nil, 0
}

// joinAccuracy puts scores beside the speeds of the same section: what a quantisation
// costs in quality belongs beside what it gains in speed. Scores with no speed in their
// section stay as they are.
func joinAccuracy(runs []result.Result) []result.Result {
	speeds := map[int][]int{}
	for i := range runs {
		if runs[i].Tool != result.LMEval && runs[i].Section > 0 {
			speeds[runs[i].Section] = append(speeds[runs[i].Section], i)
		}
	}
	joined := map[int]bool{}
	for i := range runs {
		if runs[i].Tool != result.LMEval {
			continue
		}
		for _, to := range speeds[runs[i].Section] {
			for metric, v := range runs[i].Values {
				runs[to].Set(metric, &v)
			}
			for metric, higher := range runs[i].Higher {
				runs[to].Direct(metric, higher)
			}
			joined[i] = true
		}
	}
	var out []result.Result
	for i := range runs {
		if !joined[i] {
			out = append(out, runs[i])
		}
	}
	return out
}

// withoutRepeats leaves out rows of hand-made tables that repeat a block or another row
// of the same text: people print blocks and then make tables of them.
func withoutRepeats(runs []result.Result) []result.Result {
	type number struct {
		metric string
		value  float64
	}
	at := map[number][]int{}
	add := func(i int) {
		for metric, v := range runs[i].Values {
			if key := (number{metric, v}); len(at[key]) < 20 {
				at[key] = append(at[key], i)
			}
		}
	}
	for i := range runs {
		if runs[i].Tool != result.HandMade {
			add(i)
		}
	}
	repeats := func(i int) bool {
		for metric, v := range runs[i].Values {
			for _, other := range at[number{metric, v}] {
				if sameNumbers(&runs[i], &runs[other]) {
					return true
				}
			}
		}
		return false
	}
	var out []result.Result
	for i := range runs {
		if runs[i].Tool == result.HandMade {
			if repeats(i) {
				continue
			}
			add(i)
		}
		out = append(out, runs[i])
	}
	return out
}

// sameNumbers says whether two runs share at least three metrics and agree in all, and
// say nothing else about their load.
func sameNumbers(a, b *result.Result) bool {
	if la, lb := a.Facts.Load(), b.Facts.Load(); la != lb && la != "" && lb != "" {
		return false
	}
	shared := 0
	for metric, v := range a.Values {
		w, ok := b.Values[metric]
		if ok && v != w {
			return false
		}
		if ok {
			shared++
		}
	}
	return shared >= 3
}
