// Package browser opens the HTML report in a real Chromium, without network, and
// does with it what a reader does: by mouse and by keyboard, on a wide screen and a
// narrow one, light and dark. `make test-browser` gets what it needs and runs it.
package browser

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/inferometer/inferometer/internal/sim/subprocess"
	"github.com/inferometer/inferometer/test/realserver"
)

var update = flag.Bool("update", false, "put the screenshots into docs/images")

// finding is one of axe's.
type finding struct {
	ID, Impact, Help string
	Nodes            []string
}

// seen is what page.mjs found.
type seen struct {
	LoadMS                 []float64 `json:"loadMs"`
	Console, Requests      []string
	Axe                    map[string][]finding
	Overflow               map[string]float64
	Cut                    map[string][]string
	SortUp, SortDown       []float64
	AriaSort, Where        string
	Slowest, Failed, First []string
	Markdown, CSV, Command string
	Saved                  []string
	Dark                   string
	Aligned                bool
}

// bounds of issue and docs: a page of 10,000 requests.
const (
	mostBytes  = 3 << 20
	mostLoadMS = 2000
)

func TestPages(t *testing.T) {
	where := realserver.Lines(t, "INFEROMETER_BROWSER", 2, "make test-browser")
	program, dir := realserver.Build(t), t.TempDir()
	server := func(flags ...string) string {
		sim, err := subprocess.Start(program, append([]string{"--engine", "batch", "--max-num-seqs", "64"}, flags...)...)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = sim.Stop() })
		return sim.URL
	}
	url := server("--step-base", "3ms", "--fault", "truncate=0.004,http-500=0.004")
	bench := func(name string, args ...string) {
		args = append([]string{
			"bench", "serve", "--base-url", url, "--backend", "vllm", "--model", "sim", "--skip-tokenizer-init", "--run-dir", name, "--label", name,
			"--random-input-len", "32", "--random-range-ratio", "0.5", "--scrape-every", "500ms", "--quiet",
		}, args...)
		run(t, dir, program, args...)
	}
	bench("ten thousand", "--num-prompts", "10000", "--max-concurrency", "96", "--random-output-len", "12")
	run(t, dir, program, "report", "ten thousand", "-o", "large.html")
	// A sound server, and enough requests for a p99 and a steady state: README shows this page.
	url = server("--step-base", "10ms", "--step-per-sequence", "100µs")
	for n, requests := range map[string]string{"4": "120", "16": "320", "32": "640", "64": "1280"} {
		bench("sweep "+n, "--num-prompts", requests, "--max-concurrency", n, "--random-output-len", "32", "--seed", n)
	}
	// Nothing here is about speed: the limit is one that a busy machine keeps as well.
	run(t, dir, program, "report", "sweep 4", "sweep 16", "sweep 32", "sweep 64", "-o", "several.html", "--slo", "p99_itl<2s")

	compared, err := exec.Command(program, "compare", filepath.Join(dir, "sweep 4"), filepath.Join(dir, "sweep 64"), "--format", "html").Output()
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "compared.html"), compared, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Run("on a phone, on paper, without scripts", func(t *testing.T) {
		fit(t, where, filepath.Join(dir, "large.html"), filepath.Join(dir, "several.html"), filepath.Join(dir, "compared.html"))
	})
	t.Run("10,000 requests", func(t *testing.T) {
		path := filepath.Join(dir, "large.html")
		s := look(t, where, path, "report-run")
		check(t, s)
		if len(s.Slowest) != 40 || len(s.Failed) == 0 || slices.ContainsFunc(s.Failed, func(l string) bool { return strings.Contains(l, ": complete") }) {
			t.Errorf("the waterfall shows %d slowest and as failed %q", len(s.Slowest), s.Failed)
		}
		if s.Where != "41 to 80 of 10000" || slices.Equal(s.First, s.Slowest[:3]) {
			t.Errorf("the second page of all is %q; the first begins with the slowest: %q", s.Where, s.First)
		}
		if !s.Aligned {
			t.Error("the slowest are not drawn from when they were due, or all are")
		}
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		// The quickest of five: a busy machine makes the others late, never this one quicker.
		if quick := slices.Min(s.LoadMS); info.Size() > mostBytes || quick > mostLoadMS {
			t.Errorf("%d bytes, loaded in %.0f ms", info.Size(), quick)
		}
		t.Logf("%d bytes, loaded in %.0f ms", info.Size(), s.LoadMS)
	})
	t.Run("several runs", func(t *testing.T) { check(t, look(t, where, filepath.Join(dir, "several.html"), "report-runs")) })
	t.Run("charts of 10,000 requests", func(t *testing.T) {
		p := pointAt(t, where, filepath.Join(dir, "large.html"), "charts-run")
		checkCharts(t, p)
		if p.Group < 8 || len(p.Crosshair) != p.Group || p.Compared < 60 {
			t.Errorf("%d charts over time, %d of them have the crosshair, %d values compared", p.Group, len(p.Crosshair), p.Compared)
		}
		if p.Heat == nil || !strings.HasPrefix(strings.ReplaceAll(p.Heat.Text, ",", ""), fmt.Sprintf("%.0f gaps of ", p.Heat.Want)) {
			t.Errorf("the heat map: %+v", p.Heat)
		}
		t.Logf("%d charts, %d values compared; by key: %s", p.Answering, p.Compared, p.KeyText)
	})
	t.Run("charts of several runs", func(t *testing.T) {
		p := pointAt(t, where, filepath.Join(dir, "several.html"), "")
		if checkCharts(t, p); p.Opened < 10 {
			t.Errorf("in a run that is opened later %d charts answer", p.Opened)
		}
	})
}

func run(t *testing.T, dir, program string, args ...string) {
	t.Helper()
	cmd := exec.Command(program, args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", args, err, out)
	}
}

// look opens a page and returns what was found. The screenshots get the name.
func look(t *testing.T, where []string, path, name string) *seen {
	t.Helper()
	folder := t.TempDir()
	cmd := exec.Command("node", "page.mjs", where[0], where[1], path, folder)
	var errors bytes.Buffer
	cmd.Stderr = &errors
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, errors.String())
	}
	var s seen
	if err := json.Unmarshal(out, &s); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, file := range s.Saved {
		checkSaved(t, filepath.Join(folder, file))
	}
	if len(s.Saved) != 4 {
		t.Errorf("saved %v", s.Saved)
	}
	if *update {
		keep(t, folder, name)
	}
	return &s
}

// kept are the screenshots that docs/report.md shows.
var kept = map[string][]string{
	"report-run":  {"1440-light", "1440-dark", "390-light", "390-dark", "courses-light", "requests-dark"},
	"report-runs": {"1440-light", "390-dark"},
	"charts-run":  {"zoomed"},
	"history":     {"crosshair"},

	"history-metric": {"1440-light"},
}

func keep(t *testing.T, folder, name string) {
	t.Helper()
	for _, shot := range kept[name] {
		b, err := os.ReadFile(filepath.Join(folder, shot+".png"))
		if err == nil {
			err = os.WriteFile(filepath.Join("..", "..", "docs", "images", name+"-"+shot+".png"), b, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// checkSaved: a chart that was saved is a picture by itself.
func checkSaved(t *testing.T, path string) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	switch filepath.Ext(path) {
	case ".png":
		img, err := png.Decode(bytes.NewReader(b))
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		colours := map[[3]uint32]bool{}
		for x := range img.Bounds().Dx() / 2 {
			r, g, b, _ := img.At(2*x, img.Bounds().Dy()/2).RGBA()
			colours[[3]uint32{r, g, b}] = true
		}
		if len(colours) < 3 {
			t.Errorf("%s is empty: %d colours in its middle", path, len(colours))
		}
	default:
		if text := string(b); !strings.HasPrefix(text, "<svg") || !strings.Contains(text, "<style") {
			t.Errorf("%s begins with %.60q", path, text)
		}
	}
}

func check(t *testing.T, s *seen) {
	t.Helper()
	if len(s.Console) > 0 || len(s.Requests) > 0 {
		t.Errorf("on the console: %q; asked for: %q", s.Console, s.Requests)
	}
	for screen, found := range s.Axe {
		for _, v := range found {
			t.Errorf("%s: accessibility: %s (%s): %s: %q", screen, v.ID, v.Impact, v.Help, v.Nodes)
		}
	}
	for screen, pixels := range s.Overflow {
		if pixels > 0 {
			t.Errorf("%s: the page is %g pixels too wide", screen, pixels)
		}
	}
	for screen, words := range s.Cut {
		if len(words) > 0 {
			t.Errorf("%s: cut off in charts: %q", screen, words)
		}
	}
	slices.Reverse(s.SortDown)
	if !slices.IsSorted(s.SortUp) || len(s.SortUp) < 4 || !slices.Equal(s.SortUp, s.SortDown) || s.AriaSort != "descending" {
		t.Errorf("sorted by the keyboard: %v, %v, %s", s.SortUp, s.SortDown, s.AriaSort)
	}
	if !strings.HasPrefix(s.Markdown, "| outcome | requests | share, % |\n|---|---:|---:|\n| complete | ") || !strings.HasPrefix(s.CSV, "outcome,requests,\"share, %\"\ncomplete,") {
		t.Errorf("copied %q and %q", s.Markdown, s.CSV)
	}
	if !strings.HasPrefix(s.Command, "inferometer bench serve --base-url http://127.0.0.1:") {
		t.Errorf("the command is %q", s.Command)
	}
	if s.Dark != "rgb(13, 14, 15)" {
		t.Errorf("the switch to dark gives %s", s.Dark)
	}
}
