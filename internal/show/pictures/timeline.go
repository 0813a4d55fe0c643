package pictures

import (
	"crypto/sha256"
	_ "embed" // the page
	"encoding/base64"
	"fmt"
	"html"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/chartdata"
	"github.com/inferometer/inferometer/internal/outside"
	"github.com/inferometer/inferometer/internal/show/markup"
	"github.com/inferometer/inferometer/internal/show/number"
	"github.com/inferometer/inferometer/internal/show/page"
)

//go:embed timeline.html
var timelineText string

//go:embed timeline.js
var timelineScript string

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
	about := outside.Word(run.Options.ModelID)
	if run.Options.Label != "" {
		about = outside.Word(run.Options.Label) + ", " + about
	}
	var left, parts, data markup.HTML
	if lanes.Total > len(list) {
		left.Put("<p>The first %s of %s requests that ended are shown.</p>", strconv.Itoa(len(list)), strconv.Itoa(lanes.Total))
	}
	for _, c := range classes(lanes, list) {
		parts.Put(`<tr><th><span class="k %s"></span>%s</th><td class="num">%s</td><td class="num">%s</td><td class="num">%s</td><td class="num">%s</td></tr>`+"\n",
			c.Key, c.Name, strconv.Itoa(c.Count), c.Total, c.Share, c.Longest)
	}
	if err := data.JSON("data", rows(list)); err != nil {
		return err
	}
	_, err := strings.NewReplacer(
		"{{policy}}", html.EscapeString(policy()), "{{subtitle}}", html.EscapeString(about), "{{version}}", html.EscapeString(version), "{{style}}", page.Style(),
		"{{left}}", left.String(), "{{parts}}", parts.String(), "{{data}}", data.String(), "{{script}}", timelineScript,
	).WriteString(w, timelineText)
	if err != nil {
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
		c.Total, c.Longest = number.Fixed(c.total/1000, 2)+" s", number.Millis(c.max)+" ms"
		if sum > 0 {
			c.Share = number.Share(c.total / sum)
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
