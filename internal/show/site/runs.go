package site

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/compare"
	"github.com/inferometer/inferometer/internal/judge/history"
	"github.com/inferometer/inferometer/internal/judge/result"
	"github.com/inferometer/inferometer/internal/show/comparison"
	"github.com/inferometer/inferometer/internal/show/number"
	"github.com/inferometer/inferometer/internal/show/page"
	"github.com/inferometer/inferometer/internal/show/table"
)

// way leads from a run back to its series, and to its files.
func (s *Site) way(st *state, r *history.Run, root string) []page.Link {
	series := st.of[r.ID]
	list := []page.Link{{Text: "All series", Link: root + indexPath}, {Text: series.Title(), Link: root + seriesPath(series)}}
	for _, name := range s.downloads(r) {
		list = append(list, page.Link{Text: "Download " + path.Base(name), Link: root + downloadPath(r, name)})
	}
	return list
}

// downloads are the files of a run, as paths in the folder.
func (s *Site) downloads(r *history.Run) []string {
	list := []string{r.Path}
	if name := path.Join(r.Folder, journal.FileName); r.Folder != "" && name != r.Path {
		list = append(list, name)
	}
	if s.opt.Static { // journals are large: who keeps the pages keeps no copy of them
		list = slices.DeleteFunc(list, func(name string) bool { return path.Base(name) == journal.FileName })
	}
	return list
}

// downloadPath is where a file of a run is: by the run's ID and the kind of file. Of
// the file's own name only an ending that history knows is in it.
func downloadPath(r *history.Run, name string) string {
	kind := "result" + strings.ToLower(path.Ext(name))
	if path.Base(name) == journal.FileName {
		kind = journal.FileName
	}
	return "download/" + r.ID + "/" + kind
}

// report is the page that `inferometer report` writes.
func (s *Site) report(ctx context.Context, st *state, r *history.Run, path string) ([]byte, error) {
	var b bytes.Buffer
	err := s.busy(ctx, func() error { return s.opt.Report(&b, r.Folder, s.way(st, r, up(path))) })
	return b.Bytes(), err
}

// otherRun is the page of a run of which there is only a result.
func (s *Site) otherRun(st *state, r *history.Run, path string) *page.Document {
	f := &r.Facts
	d := &page.Document{Title: r.Name, Subtitle: fmt.Sprintf("%s, %s, from %s", r.Tool, day(r), r.Path), Way: s.way(st, r, up(path))}
	d.Cards = []page.Card{{Title: "Verdict", Text: verdictWord(r), Class: verdictClass(r), Notes: f.Reasons}}
	facts := &table.Table{ID: "facts", Title: "What the file says of it", Columns: heads("what", "value")}
	add := func(what, text string) {
		if text != "" && text != "0" {
			facts.Rows = append(facts.Rows, []table.Cell{table.Word(what), {Text: text, Class: "long"}})
		}
	}
	add("model", f.Model)
	add("backend", f.Backend)
	add("server", f.Server)
	add("hardware", f.Hardware)
	add("dataset", f.Dataset)
	add("concurrency", fmt.Sprint(f.Concurrency))
	add("requests per second", number.Short(f.Rate))
	add("requests", fmt.Sprint(f.Asked))
	add("completed", fmt.Sprint(f.Completed))
	if f.Failed != nil {
		facts.Rows = append(facts.Rows, []table.Cell{table.Word("failed"), table.Word(fmt.Sprint(*f.Failed))})
	}
	add("input tokens", number.Short(float64(f.InputTokens)))
	add("output tokens", number.Short(float64(f.OutputTokens)))
	add("seconds", number.Short(f.Duration))
	for _, key := range slices.Sorted(maps.Keys(r.Metadata)) {
		add(key, r.Metadata[key])
	}
	numbers := &table.Table{ID: "numbers", Title: "All numbers", Columns: heads("metric", "#value")}
	for _, key := range r.Metrics() {
		numbers.Rows = append(numbers.Rows, []table.Cell{table.Word(key), table.Value(r.Values[key])})
	}
	d.Sections = []page.Section{{ID: "numbers-h", Title: "Numbers", Table: numbers}, {ID: "facts-h", Title: "Facts", Table: facts}}
	return d
}

// comparePage holds two runs against each other.
func (s *Site) comparePage(ctx context.Context, st *state, a, b *history.Run, path string) (*page.Document, error) {
	root := up(path)
	var c *compare.Comparison
	err := s.busy(ctx, func() error {
		var sides []compare.Side
		for i, r := range []*history.Run{a, b} {
			whole, err := s.tree.Whole(r)
			if err != nil {
				return err
			}
			whole.Name = runWords(r)
			if i == 1 && whole.Name == sides[0].Name {
				whole.Name += " (2)"
			}
			sides = append(sides, compare.Side{Name: whole.Name, Runs: []result.Result{whole}})
		}
		var err error
		c, err = compare.Compare(sides, compare.Options{})
		return err
	})
	if err != nil {
		return nil, err
	}
	series := st.of[b.ID]
	d, err := comparison.Document(c, nil)
	if err != nil {
		return nil, err
	}
	d.Subtitle = fmt.Sprintf("%s, %s, against %s, %s", c.Names[1], day(b), c.Names[0], day(a))
	d.Way = []page.Link{
		{Text: "All series", Link: root + indexPath}, {Text: series.Title(), Link: root + seriesPath(series)}, {Text: c.Names[0], Link: root + runPath(a)}, {Text: c.Names[1], Link: root + runPath(b)},
	}
	return d, nil
}
