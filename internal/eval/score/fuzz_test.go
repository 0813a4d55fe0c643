package score

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/inferometer/inferometer/internal/journal"
)

// Any pattern is refused or bounded, over any text.
func FuzzFilters(f *testing.F) {
	for _, name := range Filters() {
		f.Add(name, `answer is \(?([A-J])\)?`, "the answer is (B).", -1)
	}
	f.Add("regex", `(a+)+$`, strings.Repeat("a", 30)+"!", 0)
	f.Add("regex", `(?P<n>[^\W\d_])(?P=n){,2}|\b\B`, "aabb", 2)
	f.Fuzz(func(t *testing.T, name, pattern, text string, which int) {
		if len(pattern) > 200 || len(text) > 2000 {
			return
		}
		began := time.Now()
		score := journal.Score{Filters: []journal.Filter{{Function: name, Pattern: pattern, Patterns: []string{pattern}, Select: which, IgnorePunctuation: true}}, IgnorePatterns: []string{pattern}}
		x, err := NewExtractor(&score)
		if err != nil {
			return
		}
		text = strings.ToValidUTF8(text, "\ufffd")
		answer, found, err := x.Answer(text, &journal.Question{Labels: []string{text, "B", pattern}})
		if found && err != nil {
			t.Errorf("%q was found, and %v", answer, err)
		}
		if !utf8.ValidString(answer) && utf8.ValidString(pattern) {
			t.Errorf("%q is no text", answer)
		}
		if took := time.Since(began); took > time.Minute {
			t.Errorf("it took %s", took)
		}
	})
}

// Whatever lines come, counts add up.
func FuzzCollector(f *testing.F) {
	f.Add([]byte(`{"answer":{"i":1,"n":1,"outcome":"complete","text":"answer is (B)","right":["B"],"options":4,"category":"x"}}`), uint8(0))
	f.Add([]byte(`{"answer":{"i":1,"n":1,"outcome":"complete","logprob":-1,"options":1,"choice":1,"right_choice":1}}`), uint8(1))
	f.Add([]byte("{\"answer\":{\"i\":1,\"n\":1,\"outcome\":\"complete\",\"text\":\"x\"}}\n{\"checked\":{\"i\":1,\"passed\":true}}"), uint8(2))
	f.Fuzz(func(t *testing.T, lines []byte, kind uint8) {
		kinds := []string{journal.TaskGenerate, journal.TaskChoice, journal.TaskCode, "?"}
		task := &journal.Task{Kind: kinds[kind%4], Asked: int(kind), Scores: []journal.Score{letters, {Name: "b", Metric: journal.MetricExact}}}
		switch task.Kind {
		case journal.TaskChoice:
			task.Scores = byLikelihood.Scores
		case journal.TaskCode:
			task.Scores = nil
		}
		c := NewCollector(task)
		for raw := range strings.Lines(string(lines)) {
			var line journal.Line
			if json.Unmarshal([]byte(raw), &line) != nil {
				continue
			}
			if line.Answer != nil {
				c.Add(line.Answer)
			}
			if line.Checked != nil {
				c.Checked(line.Checked)
			}
		}
		addsUp(t, c.Result())
	})
}

// addsUp checks what holds for any result.
func addsUp(t *testing.T, r *Result) {
	t.Helper()
	if r.Answered+r.Unanswered != r.Questions || r.Answered < 0 || r.Unanswered < 0 || r.Refused > r.NoAnswer || r.NoAnswer > r.Answered ||
		r.CutOff > r.Answered || r.Earlier > r.Answered {
		t.Errorf("%+v", r)
	}
	if len(r.Each.Right) != len(r.Each.Numbers) {
		t.Errorf("%d letters for %d questions", len(r.Each.Right), len(r.Each.Numbers))
	}
	of := 0
	for _, s := range r.Categories {
		of += s.Of
	}
	if len(r.Categories) > 0 && of != r.Answered {
		t.Errorf("%d in categories, and %d answered", of, r.Answered)
	}
	for _, s := range r.Scores {
		if s.Right > s.Of || s.Of > r.Answered {
			t.Errorf("%+v", s)
		}
		if s.Value != nil && (*s.Low > *s.Value || *s.High < *s.Value) {
			t.Errorf("the interval of %+v does not hold it", s)
		}
	}
	if len(r.Scores) > 0 && strings.Count(r.Each.Right, "1") != r.Scores[0].Right {
		t.Errorf("%q, and %d are right", r.Each.Right, r.Scores[0].Right)
	}
	if _, err := json.Marshal(r); err != nil {
		t.Error(err)
	}
}
