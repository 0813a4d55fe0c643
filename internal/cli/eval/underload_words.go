package eval

import (
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/inferometer/inferometer/internal/eval/changes"
	"github.com/inferometer/inferometer/internal/eval/score"
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/outside"
	"github.com/inferometer/inferometer/internal/show/number"
)

// example is a question whose text changed, from where the two part.
type example struct {
	name         string
	right        string // as in changes.Change
	alone, under string
}

// mostExamples is how many are shown.
const mostExamples = 3

// words is what the runs say, for a reader.
func (l *Loaded) words() string {
	var b strings.Builder
	c := l.Changes
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("------------------- Under load -------------------")
	line("%s, greedy: 1 at a time, then %d at a time", outside.Word(l.Task), l.Concurrency)
	line("Answered both times: %d of %d questions", c.Questions, l.Questions)
	if c.OnlyFirst+c.OnlySecond > 0 {
		line("Answered only alone: %d, only under load: %d", c.OnlyFirst, c.OnlySecond)
	}
	line("Texts that changed:    %s", shareOf(c.Texts, c.Questions))
	line("Answers that changed:  %s", shareOf(c.Answers, c.Questions))
	line("Right alone, wrong under load: %d; the other way round: %d", c.Lost, c.Gained)
	line("Accuracy: %s alone, %s under load", accuracyWords(&l.Alone), accuracyWords(&l.Under))
	line("Difference: %+.1f points (%+.1f to %+.1f), McNemar's p %s: %s", 100*c.Difference, 100*c.Low, 100*c.High, pWords(c.P), c.Call())
	if n := l.Noise; n != nil {
		line("Without load, asked twice: texts that changed %s, answers %s", shareOf(n.Texts, n.Questions), shareOf(n.Answers, n.Questions))
	} else if changed(c) {
		line("What the server changes without load is not known: --%s asks twice", flagRepeat)
	}
	for _, e := range l.examples {
		line("Question %s (%s), from where the texts part:\n  alone:      %s\n  under load: %s", e.name, rightWords[e.right], e.alone, e.under)
	}
	line("Runs: %s", l.RunAlone)
	line("      %s", l.RunUnder)
	return b.String()
}

var rightWords = map[string]string{
	"11": "right both times", "10": "right, then wrong", "1n": "right, then no answer", "01": "wrong, then right", "n1": "no answer, then right",
	"00": "wrong both times", "0n": "wrong, then no answer", "n0": "no answer, then wrong", "nn": "no answer both times",
}

func changed(c *changes.Changes) bool {
	return c.Texts != nil && *c.Texts > 0 || c.Answers != nil && *c.Answers > 0 || c.Lost+c.Gained > 0
}

func shareOf(n *int, of int) string {
	if n == nil {
		return "not known"
	}
	if of == 0 {
		return "0 of 0"
	}
	return number.Of(*n, of)
}

func accuracyWords(a *score.Accuracy) string {
	if a.Value == nil {
		return "unknown"
	}
	if a.Low == nil || a.High == nil {
		return fmt.Sprintf("%.4f", *a.Value)
	}
	return fmt.Sprintf("%.4f (%.3f–%.3f)", *a.Value, *a.Low, *a.High)
}

func pWords(p float64) string {
	if p < 0.0001 {
		return "below 0.0001"
	}
	return fmt.Sprintf("%.4f", math.Min(p, 1))
}

// examplesOf reads the texts of a few changed questions: first of those that changed from
// right to wrong or back.
func examplesOf(l *Loaded) ([]example, error) {
	var picked []changes.Change
	for _, flipped := range []bool{true, false} {
		for _, c := range l.Changes.Changed {
			if (strings.Count(c.Right, "1") == 1) == flipped && len(picked) < mostExamples {
				picked = append(picked, c)
			}
		}
	}
	if len(picked) == 0 {
		return nil, nil
	}
	alone, err := textsOf(l.RunAlone, picked)
	if err != nil {
		return nil, err
	}
	under, err := textsOf(l.RunUnder, picked)
	if err != nil {
		return nil, err
	}
	var out []example
	for _, c := range picked {
		a, u := alone[c.Number], under[c.Number]
		if a == u {
			continue // a choice has no text
		}
		name := outside.Word(c.ID)
		if name == "" {
			name = fmt.Sprint(c.Number + 1)
		}
		from := parting(a, u)
		out = append(out, example{name, c.Right, clipText(a[from:]), clipText(u[from:])})
	}
	return out, nil
}

// textsOf are the complete answers of some questions.
func textsOf(folder string, some []changes.Change) (map[int]string, error) {
	j, err := journal.Open(filepath.Join(folder, journal.FileName))
	if err != nil {
		return nil, err
	}
	defer j.Close()
	texts := map[int]string{}
	j.OnAnswer(func(a *journal.Answer) {
		for _, c := range some {
			if _, has := texts[a.Number]; a.Number == c.Number && a.Outcome == journal.Complete && !has {
				texts[a.Number] = a.Text
			}
		}
	})
	for {
		if _, err := j.Next(); errors.Is(err, io.EOF) {
			return texts, nil
		} else if err != nil {
			return nil, err
		}
	}
}

// parting is where two texts part, moved back to the beginning of a word.
func parting(a, b string) int {
	i := 0
	for i < min(len(a), len(b)) && a[i] == b[i] {
		i++
	}
	for i > 0 && (i >= len(a) || !utf8.RuneStart(a[i]) || i < len(b) && !utf8.RuneStart(b[i]) || a[i-1] != ' ' && a[i-1] != '\n') {
		i--
	}
	return i
}

const clipAt = 60

func clipText(s string) string {
	if s == "" {
		return "(nothing more)"
	}
	return outside.Line(s, clipAt)
}
