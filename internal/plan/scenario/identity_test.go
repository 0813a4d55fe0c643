package scenario

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/inferometer/inferometer/internal/plan/run"
)

// A server that was replaced by another one at the same address: what was measured of
// the first is measured again, and that is said. One that is the same is left alone,
// with the date of its results; so is one that can't be asked.
func TestResultsOfAnotherServerAreMeasuredAgain(t *testing.T) {
	var model atomic.Value
	model.Store("first")
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v1/models" {
			http.NotFound(w, r)
			return
		}
		fmt.Fprintf(w, `{"data": [{"id": %q, "created": %d, "owned_by": "vllm"}]}`, model.Load(), time.Now().UnixNano())
	}))
	defer server.Close()
	w := newWorld(t)
	var notes, skipped []string
	run := func() *Summary {
		t.Helper()
		notes, skipped = nil, nil
		plan := planOf(t, steps, "targets.a.base_url="+server.URL)
		r := w.runner(plan)
		r.Observe = func(e run.Event) {
			switch e.Kind {
			case run.Note:
				notes = append(notes, e.Text)
			case run.Skipped:
				skipped = append(skipped, e.Point.Measured)
			}
		}
		records, err := r.Run(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		return Summarize(plan, records, r.Folder)
	}
	text := func(s *Summary) string {
		var b strings.Builder
		if err := s.Markdown(&b); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	s := run()
	if n := len(w.benched()); n != 3 || strings.Contains(text(s), "earlier run") {
		t.Errorf("%d points are run at first: %s", n, text(s))
	}
	s = run()
	if n := len(w.benched()); n != 0 || len(skipped) != 3 || !strings.HasPrefix(skipped[0], time.Now().Format("2006-")) || len(notes) > 0 {
		t.Errorf("%d points are run again, skipped %v, %v", n, skipped, notes)
	}
	if want := "- None of these results is new: all were measured by an earlier run, on " + skipped[0]; !strings.Contains(text(s), want) {
		t.Errorf("%q is not in\n%s", want, text(s))
	}
	model.Store("second")
	s = run()
	if n := len(w.benched()); n != 3 || len(notes) != 1 || !strings.Contains(notes[0], "a is another server than on ") ||
		!strings.Contains(notes[0], "(then: first; now: second)") || strings.Contains(text(s), "earlier run") {
		t.Errorf("%d points are run, %q\n%s", n, notes, text(s))
	}
	server.Close()
	s = run()
	if n := len(w.benched()); n != 0 || len(notes) != 1 || !strings.Contains(notes[0], "can't be told") || !strings.Contains(text(s), "earlier run") {
		t.Errorf("%d points are run, %q", n, notes)
	}
}

// A server that we start is another one when its program, model or settings changed,
// and the same when only what it writes did.
func TestFilesOfACommandBelongToThePoint(t *testing.T) {
	dir := t.TempDir()
	file := func(name string) string { return filepath.Join(dir, name) }
	write := func(name, text string, mode os.FileMode) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(file(name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file(name), []byte(text), mode); err != nil {
			t.Fatal(err)
		}
	}
	write("serve", "program", 0o755)
	write("model-q4.gguf", "weights", 0o644)
	write("folder/config.json", "{}", 0o644)
	write("server.log", "", 0o644)
	write("out.json", "", 0o644)
	text := fmt.Sprintf(`
name: files
targets:
  a:
    command: %[1]s/serve -m %[1]s/model-q4.gguf --dir=%[1]s/folder --port {port} --log %[1]s/server.log > %[1]s/out.json
`, dir)
	before := planOf(t, text).Points[0].Fingerprint
	for _, tt := range []struct {
		name string
		mode os.FileMode
		same bool
	}{{"server.log", 0o644, true}, {"out.json", 0o644, true}, {"model-q4.gguf", 0o644, false}, {"folder/config.json", 0o644, false}, {"serve", 0o755, false}} {
		write(tt.name, "something longer: "+tt.name, tt.mode)
		after := planOf(t, text).Points[0].Fingerprint
		if (after == before) != tt.same {
			t.Errorf("after a change of %s the point is the same: %v", tt.name, after == before)
		}
		before = after
	}
}

// A point that has a result and is measured again says why.
func TestWhyAPointIsMeasuredAgain(t *testing.T) {
	w := newWorld(t)
	file := filepath.Join(w.dir, "prompts.jsonl")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("one")
	for _, tt := range []struct {
		change func()
		set    string
		want   string
	}{
		{func() {}, "warmup=0", ""},
		{func() { write("another") }, "warmup=0", "points of a that were measured on 20.* are measured again: changed since then: " + file},
		{func() {}, "warmup=3", "what is sent, or how, has changed"},
		{func() {}, "warmup=0", "what is sent, or how, has changed"},
	} {
		tt.change()
		var notes []string
		r := w.runner(planOf(t, steps, "workload={dataset: custom, path: "+file+"}", tt.set))
		r.Observe = func(e run.Event) {
			if e.Kind == run.Note && !strings.Contains(e.Text, "can't be told") {
				notes = append(notes, e.Text)
			}
		}
		if _, err := r.Run(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		if n := len(w.benched()); n != 3 {
			t.Errorf("%d points are measured", n)
		}
		if ok, _ := regexp.MatchString(tt.want, strings.Join(notes, "\n")); !ok || (tt.want == "") != (len(notes) == 0) || len(notes) > 1 {
			t.Errorf("%q, want %q", notes, tt.want)
		}
	}
}
