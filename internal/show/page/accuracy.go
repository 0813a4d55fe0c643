package page

import (
	"fmt"
	"math"

	"github.com/inferometer/inferometer/internal/eval/score"
	"github.com/inferometer/inferometer/internal/outside"
	"github.com/inferometer/inferometer/internal/show/accuracy"
	"github.com/inferometer/inferometer/internal/show/chart"
)

// Bounds on what a page holds of an eval.
const (
	mostDrawn  = 40 // categories as a picture; more are a table only
	mostMissed = 50 // questions that were not answered right
)

const (
	accuracyTitle = "Accuracy, with Wilson's 95 % interval"
	categoryTitle = "Accuracy by category, with Wilson's 95 % interval"
)

// accuracyView is the part of a run's report on what its answers are worth.
type accuracyView struct {
	Facts          *table
	Scores         *table
	Figures        []figure
	Categories     *table
	Missed         *table
	MissedNote     string
	Notes, Doubted []string
}

// newAccuracyView is nil for a run without questions.
func newAccuracyView(d *drawer, id string, e *score.Result) *accuracyView {
	if e == nil {
		return nil
	}
	v := &accuracyView{Scores: scoreTable(id+"-scores", e), Facts: evalFacts(id+"-eval", e)}
	v.Figures = append(v.Figures, d.tall(id+"-accuracy", whiskers(accuracyTitle, scoreDots(e.Scores), e.Chance)))
	if n := len(e.Categories); n > 0 {
		v.Categories = categoryTable(id+"-categories", e)
		if n <= mostDrawn {
			v.Figures = append(v.Figures, d.tall(id+"-by-category", whiskers(categoryTitle, categoryDots(e.Categories), e.Chance)))
		}
	}
	for _, n := range accuracy.Notes(e) {
		v.Notes = append(v.Notes, n.Of+": "+n.Text+".")
	}
	for _, w := range e.Warnings {
		v.Doubted = append(v.Doubted, outside.Sentence(w))
	}
	first, all := accuracy.MissedOf(&e.Each, mostMissed)
	v.Missed = missedTable(id+"-missed", first)
	if all > len(first) {
		v.MissedNote = fmt.Sprintf("The first %s of %s. All are in what inferometer report --format questions writes.", count(len(first)), count(all))
	}
	return v
}

// accuracyCells are an accuracy with its error, as cells.
func accuracyCells(a *score.Accuracy) []cell {
	return []cell{share(a.Value), share(a.StdErr), share(a.Low), share(a.High), value(float64(a.Right)), value(float64(a.Of)), value(float64(a.NoAnswer))}
}

// share is a number between 0 and 1, with four digits as accuracies have.
func share(v *float64) cell {
	if v == nil {
		return value(math.NaN())
	}
	return cell{Text: accuracy.Value(v), Value: v}
}

func scoreTable(id string, e *score.Result) *table {
	t := &table{ID: id, Caption: "Accuracy of the answers, by each way of scoring; low and high are Wilson's 95 % interval", Heads: heads("score", "metric", "#accuracy", "#± stderr", "#low", "#high", "#right", "#of", "#no answer", "like chance")}
	for i := range e.Scores {
		s := &e.Scores[i]
		like := "unknown"
		if s.Chance != nil {
			like = map[bool]string{true: "yes", false: "no"}[*s.Chance]
		}
		line := append([]cell{words(accuracy.Title(s)), words(accuracy.Name(s.Metric))}, accuracyCells(&s.Accuracy)...)
		t.Lines = append(t.Lines, append(line, words(like)))
	}
	return t
}

func categoryTable(id string, e *score.Result) *table {
	t := &table{ID: id, Caption: "Accuracy by category, by the first score", Heads: heads("category", "#accuracy", "#± stderr", "#low", "#high", "#right", "#of", "#no answer")}
	for i := range e.Categories {
		c := &e.Categories[i]
		t.Lines = append(t.Lines, append([]cell{{Text: accuracy.Name(c.Name), Class: "long"}}, accuracyCells(&c.Accuracy)...))
	}
	return t
}

func evalFacts(id string, e *score.Result) *table {
	t := &table{ID: id, Caption: "What was asked, and what became of it", Heads: heads("what", "value")}
	add := func(what, text string) { t.Lines = append(t.Lines, []cell{words(what), {Text: text, Class: "long"}}) }
	add("task", accuracy.Task(e))
	if e.Data != "" {
		add("data", accuracy.Name(e.Data))
	}
	add("questions", accuracy.Questions(e))
	add("no answer found", accuracy.NoAnswer(e))
	add("cut off at the limit", accuracy.Share(e.CutOff, e.Answered))
	add("tokens per question", accuracy.Tokens(e))
	guess := accuracy.Unknown
	if e.Chance != nil {
		guess = accuracy.Value(e.Chance)
	}
	add("accuracy of guessing", guess)
	return t
}

func missedTable(id string, list []accuracy.Missed) *table {
	if len(list) == 0 {
		return nil
	}
	t := &table{ID: id, Caption: "Questions that were not answered right", Heads: heads("question", "what", "answer that was found")}
	for _, m := range list {
		t.Lines = append(t.Lines, []cell{{Text: m.Question, Class: "long"}, words(m.What), {Text: m.Answer, Class: "long"}})
	}
	return t
}

// spot is a name with an accuracy, as a point of a picture.
type spot struct {
	name string
	*score.Accuracy
}

func scoreDots(all []score.Score) (list []spot) {
	for i := range all {
		list = append(list, spot{accuracy.Title(&all[i]), &all[i].Accuracy})
	}
	return list
}

func categoryDots(all []score.Category) (list []spot) {
	for i := range all {
		list = append(list, spot{accuracy.Name(all[i].Name), &all[i].Accuracy})
	}
	return list
}

// whiskers is accuracies below each other, each a point with its interval, and what
// guessing gives as an upright line.
func whiskers(title string, spots []spot, chance *float64) *chart.Chart {
	rows := float64(len(spots))
	c := &chart.Chart{
		Title: title, Empty: "nothing was answered", X: chart.Axis{Label: "share of right answers", Min: new(float64), Max: newFloat(1)},
		Y: chart.Axis{Min: newFloat(0.5), Max: newFloat(rows + 0.5)},
	}
	points := chart.Series{Name: "accuracy", Kind: chart.Whiskers}
	for i, s := range spots {
		at := rows - float64(i) // the first above
		c.Y.Ticks = append(c.Y.Ticks, chart.Tick{At: at, Label: s.name})
		if s.Value == nil || s.Low == nil || s.High == nil {
			continue
		}
		points.X, points.Y = append(points.X, *s.Value), append(points.Y, at)
		points.Low, points.High = append(points.Low, *s.Low), append(points.High, *s.High)
		points.Hints = append(points.Hints, s.name+": "+accuracy.Text(s.Accuracy))
	}
	if len(points.X) == 0 {
		return c
	}
	c.Series = []chart.Series{points}
	if chance != nil {
		c.Series = append(c.Series, chart.Series{Name: "guessing", X: []float64{*chance, *chance}, Y: []float64{0.5, rows + 0.5}, Dashed: true, Color: chanceColor})
	}
	return c
}

// chanceColor is the palette's grey.
const chanceColor = 7

// accuracyTile is the task's own score on top of a run.
func accuracyTile(e *score.Result) (tile, bool) {
	if e == nil || len(e.Scores) == 0 {
		return tile{}, false
	}
	s := &e.Scores[0]
	return tile{"Accuracy", accuracy.Value(s.Value), "± " + accuracy.Value(s.StdErr), accuracy.Interval(&s.Accuracy) + ", " + accuracy.Questions(e)}, true
}

// accuracyChart is the scores of one run, the first score of several, or one run's categories.
func accuracyChart(name string, runs []Run) (*chart.Chart, error) {
	var spots []spot
	for i := range runs {
		e := runs[i].Result.Eval
		switch {
		case e == nil:
			return nil, fmt.Errorf("%s: its requests were no questions, so there is no chart %s", runs[i].Name, name)
		case name == "categories" && len(runs) > 1:
			return nil, fmt.Errorf("the chart categories shows one run, not %d", len(runs))
		case name == "categories":
			lowest, _ := accuracy.Lowest(e.Categories, mostDrawn)
			spots = categoryDots(lowest)
		case len(runs) == 1:
			spots = scoreDots(e.Scores)
		case len(e.Scores) > 0:
			spots = append(spots, spot{clip(runs[i].Name), &e.Scores[0].Accuracy})
		}
	}
	titles := map[string]string{"accuracy": accuracyTitle, "categories": categoryTitle}
	c := whiskers(titles[name], spots, runs[0].Result.Eval.Chance)
	c.Height = rowsHeight(c)
	return c, nil
}

// tall draws a picture that is as high as it has rows.
func (d *drawer) tall(id string, c *chart.Chart) figure {
	return d.draw(id, c, halfWidth, rowsHeight(c), rowsHeight(c), false)
}

func rowsHeight(c *chart.Chart) int {
	const around, row = 110, 22
	return around + row*len(c.Y.Ticks)
}
