package page

import (
	"cmp"
	_ "embed" // the section
	"fmt"

	"github.com/inferometer/inferometer/internal/judge/serving"
	"github.com/inferometer/inferometer/internal/show/served"
)

//go:embed serving.html
var servingText string

// serverView is the part of a run's report on what its servers say of themselves.
type serverView struct {
	Title  string
	Tables []*table
	Notes  []string
}

// newServerView is nil where the servers told nothing.
func newServerView(id string, s *serving.Summary) *serverView {
	if s == nil {
		return nil
	}
	v := &serverView{Title: "The server by its own metrics", Notes: s.Notes}
	if len(s.Each) > 0 {
		v.Title = "The servers by their own metrics"
	}
	v.add(id+"-server", cmp.Or(s.Kind, "All servers"), &s.Server)
	for i := range s.Each {
		e := &s.Each[i]
		v.add(fmt.Sprintf("%s-server%d", id, i+1), fmt.Sprintf("Server %d, %s", e.Target+1, cmp.Or(e.Kind, "metrics of no known kind")), e)
	}
	if len(served.Histograms(&s.Server)) > 0 {
		v.Notes = append(v.Notes[:len(v.Notes):len(v.Notes)], "The server's own times are counts between bounds: a percentile lies between the two in brackets (≤: below the first bound), and ≈ is where it would lie if values were spread evenly between them.")
	}
	return v
}

func (v *serverView) add(id, name string, s *serving.Server) {
	if lines := served.Lines(s); len(lines) > 0 {
		t := &table{ID: id, Caption: name + ": over the run", Heads: heads("what", "value")}
		for _, l := range lines {
			t.Lines = append(t.Lines, []cell{words(l.What), {Text: l.Text, Class: "long"}})
		}
		v.Tables = append(v.Tables, t)
	}
	if times := served.Histograms(s); len(times) > 0 {
		t := &table{ID: id + "-times", Caption: name + ": its own times over just this run, in ms", Heads: heads("time", "#count", "#mean", "p50", "p90", "p99", "its name")}
		for _, h := range times {
			t.Lines = append(t.Lines, []cell{
				words(h.What), value(h.Count), value(h.Mean), words(served.Bounds(h.P50)), words(served.Bounds(h.P90)), words(served.Bounds(h.P99)), {Text: h.Name, Class: "long"},
			})
		}
		v.Tables = append(v.Tables, t)
	}
}
