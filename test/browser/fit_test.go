package browser

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/inferometer/inferometer/internal/judge/chartdata"
	"github.com/inferometer/inferometer/internal/judge/measure"
	"github.com/inferometer/inferometer/internal/judge/verdict"
	"github.com/inferometer/inferometer/internal/show/fakerun"
	"github.com/inferometer/inferometer/internal/show/page"
	"github.com/inferometer/inferometer/internal/show/section"
	"github.com/inferometer/inferometer/test/realserver"
)

// fit holds for every page: on a phone nothing is wider than the screen and no table is cut, charts come before tables,
// and paper and a browser without scripts show what is folded.
func fit(t *testing.T, where []string, pages ...string) {
	t.Helper()
	cmd := exec.Command("node", append([]string{"fit.mjs", where[0], where[1]}, pages...)...)
	var errors bytes.Buffer
	cmd.Stderr = &errors
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, errors.String())
	}
	var wrong map[string][]string
	if err := json.Unmarshal(out, &wrong); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if len(wrong) != len(pages) {
		t.Errorf("%d of %d pages were looked at", len(wrong), len(pages))
	}
	for name, list := range wrong {
		for _, what := range list {
			t.Errorf("%s: %s", filepath.Base(name), what)
		}
	}
}

// shown is a run as the page gets it.
func shown(t *testing.T, one fakerun.Journal) section.Run {
	t.Helper()
	c, again := chartdata.NewCollector(0), one
	r, err := measure.Measure(&one, measure.Options{}, c)
	if err != nil {
		t.Fatal(err)
	}
	v, err := verdict.Judge(&again, verdict.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return section.Run{Name: section.Name(r, "/runs/x"), Folder: "/runs/x", Result: r, Verdict: v, Drawn: c.Run(nil, nil)}
}

// TestHostilePages: whatever a model, a label and a server are called, and however many there are, the page fits.
func TestHostilePages(t *testing.T) {
	where := realserver.Lines(t, "INFEROMETER_BROWSER", 2, "make test-browser")
	dir := t.TempDir()
	var pages []string
	write := func(name string, runs ...section.Run) {
		t.Helper()
		section.NameApart(runs)
		var b bytes.Buffer
		if err := page.Write(&b, runs, page.Options{}); err != nil {
			t.Fatal(err)
		}
		if runs := len(runs); runs == 1 && strings.Contains(b.String(), "Pareto") {
			t.Errorf("%s: a single run has a Pareto front", name)
		}
		path := filepath.Join(dir, name+".html")
		if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		pages = append(pages, path)
	}
	long := strings.Repeat("a-very-long-model-name", 250)
	write("long", shown(t, fakerun.Journal{N: 40, Words: long}))
	write("long-several", shown(t, fakerun.Journal{N: 40, Words: long}), shown(t, fakerun.Journal{N: 60, Words: long}))
	write("script", shown(t, fakerun.Journal{N: 40, Words: `"><script>alert(1)</script>`, Turns: 4}))
	write("right-to-left", shown(t, fakerun.Journal{N: 40, Words: "נמדד מימין לשמאל \u202eabc", Agents: 3}))
	write("questions", shown(t, fakerun.Journal{N: 100, Words: strings.Repeat("w", 300), Categories: 30}))
	write("nothing", shown(t, fakerun.Journal{N: 0, Words: "none"}))
	write("one", shown(t, fakerun.Journal{N: 1, Words: "one"}))

	failing := shown(t, fakerun.Journal{N: 40, Words: "failing"})
	failing.Result.Outcomes, failing.Result.Errors = nil, nil
	for i := range 400 {
		failing.Result.Outcomes = append(failing.Result.Outcomes, measure.OutcomeCount{Outcome: "http_5xx", Count: i})
		failing.Result.Errors = append(failing.Result.Errors, measure.ErrorCount{Outcome: "http_5xx", Message: strings.Repeat("x", 400), Count: i})
	}
	write("outcomes", failing)
	replicas := shown(t, fakerun.Journal{N: 40, Words: "replicas"})
	replicas.Result.Replicas = &measure.Replicas{}
	for i := range 200 {
		one := measure.ReplicaResult{Requests: 1 << 30}
		one.Name = fmt.Sprintf("http://%s.example:%d", strings.Repeat("host", 20), i)
		replicas.Result.Replicas.Each = append(replicas.Result.Replicas.Each, one)
	}
	write("replicas", replicas)
	fit(t, where, pages...)
}
