package history

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/inferometer/inferometer/internal/foreign"
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/result"
)

// resultJSON is a result as vLLM writes it; with ours set, as we do.
func resultJSON(date string, more ...string) string {
	text := fmt.Sprintf(`"date": %q, "backend": "vllm", "model_id": "m", "num_prompts": 100, "request_rate": "inf", "max_concurrency": 8, "duration": 10.5,
		"completed": 100, "failed": 0, "total_input_tokens": 102400, "total_output_tokens": 12800, "request_throughput": 9.5, "output_throughput": 1219.0, "mean_ttft_ms": 50.0`, date)
	return "{" + strings.Join(append([]string{text}, more...), ", ") + "}"
}

const ours = `"inferometer": {"run": "/x", "workload": {"dataset": "random"}, "verdict": {"level": "%s"}}`

// asks makes a result one of questions.
func asks(result, task string) string {
	return strings.Replace(result, `"run": "/x"`, fmt.Sprintf(`"run": "/x", "eval": {"task": %q, "questions": 100, "answered": 100, "scores": [{"name": "s", "metric": "exact_match", "right": 50, "of": 100}]}`, task), 1)
}

func file(text string) *fstest.MapFile {
	return &fstest.MapFile{Data: []byte(text), ModTime: time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)}
}

var now = time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)

func TestScan(t *testing.T) {
	valid := fmt.Sprintf(ours, "VALID")
	files := fstest.MapFS{
		"a/" + journal.FileName:                               file("journal"),
		"a/" + journal.ResultName:                             file(resultJSON("20260101-000000", valid)),
		"a/" + journal.SpecName:                               file("{}"),
		"a/" + journal.PartName(1) + "/" + journal.FileName:   file("journal"), // a part of a, which went on
		"a/" + journal.PartName(1) + "/" + journal.ResultName: file(resultJSON("20251231-000000", valid)),
		"saved.json":                     file(resultJSON("20260101-000000", valid)), // of the same run
		"b/c/d/vllm.json":                file(resultJSON("20260102-000000", `"commit": "abc"`)),
		"killed/" + journal.FileName:     file("journal"),
		"broken/" + journal.FileName:     file("journal"),
		"now/" + journal.FileName:        {Data: []byte("journal"), ModTime: now.Add(-time.Second)},
		"package.json":                   file(`{"name": "no result"}`),
		"half.json":                      file(`{"request_throughput": `),
		".git/x.json":                    file(resultJSON("20260103-000000")),
		"image.png":                      file("PNG"),
		"two.jsonl":                      file(resultJSON("20260104-000000") + "\n" + resultJSON("20260105-000000")),
		"dir.json/" + journal.ResultName: file(resultJSON("20260106-000000")),
	}
	measured := 0
	tree := NewTree(files, foreign.Read, func(folder string) (result.Result, error) {
		measured++
		if folder == "broken" {
			return result.Result{}, errors.New("the journal is damaged")
		}
		list, err := foreign.Read(folder, []byte(resultJSON("20260107-000000", valid)))
		return list[0], err
	})
	runs, problems, err := tree.Scan(now)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for i := range runs {
		got = append(got, fmt.Sprintf("%s#%d %s %q", runs[i].Path, runs[i].Index, runs[i].Start.Format("0102"), runs[i].Folder))
	}
	want := []string{
		`a/result.json#0 0101 "a"`, `b/c/d/vllm.json#0 0102 ""`, `dir.json/result.json#0 0106 ""`, `killed/journal.jsonl.zst#0 0107 "killed"`,
		`two.jsonl#0 0104 ""`, `two.jsonl#1 0105 ""`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("runs:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	var paths []string
	for _, p := range problems {
		paths = append(paths, p.Path)
	}
	if want := []string{"broken/" + journal.FileName, "half.json", "now"}; !slices.Equal(paths, want) {
		t.Errorf("problems: %v, want %v", problems, want)
	}
	if runs[1].Commit != "abc" || runs[0].Name != "a" {
		t.Errorf("commit %q, name %q", runs[1].Commit, runs[0].Name)
	}

	// A second look reads nothing again but what has changed, and forgets what is gone.
	files["b/c/d/vllm.json"] = file(resultJSON("20260102-000000", `"commit": "abcdef"`))
	delete(files, "two.jsonl")
	again, _, err := tree.Scan(now)
	if err != nil || len(again) != 4 || again[1].Commit != "abcdef" || again[1].ID != runs[1].ID {
		t.Errorf("a second look finds %d runs: %v, %v", len(again), again, err)
	}
	if measured != 2 {
		t.Errorf("journals were measured %d times, want 2", measured)
	}
}

func TestWholeHasTheSamples(t *testing.T) {
	files := fstest.MapFS{"r.json": file(resultJSON("20260101-000000", `"latencies": [0.5, 0.6]`))}
	tree := NewTree(files, foreign.Read, nil)
	runs, _, err := tree.Scan(now)
	if err != nil || len(runs) != 1 || runs[0].Samples != nil {
		t.Fatalf("%v, %v: a summary must not hold single requests", runs, err)
	}
	whole, err := tree.Whole(&runs[0])
	if err != nil || len(whole.Samples["e2el"]) != 2 {
		t.Errorf("%v, %v", whole.Samples, err)
	}
	files["r.json"] = file("nothing any more")
	if _, err := tree.Whole(&runs[0]); err == nil {
		t.Error("a run that is gone was read")
	}
}

func TestScanOfNothing(t *testing.T) {
	if _, _, err := NewTree(missing{}, foreign.Read, nil).Scan(now); err == nil {
		t.Error("a folder that is not there was read")
	}
}

type missing struct{}

func (missing) Open(name string) (fs.File, error) {
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
}

func TestGroup(t *testing.T) {
	valid, invalid := fmt.Sprintf(ours, "VALID"), fmt.Sprintf(ours, "INVALID")
	replace := func(text string, pairs ...string) string { return strings.NewReplacer(pairs...).Replace(text) }
	files := fstest.MapFS{
		"1.json": file(resultJSON("20260101-000000", valid, `"git_sha": "b"`)),
		"2.json": file(resultJSON("20260103-000000", valid, `"git_sha": "a"`)),
		"3.json": file(replace(resultJSON("20260102-000000", invalid, `"git_sha": "b"`), "102400", "102011", "12800", "12012")), // nearly as long
		"4.json": file(replace(resultJSON("20260104-000000", valid), `"max_concurrency": 8`, `"max_concurrency": 16`)),
		"5.json": file(resultJSON("20260105-000000", valid, `"series": "night"`)),
		"6.json": file(resultJSON("20260106-000000")), // vLLM's own
		"7.json": file(resultJSON("20260107-000000", valid, `"gpu": "h100"`)),
		"8.json": file(resultJSON("20260108-000000", asks(valid, "gsm8k"))),
		"9.json": file(resultJSON("20260109-000000", asks(valid, "mmlu_pro"))), // another task is another series
	}
	runs, problems, err := NewTree(files, foreign.Read, nil).Scan(now)
	if err != nil || len(problems) > 0 {
		t.Fatal(err, problems)
	}
	for _, test := range []struct {
		by   []string
		want string
	}{
		{nil, "9|8|6|5|4|1 3 2 7"}, // the newest series first, but 7 belongs to the first one
		{[]string{"gpu"}, "9|8|7|6|5|4|1 3 2"},
	} {
		series := Group(slices.Clone(runs), test.by)
		slices.SortFunc(series, func(a, b Series) int { return strings.Compare(b.Runs[0].Path, a.Runs[0].Path) })
		var got []string
		for i := range series {
			var names []string
			for j := range series[i].Runs {
				names = append(names, strings.TrimSuffix(series[i].Runs[j].Path, ".json"))
			}
			got = append(got, strings.Join(names, " "))
		}
		if text := strings.Join(got, "|"); text != test.want {
			t.Errorf("by %v: %s, want %s", test.by, text, test.want)
		}
	}
	s := Group(runs, []string{"gpu"})
	last := s[len(s)-1]
	var commits []string
	for _, r := range last.ByCommit() {
		commits = append(commits, r.Commit+" "+r.Path)
	}
	if want := []string{"b 1.json", "b 3.json", "a 2.json"}; !slices.Equal(commits, want) {
		t.Errorf("by commit: %v, want %v", commits, want)
	}
	if v := Values(last.Runs, "mean_ttft_ms"); v[0] != 50 || v[1] == v[1] {
		t.Errorf("values %v: that of an INVALID run must be none", v)
	}
	if title, load := last.Title(), last.Load(); title != "m, vllm" || load != "8 at once, 100 requests, 1024 tokens in, 128 out, random" {
		t.Errorf("title %q, load %q", title, load)
	}
}

func TestTimesAndCommits(t *testing.T) {
	for _, text := range []string{"20260102-030405", "2026-01-02T03:04:05Z", "2026-01-02 03:04:05", "2026-01-02T05:04:05.000+02:00"} {
		if at, ok := parseTime(text); !ok || !at.Equal(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)) {
			t.Errorf("%s is taken for %v", text, at)
		}
	}
	if _, ok := parseTime("yesterday"); ok {
		t.Error("yesterday is a time")
	}
	r := Run{Commit: strings.Repeat("0123456789", 4)}
	if r.ShortCommit() != "012345678" {
		t.Errorf("short commit %q", r.ShortCommit())
	}
	if r.Commit = "release-1.2"; r.ShortCommit() != "release-1.2" {
		t.Errorf("a name was cut: %q", r.ShortCommit())
	}
}

// What lies in a folder of ours beside its journals repeats its runs: each is counted once, and nothing else is.
func TestFoldersOfOursCountOnce(t *testing.T) {
	block := "============ Serving Benchmark Result ============\nSuccessful requests:                     100\nBenchmark duration (s):                  10.50\nRequest throughput (req/s):              9.52\nOutput token throughput (tok/s):         1219.05\nMean TTFT (ms):                          50.00\n==================================================\n"
	table := "| run | Req/s | Output Tok/s | Mean TTFT (ms) |\n|---|---|---|---|\n| one | 9.5 | 1219 | 50 |\n"
	files := fstest.MapFS{}
	day := 0
	run := func(at string) {
		day++
		files[at+"/"+journal.FileName] = file("journal")
		files[at+"/"+journal.SpecName] = file("{}")
		files[at+"/bench.log"] = file(block)
		files[at+"/"+journal.ResultName] = file(resultJSON(fmt.Sprintf("202601%02d-000000", day), fmt.Sprintf(ours, "VALID")))
	}
	for _, name := range []string{"one_r1", "one_r2"} {
		run("scenario/points/" + name + "/run")
		files["scenario/points/"+name+"/bench.log"] = file(block)
		files["scenario/points/"+name+"/point.json"] = file("{}")
	}
	files["scenario/scenario.yaml"], files["scenario/table.md"], files["scenario/servers/one-1/server.log"] = file("name: x"), file(table), file(block)
	run("find/probes/001/run")
	files["find/probes.jsonl"], files["find/find.md"], files["find/probes/001/bench.log"] = file("{}"), file(table), file(block)
	files["find/result.json"] = file(resultJSON("20260131-000000", fmt.Sprintf(ours, "VALID")))
	run("ab/round-01-a")
	run("ab/round-01-b")
	files["ab/ab.json"] = file("{}")
	run("fleet")
	files["fleet/fleet.json"], files["fleet/agents/a1/"+journal.FileName] = file("{}"), file("journal")
	files["leading/fleet.json"], files["leading/spec.json"], files["leading/agents/a1/"+journal.FileName] = file("{}"), file("{}"), file("journal")
	files["sweep/summary.csv"], files["sweep/SERVE--x/run=0.log"] = file("a,b\n1,2\n"), file(block)
	files["sweep/SERVE--x/run=0.json"] = file(resultJSON("20260301-000000"))
	files["sweep/SERVE--x/summary.json"] = file("[" + resultJSON("20260301-000000") + "]")
	files["note.md"] = file(block) // outside: somebody's, and a run
	runs, problems, err := NewTree(files, foreign.Read, func(folder string) (result.Result, error) { return result.Result{}, errors.New("measured " + folder) }).Scan(now)
	var paths []string
	for i := range runs {
		paths = append(paths, runs[i].Path)
	}
	slices.Sort(paths)
	want := "ab/round-01-a/result.json ab/round-01-b/result.json find/probes/001/run/result.json fleet/result.json note.md scenario/points/one_r1/run/result.json scenario/points/one_r2/run/result.json sweep/SERVE--x/run=0.json"
	if got := strings.Join(paths, " "); err != nil || got != want {
		t.Errorf("%v\n%s\nnot\n%s", err, got, want)
	}
	if len(problems) != 1 || problems[0].Path != "leading" || !strings.Contains(problems[0].Text, "fleet attach") {
		t.Errorf("%+v", problems)
	}
}

// A percentile that its run has too few values for is in no table, and in no chart either.
func TestPercentilesOfFewAreLeftOut(t *testing.T) {
	few := `"p99_ttft_ms": 80, "p90_ttft_ms": 70, "inferometer": {"run": "/x", "workload": {"dataset": "random"}, "verdict": {"level": "VALID", "unsupported": ["p99_ttft"]}}`
	tree := NewTree(fstest.MapFS{"few.json": file(resultJSON("20260101-000000", few))}, foreign.Read, nil)
	runs, _, err := tree.Scan(now)
	if err != nil || len(runs) != 1 {
		t.Fatalf("%v, %v", runs, err)
	}
	if v, ok := runs[0].Values["p99_ttft_ms"]; ok {
		t.Errorf("p99 of few values: %g", v)
	}
	if runs[0].Values["p90_ttft_ms"] != 70 || !math.IsNaN(Values(runs, "p99_ttft_ms")[0]) {
		t.Errorf("%v", runs[0].Values)
	}
}
