package page

import (
	"fmt"

	"github.com/inferometer/inferometer/internal/eval/score"
	"github.com/inferometer/inferometer/internal/show/chart"
	"github.com/inferometer/inferometer/internal/show/number"
	"github.com/inferometer/inferometer/internal/show/section"
)

// maxDrawn is how many categories are a picture; more are a table only.
const maxDrawn = 40

const (
	accuracyTitle = "Accuracy, with Wilson's 95 % interval"
	categoryTitle = "Accuracy by category, with Wilson's 95 % interval"
)

// spot is a name with an accuracy, as a point of a picture.
type spot struct {
	name string
	*score.Accuracy
}

func scoreDots(all []score.Score) (list []spot) {
	for i := range all {
		list = append(list, spot{section.Title(&all[i]), &all[i].Accuracy})
	}
	return list
}

func categoryDots(all []score.Category) (list []spot) {
	for i := range all {
		list = append(list, spot{section.Shown(all[i].Name), &all[i].Accuracy})
	}
	return list
}

// whiskers is accuracies below each other, each a point with its interval, and what
// guessing gives as an upright line.
func whiskers(title string, spots []spot, chance *float64) *chart.Chart {
	const around, row = 110, 22 // pixels
	rows := float64(len(spots))
	c := &chart.Chart{
		Height: around + row*len(spots),
		Title:  title, Empty: "nothing was answered", X: chart.Axis{Label: "share of right answers", Min: new(float64), Max: newFloat(1)},
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
		points.Hints = append(points.Hints, s.name+": "+section.AccuracyText(s.Accuracy))
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

// accuracyFigures are the scores of a run and its categories, as points with whiskers.
func accuracyFigures(d *drawer, id string, e *score.Result) []Figure {
	list := []Figure{d.half(id+"-accuracy-scores", whiskers(accuracyTitle, scoreDots(e.Scores), e.Chance))}
	if n := len(e.Categories); n > 0 && n <= maxDrawn {
		list = append(list, d.half(id+"-by-category", whiskers(categoryTitle, categoryDots(e.Categories), e.Chance)))
	}
	return list
}

// accuracyCard is the task's own score.
func accuracyCard(e *score.Result) (Card, bool) {
	if e == nil || len(e.Scores) == 0 {
		return Card{}, false
	}
	s := &e.Scores[0]
	return Card{Title: "Accuracy", Text: number.Maybe(s.Value, number.Accuracy), Unit: "± " + number.Maybe(s.StdErr, number.Accuracy), Notes: []string{section.Interval(&s.Accuracy), section.Questions(e)}}, true
}

// accuracyChart is the scores of one run, the first score of several, or one run's categories.
func accuracyChart(name string, runs []section.Run) (*chart.Chart, error) {
	var spots []spot
	for i := range runs {
		e := runs[i].Result.Eval
		switch {
		case e == nil:
			return nil, fmt.Errorf("%s: its requests were no questions, so there is no chart %s", runs[i].Name, name)
		case name == "categories" && len(runs) > 1:
			return nil, fmt.Errorf("the chart categories shows one run, not %d", len(runs))
		case name == "categories":
			lowest, _ := section.Lowest(e.Categories, maxDrawn)
			spots = categoryDots(lowest)
		case len(runs) == 1:
			spots = scoreDots(e.Scores)
		case len(e.Scores) > 0:
			spots = append(spots, spot{clip(runs[i].Name), &e.Scores[0].Accuracy})
		}
	}
	titles := map[string]string{"accuracy": accuracyTitle, "categories": categoryTitle}
	return whiskers(titles[name], spots, runs[0].Result.Eval.Chance), nil
}
