package page

import (
	"bytes"
	"strings"
	"testing"

	"github.com/inferometer/inferometer/internal/show/fakerun"
	"github.com/inferometer/inferometer/internal/show/section"
)

// TestAccuracy: a run of questions has the section, and others have nothing of it.
func TestAccuracy(t *testing.T) {
	asked := func(n, categories int) section.Run {
		return shownRun(t, fakerun.Journal{N: n, Words: "x", Categories: categories})
	}
	got := written(t, Options{}, asked(40, 3), shown(t, 20, "y"))
	for _, want := range []string{
		"<h3>Accuracy</h3>", "custom-extract", ">0.6389<", ">0.0812<", "Accuracy by category", `id="run1-by-category"`, "kind 2 x", "Unanswered</th>", "5 of 41 questions",
		"2 answered in an earlier part", "q-5 x", "no answer found", `<th scope="col" class="num" aria-sort="none"><button type="button" class="sort">accuracy`, "<dt>Accuracy</dt>", "5-shot",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	if strings.Count(got, "<summary><h3>Accuracy</h3></summary>") != 1 || strings.Contains(got, `share</span>`) {
		t.Error("a run without questions has the section, or a card its unit in place of its error")
	}
	if got := written(t, Options{}, shown(t, 20, "y"), shown(t, 20, "z")); strings.Contains(strings.ToLower(got), ">accuracy") {
		t.Error("runs without questions have a column for it")
	}
	many := written(t, Options{}, asked(400, 60))
	if strings.Contains(many, "-by-category\"") || !strings.Contains(many, "kind 59 x") || !strings.Contains(many, "The first 50 of ") || strings.Contains(many, "q-398 x") {
		t.Error("many categories are drawn, or all that went wrong is listed")
	}
}

// TestHostileQuestions: ids, categories and answers are shown, and are no markup.
func TestHostileQuestions(t *testing.T) {
	words := `</td><script>alert(1)</script><img src=x onerror=alert(1)>` + "\x1b[2J\u202e" + strings.Repeat("long ", 1<<16)
	run := shownRun(t, fakerun.Journal{N: 40, Words: "x", Categories: 3})
	e := run.Result.Eval
	for i := range e.Each.IDs {
		e.Each.IDs[i] = words
	}
	for i := range e.Each.Answers {
		e.Each.Answers[i] = words
	}
	e.Task, e.Scores[0].Name, e.Categories[0].Name, e.Data = words, words, words, words
	e.Warnings = []string{"</p><script>alert(2)</script>"}
	got := written(t, Options{}, run)
	for _, bad := range []string{"<script>alert", "<img", "\x1b", "\u202e"} {
		if strings.Contains(got, bad) {
			t.Errorf("%q is on the page", bad)
		}
	}
	if len(got) > 1<<20 {
		t.Errorf("the page has %d bytes", len(got))
	}
	if !strings.Contains(got, "&lt;img") {
		t.Error("the words are not there at all")
	}
}

// TestAccuracyPictures: they can be had by themselves; a run without questions has none.
func TestAccuracyPictures(t *testing.T) {
	asked := shownRun(t, fakerun.Journal{N: 40, Words: "x", Categories: 3})
	nothing := shownRun(t, fakerun.Journal{N: 0, Words: "x", Categories: 3})
	for _, tt := range []struct {
		name string
		runs []section.Run
		want string
	}{
		{"accuracy", []section.Run{asked}, "last-letter"},
		{"accuracy", []section.Run{asked, asked}, "guessing"},
		{"accuracy", []section.Run{nothing}, "nothing was answered"},
		{"categories", []section.Run{asked}, "kind 1 x"},
		{"categories", []section.Run{nothing}, "nothing was answered"},
		{"categories", []section.Run{asked, asked}, "shows one run, not 2"},
		{"accuracy", []section.Run{asked, shown(t, 20, "x")}, "its requests were no questions"},
	} {
		c, err := Chart(tt.name, tt.runs)
		var b bytes.Buffer
		if err == nil {
			err = c.SVG(&b)
		}
		if err != nil {
			b.WriteString(err.Error())
		}
		if !strings.Contains(b.String(), tt.want) {
			t.Errorf("%s of %d: %s", tt.name, len(tt.runs), b.String())
		}
	}
}
