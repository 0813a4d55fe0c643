package export

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/inferometer/inferometer/internal/eval/score"
	"github.com/inferometer/inferometer/internal/outside"
	"github.com/inferometer/inferometer/internal/show/number"
	"github.com/inferometer/inferometer/internal/show/section"
)

// noQuestions is what is said of a run whose requests were none.
const noQuestions = "its requests were no questions: only a run of inferometer eval has scores"

// LMEval writes the table that lm-eval prints at its end, so that both can be pasted one
// below the other. Of several runs there is a table each, below the run's name.
func LMEval(w io.Writer, runs []section.Run) error {
	var b strings.Builder
	for i := range runs {
		e := runs[i].Result.Eval
		if e == nil {
			return fmt.Errorf("%s: %s", runs[i].Name, noQuestions)
		}
		if len(runs) > 1 {
			if i > 0 {
				b.WriteString("\n")
			}
			fmt.Fprintf(&b, "%s\n\n", outside.Markdown(runs[i].Name))
		}
		lmEvalTable(&b, e)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// lmEvalHeads are lm-eval's; # says that the column is one of numbers.
var lmEvalHeads = []string{"Tasks", "#Version", "Filter", "#n-shot", "Metric", "", "#Value", "", "#Stderr"}

func lmEvalTable(b *strings.Builder, e *score.Result) {
	scores := slices.Clone(e.Scores)
	slices.SortStableFunc(scores, func(a, b score.Score) int { // as lm-eval does, by "metric,filter"
		return cmp.Compare(a.Metric+","+filterName(&a), b.Metric+","+filterName(&b))
	})
	var lines [][]string
	for i := range scores {
		s := &scores[i]
		task, version := outside.Markdown(section.Shown(e.Task)), outside.Markdown(section.Shown(cmp.Or(strings.TrimSuffix(e.Version, ".0"), "N/A")))
		if i > 0 {
			task, version = "", ""
		}
		lines = append(lines, []string{task, version, outside.Markdown(filterName(s)), strconv.Itoa(e.Shots), outside.Markdown(section.Shown(s.Metric)), "↑", notKnown(s.Value), "±", notKnown(s.StdErr)})
	}
	alignedTable(b, lmEvalHeads, lines)
}

// filterName is the score's, or lm-eval's word for none.
func filterName(s *score.Score) string { return section.Shown(cmp.Or(s.Name, "none")) }

// notKnown is a share with four digits, or lm-eval's word for what it does not know.
func notKnown(v *float64) string {
	if v == nil {
		return "N/A"
	}
	return number.Accuracy(*v)
}

// alignedTable writes a table whose columns are as wide as their longest cell, with heads
// in the middle.
func alignedTable(b *strings.Builder, heads []string, lines [][]string) {
	widths, numbers := make([]int, len(heads)), make([]bool, len(heads))
	names := make([]string, len(heads))
	for i, h := range heads {
		names[i], numbers[i] = strings.CutPrefix(h, "#")
		widths[i] = max(utf8.RuneCountInString(names[i]), 3)
		for _, line := range lines {
			widths[i] = max(widths[i], utf8.RuneCountInString(line[i]))
		}
	}
	row := func(cell func(i, free int) string) {
		for i := range heads {
			b.WriteString("|" + cell(i, widths[i]))
		}
		b.WriteString("|\n")
	}
	spaces := func(n int) string { return strings.Repeat(" ", n) }
	row(func(i, wide int) string {
		free := wide - utf8.RuneCountInString(names[i])
		return spaces(free/2) + names[i] + spaces(free-free/2)
	})
	row(func(i, wide int) string {
		if numbers[i] {
			return strings.Repeat("-", wide-1) + ":"
		}
		return strings.Repeat("-", wide)
	})
	for _, line := range lines {
		row(func(i, wide int) string {
			free := spaces(wide - utf8.RuneCountInString(line[i]))
			if numbers[i] {
				return free + line[i]
			}
			return line[i] + free
		})
	}
}
