package section

import (
	"fmt"
	"strings"

	"github.com/inferometer/inferometer/internal/judge/measure"
	"github.com/inferometer/inferometer/internal/judge/verdict"
	"github.com/inferometer/inferometer/internal/show/number"
	"github.com/inferometer/inferometer/internal/show/table"
)

// percentile is one of a distribution: a dash where it has no value, and n/a where it has too few.
func percentile(s *measure.Summary, p, v float64) table.Cell {
	switch {
	case s.Count == 0:
		return table.Word(number.None)
	case int64(s.Count) < verdict.Needs(p):
		return table.Word(number.TooFew)
	}
	return table.Value(v)
}

// mean is that of a distribution, if it has a value.
func mean(s *measure.Summary) table.Cell {
	if s.Count == 0 {
		return table.Word(number.None)
	}
	return table.Value(s.Mean)
}

// outcomes says how requests ended.
func outcomes(counts []measure.OutcomeCount) string {
	parts := make([]string, len(counts))
	for i, o := range counts {
		parts[i] = fmt.Sprintf("%d %s", o.Count, o.Outcome)
	}
	return strings.Join(parts, ", ")
}

// wide are columns of numbers for which a console has no room.
func wide(format func(float64) string, names ...string) []table.Column {
	return table.Hide(table.OnConsole, table.Numbers(format, names...)...)
}
