package pictures

import (
	"crypto/sha256"
	_ "embed" // the page
	"encoding/base64"
	"fmt"
	"io"
	"math"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/chartdata"
	"github.com/inferometer/inferometer/internal/outside"
	"github.com/inferometer/inferometer/internal/show/page"
	"github.com/inferometer/inferometer/internal/template"
)

//go:embed timeline.html
var timelineText string

//go:embed timeline.js
var timelineScript string

var timelinePage = template.Page(timelineText)

// timeline is the page of a run's requests in time.
type timeline struct {
	Title, Subtitle, Version, Policy string
	Style                            template.CSS
	Script                           template.JS
	Classes                          []class
	Left                             string // what is not shown
	Data                             any
}

// class is one colour of the picture, with what it stands for in all lanes together.
type class struct {
	Name, Key  string // Key is its CSS class
	Count      int
	Total      string
	Share      string
	Longest    string
	total, max float64
}

// WriteTimeline writes the page. It is whole in itself: no other file, nothing from the network.
func WriteTimeline(w io.Writer, run *journal.Run, lanes *chartdata.Lanes, version string) error {
	list := lanes.Sorted()
	t := timeline{
		Title: "Timeline", Version: version, Style: page.Style(), Script: template.JS(timelineScript), Policy: policy(),
		Classes: classes(lanes, list),
	}
	t.Subtitle = outside.Word(run.Options.ModelID)
	if run.Options.Label != "" {
		t.Subtitle = outside.Word(run.Options.Label) + ", " + t.Subtitle
	}
	if lanes.Total > len(list) {
		t.Left = fmt.Sprintf("The first %d of %d requests that ended are shown.", len(list), lanes.Total)
	}
	t.Data = rows(list)
	if err := timelinePage.Execute(w, t); err != nil {
		return fmt.Errorf("writing the timeline: %w", err)
	}
	return nil
}

// policy lets the page's own script run and nothing else.
func policy() string {
	sum := sha256.Sum256([]byte(timelineScript))
	return fmt.Sprintf("default-src 'none'; script-src 'sha256-%s'; style-src 'unsafe-inline'; img-src data:; form-action 'none'; base-uri 'none'",
		base64.StdEncoding.EncodeToString(sum[:]))
}

// classes are vLLM's four colours, and ours of failures.
func classes(lanes *chartdata.Lanes, list []chartdata.Lane) []class {
	a, b := lanes.Thresholds[0], lanes.Thresholds[1]
	all := []class{
		{Name: "TTFT", Key: "ttft"},
		{Name: fmt.Sprintf("ITL < %.4gms", a), Key: "short"},
		{Name: fmt.Sprintf("%.4gms ≤ ITL < %.4gms", a, b), Key: "middle"},
		{Name: fmt.Sprintf("ITL ≥ %.4gms", b), Key: "long"},
		{Name: "did not complete", Key: "failed"},
	}
	add := func(i, n int, ms, longest float64) {
		all[i].Count, all[i].total, all[i].max = all[i].Count+n, all[i].total+ms, max(all[i].max, longest)
	}
	sum := 0.0
	for i := range list {
		lane := &list[i]
		sum += lane.End
		if lane.Outcome != journal.Complete {
			add(4, 1, lane.End, lane.End)
			continue
		}
		add(0, 1, max(lane.First, 0), max(lane.First, 0))
		for _, s := range lane.Stretches {
			add(1+s.Class, s.Gaps, s.Total, s.Longest)
		}
	}
	for i := range all {
		c := &all[i]
		c.Total, c.Longest = fmt.Sprintf("%.2f s", c.total/1000), fmt.Sprintf("%.2f ms", c.max)
		if sum > 0 {
			c.Share = fmt.Sprintf("%.1f %%", c.total/sum*100)
		}
	}
	if all[4].Count == 0 {
		all = all[:4]
	}
	return all
}

// rows are the lanes for the script: index, start, first, end, prompt, output, outcome, and four numbers a stretch.
func rows(list []chartdata.Lane) [][]any {
	out := make([][]any, 0, len(list))
	for i := range list {
		lane := &list[i]
		flat := make([]float64, 0, 4*len(lane.Stretches))
		for _, s := range lane.Stretches {
			flat = append(flat, float64(s.Class), float64(s.Gaps), round(s.Total), round(s.Longest))
		}
		out = append(out, []any{lane.Index, round(lane.Start), round(lane.First), round(lane.End), lane.Prompt, lane.Output, string(lane.Outcome), flat})
	}
	return out
}

// round keeps a microsecond: more is not seen, and a page holds many numbers.
func round(ms float64) float64 { return math.Round(ms*1000) / 1000 }
