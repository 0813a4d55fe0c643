package scenario

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/inferometer/inferometer/internal/option"
	"github.com/inferometer/inferometer/internal/plan/run"
	"github.com/inferometer/inferometer/internal/spec"
)

// fakeBench stands for bench serve: it writes a result, whose numbers depend on the
// concurrency, and does what the file $0.do in the folder says.
const fakeBench = `#!/bin/sh
LOG=%q FAIL=%q HANG=%q
for spec; do :; done
key() { sed -n 's/^ *"'"$1"'": "*\([^",]*\)"*,*$/\1/p' "$spec"; }
dir=$(key run_dir) label=$(key label) c=$(key max_concurrency)
echo "$label" >>"$LOG"
case "$label" in
*$FAIL*) echo "inferometer exec: it is no good"; exit 1 ;;
esac
case "$label" in
*$HANG*) trap 'exit 3' INT; echo up >"$LOG.hangs"; while :; do sleep 0.05; done ;;
esac
mkdir -p "$dir"
echo '{"completed": 10, "failed": 0, "request_throughput": '$c', "output_throughput": '$c'00, "request_goodput": null,
"total_token_throughput": '$c'200, "duration": 2.5, "mean_ttft_ms": '$c'1, "median_ttft_ms": '$c'0, "p99_ttft_ms": '$c'5,
"inferometer": {"outcomes": {"complete": 10}, "verdict": {"level": "VALID", "reasons": [], "unsupported": ["p99_ttft"]}}}' >"$dir/result.json"
`

// world is a folder with a runner in it.
type world struct {
	t          *testing.T
	dir        string
	fail, hang string
	events     []string
}

func newWorld(t *testing.T) *world {
	return &world{t: t, dir: t.TempDir(), fail: "no point at all", hang: "no point at all"}
}

// fakeSpec reads those flags that fakeBench needs.
func fakeSpec(settings option.Settings) (*spec.Spec, map[string]string, error) {
	asked := spec.Default()
	for _, one := range settings {
		switch one.Flag {
		case "run-dir":
			asked.RunDir = one.Values[0]
		case "label":
			asked.Label = one.Values[0]
		case "max-concurrency":
			n, err := strconv.Atoi(one.Values[0])
			if err != nil {
				return nil, nil, err
			}
			asked.MaxConcurrency = &n
		}
	}
	return &asked, nil, nil
}

func (w *world) runner(plan *Plan) *Runner {
	program := filepath.Join(w.dir, "bench")
	if err := os.WriteFile(program, fmt.Appendf(nil, fakeBench, filepath.Join(w.dir, "log"), w.fail, w.hang), 0o755); err != nil {
		w.t.Fatal(err)
	}
	return &Runner{
		Plan: plan, Folder: Folder{filepath.Join(w.dir, "out")}, Source: []byte("name: x\n"), Client: http.DefaultClient,
		Program: program, Spec: fakeSpec,
		Observe: func(e run.Event) {
			if e.Kind == run.Ended {
				w.events = append(w.events, fmt.Sprintf("%s %s", e.Point.Name, e.Outcome.State))
			}
		},
	}
}

func (w *world) run(plan *Plan) *Summary {
	w.t.Helper()
	w.events = nil
	records, err := w.runner(plan).Run(w.t.Context(), nil)
	if err != nil {
		w.t.Fatal(err)
	}
	return Summarize(plan, records, Folder{filepath.Join(w.dir, "out")})
}

// benched are the points that bench serve was started for, since it was asked last.
func (w *world) benched() []string {
	w.t.Helper()
	log := filepath.Join(w.dir, "log")
	b, _ := os.ReadFile(log)
	_ = os.Remove(log)
	return strings.Fields(string(b))
}

const steps = `
name: steps
targets: {a: {base_url: "http://127.0.0.1:1"}}
matrix: {concurrency: [1, 2, 4]}
slo: p99_ttft<=30ms
`

func TestRunAndResume(t *testing.T) {
	w := newWorld(t)
	w.fail = "concurrency-2"
	s := w.run(planOf(t, steps))
	if diff := cmp.Diff([]string{"a_concurrency-1_r1", "a_concurrency-2_r1", "a_concurrency-4_r1"}, w.benched()); diff != "" {
		t.Errorf("a point that fails must not stop the others: %s", diff)
	}
	if s.Done != 2 || s.Failed != 1 || !strings.Contains(s.Rows[1].Errors[0], "it is no good") {
		t.Errorf("%+v", s)
	}
	if got := s.Answers.Most.Values["concurrency"] + " " + s.Answers.WithinSLO.Values["concurrency"]; got != "4 1" {
		t.Errorf("the most and the most within the SLO are at %s", got)
	}

	w.fail = "no point at all"
	s = w.run(planOf(t, steps))
	if diff := cmp.Diff([]string{"a_concurrency-2_r1"}, w.benched()); diff != "" || s.Done != 3 {
		t.Errorf("only what is missing is run: %s; %d done", diff, s.Done)
	}
	s = w.run(planOf(t, steps, "matrix.concurrency=[1, 2, 4, 8]", "repeat=2"))
	if got := len(w.benched()); got != 5 || s.Done != 8 {
		t.Errorf("%d points are run and %d done; the new ones are 5", got, s.Done)
	}
	s = w.run(planOf(t, steps, "warmup=1"))
	if got := len(w.benched()); got != 3 || s.Done != 3 {
		t.Errorf("after a change %d points are run, want all 3", got)
	}
	if err := os.Remove(filepath.Join(w.dir, "out", "points", "a_concurrency-1_r1", "run", "result.json")); err != nil {
		t.Fatal(err)
	}
	w.run(planOf(t, steps, "warmup=1"))
	if diff := cmp.Diff([]string{"a_concurrency-1_r1"}, w.benched()); diff != "" {
		t.Errorf("a point without its result is run again: %s", diff)
	}
	if err := (Folder{filepath.Join(w.dir, "out")}).Fresh(); err != nil {
		t.Fatal(err)
	}
	w.run(planOf(t, steps))
	if got := len(w.benched()); got != 3 {
		t.Errorf("after Fresh %d points are run, want all 3", got)
	}
}

func TestRealInterrupt(t *testing.T) {
	w := newWorld(t)
	w.hang = "concurrency-2"
	drain := make(chan struct{})
	go func() {
		for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(2 * time.Millisecond) {
			if _, err := os.Stat(filepath.Join(w.dir, "log.hangs")); err == nil {
				break
			}
		}
		close(drain)
	}()
	plan := planOf(t, steps)
	records, err := w.runner(plan).Run(t.Context(), drain)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"a_concurrency-1_r1 done", "a_concurrency-2_r1 interrupted"}, w.events); diff != "" || records[2] != nil {
		t.Errorf("%s, %v", diff, records[2])
	}
	w.hang = "no point at all"
	w.benched()
	w.run(plan)
	if diff := cmp.Diff([]string{"a_concurrency-2_r1", "a_concurrency-4_r1"}, w.benched()); diff != "" {
		t.Error(diff)
	}
}

// A server that does not come up fails its own points, once, and no others.
func TestRealServerThatDoesNotStart(t *testing.T) {
	w := newWorld(t)
	s := w.run(planOf(t, `
name: x
targets:
  broken: {command: "echo no such model; echo started >>`+w.dir+`/starts; exit 3", port: 18999}
  good: {base_url: "http://127.0.0.1:1"}
matrix: {concurrency: [1, 2]}
`))
	if s.Done != 2 || s.Failed != 2 || !strings.Contains(s.Rows[0].Errors[0], "no such model") {
		t.Errorf("%d done, %d failed: %v", s.Done, s.Failed, s.Rows[0].Errors)
	}
	if b, _ := os.ReadFile(filepath.Join(w.dir, "starts")); string(b) != "started\n" {
		t.Errorf("it was started %q", b)
	}
}

func TestResetCache(t *testing.T) {
	var posted []string
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet { // it is asked what it is too
			posted = append(posted, r.Method+" "+r.URL.Path)
		}
	}))
	defer server.Close()
	w := newWorld(t)
	s := w.run(planOf(t, steps, "targets.a.base_url="+server.URL, "reset_cache=[/a, /b]", "matrix.concurrency=[1, 2]"))
	if diff := cmp.Diff([]string{"POST /a", "POST /b", "POST /a", "POST /b"}, posted); diff != "" || s.Done != 2 {
		t.Errorf("%d done: %s", s.Done, diff)
	}
}

func TestCancelledBeforeItBegins(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	w := newWorld(t)
	records, err := w.runner(planOf(t, steps)).Run(ctx, nil)
	if err != nil || records[0] != nil || len(w.benched()) > 0 {
		t.Errorf("%v, %v", records, err)
	}
}

// What is written can be read by others.
func TestSummaryFiles(t *testing.T) {
	w := newWorld(t)
	w.fail = "concurrency-2_r2"
	s := w.run(planOf(t, steps, "repeat=2"))
	folder := Folder{filepath.Join(w.dir, "out")}
	if err := s.Write(folder); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(folder.file("summary.json"))
	if err != nil {
		t.Fatal(err)
	}
	var whole struct {
		Done, Failed int
		Answers      struct {
			Most struct {
				Values map[string]string
				Mean   map[string]float64
			}
		}
		Points []struct {
			ID, State, Verdict, SLO, Result string
			Numbers                         map[string]float64
		}
	}
	if err := json.Unmarshal(b, &whole); err != nil {
		t.Fatal(err)
	}
	if whole.Done != 5 || whole.Failed != 1 || len(whole.Points) != 6 || whole.Answers.Most.Mean["output_throughput"] != 400 {
		t.Errorf("%+v", whole)
	}
	for _, p := range whole.Points {
		if _, err := os.Stat(folder.file(p.Result)); p.State == "done" && err != nil {
			t.Errorf("%s: %v", p.ID, err)
		}
	}
	lines, err := os.ReadFile(folder.file("summary.csv"))
	if err != nil {
		t.Fatal(err)
	}
	table, err := csv.NewReader(bytes.NewReader(lines)).ReadAll()
	if err != nil || len(table) != 7 {
		t.Fatalf("%d lines, %v:\n%s", len(table), err, lines)
	}
	cells := map[string]string{}
	for i, name := range table[0] {
		cells[name] = table[5][i]
	}
	for name, want := range map[string]string{
		"concurrency": "4", "repeat": "1", "point": "a_concurrency-4_r1", "state": "done", "verdict": "VALID", "slo": "broken", "completed": "10", "failed": "0",
		"request_throughput": "4", "output_throughput": "400", "total_token_throughput": "4200", "duration": "2.5", "mean_ttft_ms": "41",
		"median_ttft_ms": "40", "p99_ttft_ms": "", "outcome_complete": "10", "error": "",
	} {
		if got, there := cells[name]; !there || got != want {
			t.Errorf("%s is %q (%v), want %q", name, got, there, want)
		}
	}
}
