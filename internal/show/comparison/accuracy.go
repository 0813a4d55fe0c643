package comparison

import (
	"fmt"
	"strconv"

	"github.com/inferometer/inferometer/internal/judge/compare"
	"github.com/inferometer/inferometer/internal/show/front"
	"github.com/inferometer/inferometer/internal/show/number"
	"github.com/inferometer/inferometer/internal/show/table"
)

// paired is a difference of accuracy as a cell of a table.
func paired(p *compare.Paired) string {
	switch {
	case p == nil:
		return number.Unknown
	case p.NotPaired != "":
		return "not paired"
	case p.Better():
		return p.Points() + " real, better"
	case p.Worse():
		return p.Points() + " real, worse"
	case p.Call == compare.Unclear:
		return fmt.Sprintf("%s %s (≥ %.1f points could be seen)", p.Points(), p.Call, min(100*p.Smallest, 100))
	}
	return fmt.Sprintf("%s %s", p.Points(), p.Call)
}

// Accuracy is the accuracy of a side and its standard error; unknown stands where there is none.
func Accuracy(s *compare.Answers, unknown string) string {
	if !s.Known {
		return unknown
	}
	return front.Accuracy(s.Value, s.StdErr)
}

// addAccuracy adds the rows of accuracy below those of speed.
func addAccuracy(t *table.Table, a *compare.Accuracy) {
	if a == nil {
		return
	}
	add := func(label string, side func(*compare.Answers) string, change func(*compare.Paired) string) {
		first, said := label == "accuracy", false // which also says that there is none
		line := table.Row(label)
		cell := func(words string, isBest bool) {
			said = said || words != ""
			line = append(line, best(table.Word(words), isBest))
		}
		for i := range a.Sides {
			s := &a.Sides[i]
			words := ""
			if side != nil && (s.Asked || first) {
				words = side(s)
			}
			cell(words, s.Best && first)
			if i == 0 {
				continue
			}
			words = ""
			if change != nil && (s.Change.NotPaired == "" || first) {
				words = change(s.Change)
			}
			cell(words, false)
		}
		if said { // sides that can't be paired say nothing
			t.Rows = append(t.Rows, line)
		}
	}
	add("accuracy", func(s *compare.Answers) string { return Accuracy(s, number.Unknown) }, paired)
	add("accuracy, interval", func(s *compare.Answers) string {
		if !s.Known {
			return ""
		}
		return fmt.Sprintf("%.3f to %.3f", s.Low, s.High)
	}, func(p *compare.Paired) string { return "p = " + compare.Probability(p.P) })
	add("questions answered", func(s *compare.Answers) string {
		return fmt.Sprintf("%d of %d", s.Answered, max(s.Questions, s.Answered))
	}, questions)
	add("no answer found", func(s *compare.Answers) string { return strconv.Itoa(s.NoAnswer) }, nil)
	add("cut off at the limit", func(s *compare.Answers) string { return strconv.Itoa(s.CutOff) }, nil)
	add("right, then wrong", nil, func(p *compare.Paired) string { return strconv.Itoa(p.Lost) })
	add("wrong, then right", nil, func(p *compare.Paired) string { return strconv.Itoa(p.Gained) })
	add("other texts", nil, func(p *compare.Paired) string {
		if p.Texts == 0 {
			return number.Unknown
		}
		return fmt.Sprintf("%d of %d", p.OtherTexts, p.Texts)
	})
}

// questions is how many are paired, and how many only one side answered.
func questions(p *compare.Paired) string {
	words := fmt.Sprintf("%d in both", p.Questions)
	if p.OnlyFirst+p.OnlySecond > 0 {
		words += fmt.Sprintf(", %d only there, %d only here", p.OnlyFirst, p.OnlySecond)
	}
	return words
}
