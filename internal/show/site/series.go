package site

import (
	"fmt"
	"slices"

	"github.com/inferometer/inferometer/internal/judge/compare"
	"github.com/inferometer/inferometer/internal/judge/history"
	"github.com/inferometer/inferometer/internal/show/page"
	"github.com/inferometer/inferometer/internal/show/table"
)

// seriesPage is all metrics of a series, each as a small picture.
func (s *Site) seriesPage(series *history.Series, path string) (*page.Document, error) {
	root := up(path)
	metrics := metricsOf(series)
	last := series.Last()
	d := &page.Document{Title: series.Title(), Subtitle: series.Load(), Way: []page.Link{{Text: "All series", Link: root + indexPath}}}
	d.Cards = []page.Card{
		{Title: "Newest run", Text: last.Name, Class: verdictClass(last), Notes: []string{day(last) + ", " + verdictWord(last)}},
		{Title: "Runs", Text: fmt.Sprint(len(series.Runs)), Class: "plain", Notes: runNotes(series)},
	}
	var all []changed
	pictures := page.Section{ID: "metrics", Title: "Metrics over time", Words: []string{"A point is a run. The line is the mean of a stretch without a change; a dashed line is a change that is beyond chance. A picture's title leads to a larger one, and to the same by commit."}}
	for _, m := range metrics {
		list := s.changes(series.Runs, m)
		all = append(all, list...)
		f, err := page.Draw(metricFile(m.Key), timeChart(series.Runs, m, list, root), false)
		if err != nil {
			return nil, err
		}
		f.Link = root + metricPath(series, m.Key)
		pictures.Figures = append(pictures.Figures, f)
	}
	d.Sections = append(d.Sections, pictures, changeSection(togetherTable(root, all), series, len(all)), s.chooseSection(series, root), runsSection(series, metrics, root))
	return d, nil
}

func runNotes(series *history.Series) []string {
	bad := 0
	for i := range series.Runs {
		if !series.Runs[i].Counts() {
			bad++
		}
	}
	notes := []string{"since " + day(&series.Runs[0])}
	if bad > 0 {
		notes = append(notes, fmt.Sprintf("%d INVALID: they are drawn, but stand for nothing", bad))
	}
	return notes
}

func changeSection(table *table.Table, series *history.Series, n int) page.Section {
	sec := page.Section{ID: "changes", Title: "Changes", Table: table}
	trusted := 0
	for i := range series.Runs {
		if series.Runs[i].Counts() {
			trusted++
		}
	}
	switch {
	case trusted < history.LeastValues:
		sec.Words = []string{fmt.Sprintf("Unknown yet: there are %d runs that can be trusted, and a change can be seen in %d or more.", trusted, history.LeastValues)}
	case n == 0:
		sec.Words = []string{"No change is beyond chance. From ten runs on most changes of 10 % are seen in noise of 3 %."}
	}
	return sec
}

// chooseSection leads to a comparison: of two runs that are chosen, or of the last two.
func (s *Site) chooseSection(series *history.Series, root string) page.Section {
	sec := page.Section{ID: "compare", Title: "Compare two runs"}
	n := len(series.Runs)
	if n < 2 {
		sec.Words = []string{"There is only one run yet."}
		return sec
	}
	before, last := &series.Runs[n-2], &series.Runs[n-1]
	if s.opt.Static {
		sec.Links = []page.Link{{Text: "The newest run against the one before it", Link: root + comparePath(before, last)}}
		return sec
	}
	c := &page.Choose{Action: root + "compare", Button: "Compare", Names: [2]string{"a", "b"}, Labels: [2]string{"from", "to"}, Chosen: [2]string{before.ID, last.ID}}
	for i := range slices.Backward(series.Runs) {
		r := &series.Runs[i]
		c.Options = append(c.Options, page.Link{Text: day(r) + " " + runWords(r), Link: r.ID})
	}
	sec.Choose = c
	return sec
}

func runWords(r *history.Run) string {
	if r.Commit != "" {
		return r.Name + " (" + r.ShortCommit() + ")"
	}
	return r.Name
}

// runsSection is the table of all runs, the newest first.
func runsSection(series *history.Series, metrics []compare.Metric, root string) page.Section {
	names := []string{"run", "started", "commit", "verdict", "#completed"}
	for _, m := range metrics {
		names = append(names, "#"+m.Label)
	}
	t := &table.Table{ID: "runs-table", Title: "All runs, the newest first", Columns: heads(names...)}
	for i := range slices.Backward(series.Runs) {
		r := &series.Runs[i]
		line := []table.Cell{{Text: r.Name, Link: root + runPath(r)}, {Text: day(r), Class: "when"}, table.Word(r.ShortCommit()), {Text: verdictWord(r), Class: verdictClass(r)}, table.Value(float64(r.Facts.Completed))}
		for _, m := range metrics {
			line = append(line, metricCell(r, m.Key))
		}
		t.Rows = append(t.Rows, line)
	}
	return page.Section{ID: "runs", Title: "Runs", Table: t}
}

// metricPage is one metric over time and over commits.
func (s *Site) metricPage(series *history.Series, file, path string) (*page.Document, error) {
	metrics := metricsOf(series)
	i := slices.IndexFunc(metrics, func(m compare.Metric) bool { return metricFile(m.Key) == file })
	if i < 0 {
		return nil, errNotFound
	}
	m, root := metrics[i], up(path)
	d := &page.Document{Title: m.Label, Subtitle: series.Title() + ": " + series.Load(), Way: []page.Link{{Text: "All series", Link: root + indexPath}, {Text: series.Title(), Link: root + seriesPath(series)}}}
	list := s.changes(series.Runs, m)
	over, err := page.Draw("over-time", timeChart(series.Runs, m, list, root), true)
	if err != nil {
		return nil, err
	}
	d.Sections = append(d.Sections, page.Section{ID: "time", Title: "Over time", Figures: []page.Figure{over}})
	commits := page.Section{ID: "commits", Title: "Over commits"}
	if runs := series.ByCommit(); len(runs) > 0 {
		byCommit := s.changes(runs, m)
		f, err := page.Draw("over-commits", commitChart(runs, m, byCommit, root), true)
		if err != nil {
			return nil, err
		}
		commits.Figures = []page.Figure{f}
		if !slices.EqualFunc(runs, series.Runs, func(a, b history.Run) bool { return a.ID == b.ID }) { // else the table below has the same
			commits.Table = changeTable("commit-changes", root, byCommit)
		}
	} else {
		commits.Words = []string{"No run tells its commit. Give it to bench serve with --metadata commit=$(git rev-parse HEAD)."}
	}
	changes := changeSection(changeTable("change-table", root, list), series, len(list))
	d.Sections = append(d.Sections, commits, changes, runsSection(series, []compare.Metric{m}, root))
	return d, nil
}
