package browser

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/inferometer/inferometer/internal/show/chart"
	"github.com/inferometer/inferometer/internal/show/page"
	"github.com/inferometer/inferometer/test/realserver"
)

// pointed is what charts.mjs found.
type pointed struct {
	Console, Requests []string
	Dialogs           int
	Axe               map[string][]finding
	Wrong             []string
	Compared          int
	Figures           int // with a picture, also in parts that are closed
	Answering         int
	Opened            int // more of them, in a run that was closed at first
	Group             int
	Pictures          int // that are seen beside the charts that answer
	Crosshair         []float64
	KeyCrosshair      []float64
	KeyText           string
	Zooms             map[string][][2]float64
	Pressed           []string
	Walk              []string
	WalkWhole         bool
	Heat              *struct {
		Text string
		Want float64
	}
	Point *struct{ Text, Want, Link, WantLink string }
	Print struct{ SVG, Canvas int }
	Touch *struct {
		At           float64
		Said, Stayed bool
		Overflow     float64
	}
	Plain map[string]struct{ SVG, Canvas int }
}

// pointAt opens a page and points at its charts. The screenshots get the name.
func pointAt(t *testing.T, where []string, path, name string) *pointed {
	t.Helper()
	folder := t.TempDir()
	cmd := exec.Command("node", "charts.mjs", where[0], where[1], path, folder)
	var errors bytes.Buffer
	cmd.Stderr = &errors
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, errors.String())
	}
	var p pointed
	if err := json.Unmarshal(out, &p); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if *update {
		keep(t, folder, name)
	}
	return &p
}

// checkCharts holds for every page with charts.
func checkCharts(t *testing.T, p *pointed) {
	t.Helper()
	if len(p.Console) > 0 || len(p.Requests) > 0 || p.Dialogs > 0 {
		t.Errorf("on the console: %q; asked for: %q; %d dialogs", p.Console, p.Requests, p.Dialogs)
	}
	for screen, found := range p.Axe {
		for _, v := range found {
			t.Errorf("%s: accessibility: %s (%s): %s: %q", screen, v.ID, v.Impact, v.Help, v.Nodes)
		}
	}
	if len(p.Wrong) > 0 {
		t.Errorf("%d of %d values under the pointer are wrong: %q", len(p.Wrong), p.Compared, p.Wrong[:min(len(p.Wrong), 5)])
	}
	if p.Answering == 0 || p.Pictures > 0 || p.Print.SVG != p.Answering || p.Print.Canvas > 0 {
		t.Errorf("%d charts answer, %d pictures stand beside them; printed are %d pictures and %d canvases", p.Answering, p.Pictures, p.Print.SVG, p.Print.Canvas)
	}
	for screen, n := range p.Plain {
		if n.SVG < p.Answering || n.Canvas > 0 {
			t.Errorf("%s without scripts: %d pictures for %d charts, %d canvases", screen, n.SVG, p.Answering, n.Canvas)
		}
	}
	if !p.WalkWhole {
		t.Errorf("by Tab the charts come as %q", p.Walk)
	}
	if p.Pressed != nil && !slices.Equal(p.Pressed, []string{"false", "true"}) {
		t.Errorf("a series is hidden and shown: %q", p.Pressed)
	}
	if p.Touch == nil || !p.Touch.Said || math.Abs(p.Touch.At-0.5) > 0.1 || !p.Touch.Stayed || p.Touch.Overflow > 0 {
		t.Errorf("a finger: %+v", p.Touch)
	}
	checkZooms(t, p)
}

// checkZooms: all charts of a group show the same part, and all of it again.
func checkZooms(t *testing.T, p *pointed) {
	t.Helper()
	whole := p.Zooms["before"][0]
	for name, list := range p.Zooms {
		for _, r := range list {
			if r != list[0] {
				t.Errorf("%s: charts show %v and %v", name, list[0], r)
			}
		}
		back := name == "before" || name == "double-click" || name == "all" || name == "escape"
		if r := list[0]; back != (r == whole) || r[0] < whole[0] || r[1] > whole[1] || r[0] >= r[1] {
			t.Errorf("%s: shown are %v of %v", name, r, whole)
		}
	}
	for _, at := range slices.Concat(p.Crosshair, p.KeyCrosshair) {
		if at < 0 {
			t.Errorf("a chart has no crosshair: %v %v", p.Crosshair, p.KeyCrosshair)
		}
	}
	for i, at := range p.Crosshair {
		if math.Abs(at-p.Crosshair[0]) > 0.003 || math.Abs(p.KeyCrosshair[i]-p.KeyCrosshair[0]) > 0.003 {
			t.Errorf("crosshairs are apart: %v %v", p.Crosshair, p.KeyCrosshair)
		}
	}
}

// TestHostileCharts: whatever series are called and hold, the page stays a page.
func TestHostileCharts(t *testing.T) {
	where := realserver.Lines(t, "INFEROMETER_BROWSER", 2, "make test-browser")
	nan := math.NaN()
	at, many := make([]float64, 300), make([]float64, 300)
	for i := range at {
		at[i], many[i] = float64(i), 1e9*(1+math.Sin(float64(i)/20))
		if i%50 < 5 {
			many[i] = nan
		}
	}
	words := []string{`<script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, "\u202e\x1b[31mred", `javascript:alert(2)`, `__proto__`}
	axis := chart.Axis{Label: words[0], Unit: "s", Min: new(float64), Max: &[]float64{300}[0]}
	charts := []*chart.Chart{
		{Title: words[1], Series: []chart.Series{{Name: words[0], X: at, Y: many}, {Name: words[1], X: at, Y: at, Dashed: true}, {Name: words[2], Kind: chart.Steps, X: at[:7], Y: at[:7]}}},
		{Title: "one point", Series: []chart.Series{{Name: words[4], X: at[5:6], Y: at[5:6]}}},
		{Title: "nothing", Series: nil},
		{Title: "only gaps", Series: []chart.Series{{Name: "gaps", X: at[:2], Y: []float64{nan, nan}}}},
		{Title: "links", Series: []chart.Series{{Name: "points", Kind: chart.Points, X: at[:3], Y: at[:3], Hints: words[:3], Links: []string{words[3], "//elsewhere", "data:text/html,x"}, Labels: words[:3]}}},
	}
	d := &page.Document{Title: words[0], Sections: []page.Section{{ID: "all", Title: words[1]}}}
	for i, c := range charts {
		c.X, c.Together = axis, words[3]
		f, err := page.Draw(fmt.Sprintf("chart%d", i), c, true)
		if err != nil {
			t.Fatal(err)
		}
		d.Sections[0].Figures = append(d.Sections[0].Figures, f)
	}
	path := filepath.Join(t.TempDir(), "hostile.html")
	var b bytes.Buffer
	if err := d.Write(&b); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	p := pointAt(t, where, path, "")
	if p.Point == nil || !strings.HasSuffix(p.Point.Text, p.Point.Want) || p.Point.Link != "" {
		t.Errorf("a point with hostile words: %+v", p.Point)
	}
	if p.Answering != 3 || p.Compared < 6 {
		t.Errorf("%d charts answer, %d values compared", p.Answering, p.Compared)
	}
	checkCharts(t, p)
}

// TestHistory: the pages of serve-report answer in the same way, and a point leads to its run.
func TestHistory(t *testing.T) {
	where := realserver.Lines(t, "INFEROMETER_BROWSER", 2, "make test-browser")
	program, dir := realserver.Build(t), t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "results"), 0o755); err != nil {
		t.Fatal(err)
	}
	for i := range 40 { // with three changes
		speed := []float64{1000, 900, 1080, 1200}[i/10] + 7*float64(i%5)
		b, err := json.Marshal(map[string]any{
			"date": time.Date(2026, 1, 1+i, 2, 0, 0, 0, time.UTC).Format("20060102-150405"), "backend": "vllm", "model_id": "m", "num_prompts": 100, "request_rate": "inf", "max_concurrency": 8,
			"duration": 10.0 + float64(i), "completed": 100, "failed": 0, "total_input_tokens": 102400, "total_output_tokens": 12800, "request_throughput": speed / 128,
			"output_throughput": speed, "median_ttft_ms": 50.0 + float64(i%4), "p99_ttft_ms": 90.0 + float64(i%7), "commit": fmt.Sprintf("%07x", i*7919),
		})
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, "results", fmt.Sprintf("%02d.json", i)), b, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	run(t, dir, program, "serve-report", "results", "-o", "public")
	var pages []string
	for _, pattern := range []string{"index.html", "series/*.html", "series/*/output_throughput.html", "compare/*.html", "run/*.html"} {
		list, err := filepath.Glob(filepath.Join(dir, "public", pattern))
		if err != nil || len(list) == 0 {
			t.Fatalf("%s: %v, %v", pattern, list, err)
		}
		pages = append(pages, list[0])
	}
	fit(t, where, pages...)
	for pattern, group := range map[string]int{"public/series/*.html": 4, "public/series/*/output_throughput.html": 1} {
		name := "history-metric"
		if group > 1 {
			name = "history"
		}
		list, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil || len(list) != 1 {
			t.Fatalf("%s: %v, %v", pattern, list, err)
		}
		p := pointAt(t, where, list[0], name)
		checkCharts(t, p)
		if p.Group != group || p.Point == nil || p.Point.Text != p.Point.Want+" open" || p.Point.Link != p.Point.WantLink {
			t.Errorf("%s: %d charts together; a point says %+v", pattern, p.Group, p.Point)
			continue
		}
		if _, err := os.Stat(filepath.Join(filepath.Dir(list[0]), p.Point.Link)); err != nil {
			t.Errorf("%s: a point leads nowhere: %v", pattern, err)
		}
	}
}
