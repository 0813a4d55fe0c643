package compare

import (
	"fmt"
	"slices"
	"strconv"
)

// points is a difference of accuracy in percentage points with its interval.
func (p *Paired) points() string {
	return fmt.Sprintf("%+.1f points [%+.1f, %+.1f]", 100*p.Difference, 100*p.Low, 100*p.High)
}

// words is a difference as a cell of a table.
func (p *Paired) words() string {
	switch {
	case p == nil:
		return "unknown"
	case p.NotPaired != "":
		return "not paired"
	case p.better():
		return p.points() + " real, better"
	case p.worse():
		return p.points() + " real, worse"
	case p.Call == Unclear:
		return fmt.Sprintf("%s %s (≥ %.1f points could be seen)", p.points(), p.Call, min(100*p.Smallest, 100))
	}
	return fmt.Sprintf("%s %s", p.points(), p.Call)
}

// lines are the rows of accuracy below those of speed.
func (a *Accuracy) lines() [][]box {
	if a == nil {
		return nil
	}
	out := [][]box{
		a.line("accuracy", func(s *Answers) string { return s.Words("unknown") }, (*Paired).words),
		a.line("accuracy, interval", func(s *Answers) string {
			if !s.Known {
				return ""
			}
			return fmt.Sprintf("%.3f to %.3f", s.Low, s.High)
		}, func(p *Paired) string { return "p = " + probability(p.P) }),
		a.line("questions answered", func(s *Answers) string { return fmt.Sprintf("%d of %d", s.Answered, max(s.Questions, s.Answered)) }, (*Paired).paired),
		a.line("no answer found", func(s *Answers) string { return strconv.Itoa(s.NoAnswer) }, nil),
		a.line("cut off at the limit", func(s *Answers) string { return strconv.Itoa(s.CutOff) }, nil),
		a.line("right, then wrong", nil, func(p *Paired) string { return strconv.Itoa(p.Lost) }),
		a.line("wrong, then right", nil, func(p *Paired) string { return strconv.Itoa(p.Gained) }),
		a.line("other texts", nil, func(p *Paired) string {
			if p.Texts == 0 {
				return "unknown"
			}
			return fmt.Sprintf("%d of %d", p.OtherTexts, p.Texts)
		}),
	}
	return slices.DeleteFunc(out, func(line []box) bool { // of sides that can't be paired
		return !slices.ContainsFunc(line[1:], func(b box) bool { return b.text != "" })
	})
}

// line is one row: what is said of each side, and of its pairs with the first.
func (a *Accuracy) line(label string, side func(*Answers) string, change func(*Paired) string) []box {
	line := []box{{text: label}}
	for i := range a.Sides {
		s := &a.Sides[i]
		text := ""
		if side != nil && (s.Asked || label == "accuracy") {
			text = side(s)
		}
		line = append(line, box{text, s.Best && label == "accuracy"})
		if i == 0 {
			continue
		}
		text = ""
		if change != nil && (s.Change.NotPaired == "" || label == "accuracy") {
			text = change(s.Change)
		}
		line = append(line, box{text: text})
	}
	return line
}

// Words are the accuracy and its standard error; unknown stands where there is none.
func (s *Answers) Words(unknown string) string {
	if !s.Known {
		return unknown
	}
	return fmt.Sprintf("%.4f ± %.4f", s.Value, s.StdErr)
}

// paired is how many questions are, and how many only one side answered.
func (p *Paired) paired() string {
	text := fmt.Sprintf("%d in both", p.Questions)
	if p.OnlyFirst+p.OnlySecond > 0 {
		text += fmt.Sprintf(", %d only there, %d only here", p.OnlyFirst, p.OnlySecond)
	}
	return text
}
