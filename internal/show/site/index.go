package site

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/inferometer/inferometer/internal/judge/history"
	"github.com/inferometer/inferometer/internal/judge/metric"
	"github.com/inferometer/inferometer/internal/show/number"
	"github.com/inferometer/inferometer/internal/show/page"
	"github.com/inferometer/inferometer/internal/show/table"
)

// mostProblems is how many files that can't be read the index names: a folder full of junk has thousands.
const mostProblems = 100

// index is the page of all series.
func (s *Site) index(st *state) *page.Document {
	d := &page.Document{Title: s.opt.Name, Subtitle: fmt.Sprintf("%d runs in %d series", len(st.runs), len(st.series))}
	if st.unread > 0 {
		d.Sections = append(d.Sections, page.Section{ID: "unread", Title: "Not all yet", Words: []string{
			fmt.Sprintf("%d files are still being read: what is here is of the others. The page loads itself again until all are.", st.unread),
		}})
	}
	if len(st.series) == 0 && st.unread == 0 {
		d.Sections = append(d.Sections, page.Section{ID: "none", Title: "No run yet", Words: []string{
			"There is no run in this folder. Make one with inferometer bench serve --run-dir FOLDER/NAME, or put results of other tools into it, and load this page again.",
		}})
	} else if len(st.series) > 0 {
		all, worse, better := s.seriesTable(st)
		newest := st.series[0].Last()
		d.Cards = []page.Card{
			{Title: "Newest run", Text: newest.Name, Class: verdictClass(newest), Notes: []string{day(newest) + ", " + verdictWord(newest), st.series[0].Title()}},
			changeCard("Changed for the worse", worse, "bad"), changeCard("Changed for the better", better, "good"),
		}
		d.Sections = append(d.Sections, page.Section{ID: "series", Title: "Series", Table: all, Words: []string{
			"A series is all runs of one model, backend, workload and load. Its numbers are those of the newest run; the change is the last one that is beyond chance.",
		}})
	}
	if len(st.problems) > 0 {
		list := page.Section{ID: "problems", Title: "Not shown"}
		for _, p := range st.problems[:min(len(st.problems), mostProblems)] {
			list.List = append(list.List, table.Cell{Text: p.Path + ": " + p.Text, Class: "doubt"})
		}
		if more := len(st.problems) - mostProblems; more > 0 {
			list.List = append(list.List, table.Cell{Text: fmt.Sprintf("and %d more", more), Class: "doubt"})
		}
		d.Sections = append(d.Sections, list)
	}
	return d
}

func changeCard(title string, list []string, class string) page.Card {
	a := page.Card{Title: title, Text: fmt.Sprintf("%d series", len(list)), Class: class}
	if len(list) == 0 {
		a.Text, a.Class = "none", "none"
	}
	const most = 3
	a.Notes = list[:min(len(list), most)]
	if len(list) > most {
		a.Notes = append(a.Notes[:most:most], fmt.Sprintf("and %d more", len(list)-most))
	}
	return a
}

func (s *Site) seriesTable(st *state) (all *table.Table, worse, better []string) {
	t := &table.Table{ID: "all", Title: "All series, the one with the newest run first; output tokens per second, and milliseconds", Columns: heads("what", "load", "#runs", "newest", "verdict", "last change")}
	keys := shownHeadlines(st)
	for _, key := range keys {
		t.Columns = append(t.Columns, heads("#"+headlineTitle(key))...)
	}
	for i := range st.series {
		series := &st.series[i]
		last := series.Last()
		line := []table.Cell{
			{Text: series.Title(), Link: seriesPath(series)},
			{Text: series.Load(), Class: "mid"},
			table.Value(float64(len(series.Runs))),
			{Text: newestWords(last), Link: runPath(last)},
			{Text: verdictWord(last), Class: verdictClass(last)},
		}
		cell := table.Word("none")
		if c := s.newest(series); c != nil {
			cell = table.Cell{Text: fmt.Sprintf("%s %s at %s", c.metric.Label, number.Change(c.Ratio), c.where()), Class: c.class() + " changed", Link: metricPath(series, c.metric.Key)}
			if words := series.Title() + ": " + cell.Text; c.class() == "bad" {
				worse = append(worse, words)
			} else {
				better = append(better, words)
			}
		}
		line = append(line, cell)
		for _, key := range keys {
			line = append(line, metricCell(last, key))
		}
		t.Rows = append(t.Rows, line)
	}
	return t, worse, better
}

// shownHeadlines are the keys of the index's columns. That of an accuracy is there if some
// series has one.
func shownHeadlines(st *state) []string {
	return slices.DeleteFunc(headlines(), func(key string) bool {
		n, ok := metric.ParseName(key)
		return ok && n.Metric.OfQuestions && !slices.ContainsFunc(st.series, func(s history.Series) bool {
			_, has := s.Last().Values[key]
			return has
		})
	})
}

// headlineTitle is short: the index has many columns.
func headlineTitle(key string) string {
	n, ok := metric.ParseName(key)
	switch {
	case !ok:
		return key
	case n.Metric.Name == "output_throughput":
		return n.Metric.Unit
	}
	return n.Column()
}

func newestWords(r *history.Run) string {
	if r.Commit != "" {
		return day(r) + ", " + r.ShortCommit()
	}
	return day(r)
}

// metricCell is a run's value, or that it is unknown.
func metricCell(r *history.Run, key string) table.Cell {
	v, ok := r.Values[key]
	if !ok {
		return table.Word("–")
	}
	return table.Value(v)
}

func verdictWord(r *history.Run) string { return cmp.Or(r.Facts.Verdict, "not judged") }

func verdictClass(r *history.Run) string {
	switch r.Facts.Verdict {
	case "VALID":
		return "good"
	case "SUSPECT":
		return "doubt"
	case "INVALID":
		return "bad"
	}
	return "none"
}

// day is when a run was made; with a mark where only its file tells it.
func day(r *history.Run) string {
	text := r.Start.Format("2006-01-02 15:04")
	if !r.StartKnown {
		text += " (the file's time)"
	}
	return text
}

// heads are the columns of a table; one that begins with # is of numbers.
func heads(names ...string) []table.Column {
	list := table.Words(names...)
	for i := range list {
		if name, ok := strings.CutPrefix(names[i], "#"); ok {
			list[i] = table.Column{Name: name, Format: number.Short}
		}
	}
	return list
}
