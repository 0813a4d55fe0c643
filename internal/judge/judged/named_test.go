package judged

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/inferometer/inferometer/internal/journal"
)

// What people type for a run, a scenario and its points, with their mistakes.
func TestFind(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("results/before/scenario.yaml", "name: before")
	for _, name := range []string{"vllm_concurrency-1_r1", "vllm_concurrency-1_r2", "vllm_concurrency-16_r1", "llama_concurrency-1_r1"} {
		write("results/before/points/"+name+"/point.json", "{}")
		write("results/before/points/"+name+"/run/"+journal.FileName, "x")
	}
	write("results/before/points/llama_concurrency-1_r1/eval/"+journal.FileName, "x")
	write("results/before/points/llama_concurrency-16_r1/point.json", `{"state": "failed", "error": "it died"}`)
	write("results/empty/scenario.yaml", "name: empty")
	write("results/empty/points/x_r1/bench.log", "")
	write("results/plain/"+journal.FileName, "x")
	write("results/out.json", `{"inferometer": {"run": "plain"}}`)
	write("results/leading/fleet.json", "{}")
	write("results/leading/spec.json", "{}")
	write("results/notes/x.md", "")
	t.Chdir(dir)
	for typed, want := range map[string]string{
		"results/plain":                                    "plain",
		"results/out.json":                                 "plain",
		"results/before":                                   "llama_concurrency-1_r1 llama_concurrency-1_r1 eval vllm_concurrency-1_r1 vllm_concurrency-1_r2 vllm_concurrency-16_r1",
		"results/before/":                                  "llama_concurrency-1_r1 llama_concurrency-1_r1 eval vllm_concurrency-1_r1 vllm_concurrency-1_r2 vllm_concurrency-16_r1",
		"results/before/points":                            "llama_concurrency-1_r1 llama_concurrency-1_r1 eval vllm_concurrency-1_r1 vllm_concurrency-1_r2 vllm_concurrency-16_r1",
		"results/before/vllm_concurrency-1":                "vllm_concurrency-1_r1 vllm_concurrency-1_r2",
		"results/before/vllm_concurrency-1_r2":             "vllm_concurrency-1_r2",
		"results/before/points/vllm_concurrency-1":         "vllm_concurrency-1_r1 vllm_concurrency-1_r2",
		"results/before/points/vllm_concurrency-1_r2":      "vllm_concurrency-1_r2",
		"results/before/vllm_concurrency-16":               "vllm_concurrency-16_r1",
		"results/before/llama_concurrency-1/run":           "llama_concurrency-1_r1",
		"results/before/llama_concurrency-1/eval":          "llama_concurrency-1_r1 eval",
		"results/before/vllm_concurrency-1_r1/eval":        "!has no eval",
		"results/before/points/vllm_concurrency-16_r1/run": "run",
		"results/before/vllm":                              `!"vllm" may be several points of`,
		"results/before/concurrency-1":                     `!llama_concurrency-1, llama_concurrency-16, vllm_concurrency-1, vllm_concurrency-16`,
		"results/before/m_concurrency-16":                  "vllm_concurrency-16_r1",
		"results/before/vlm_concurrency-1":                 "!has no point \"vlm_concurrency-1\"; it has llama_concurrency-1, ",
		"results/before/llama_concurrency-16":              "!the point llama_concurrency-16_r1 has no result: failed: it died",
		"results/before/../../../etc":                      "!there is no",
		"results/befor":                                    "!there is no results/befor; give the folder of a run or a scenario, or a result file; there is results/before, results/empty, results/leading, results/plain",
		"results":                                          "!or a result file; there is results/before,",
		"results/notes":                                    "!give the folder of a run or a scenario, or a result file",
		"results/empty":                                    "!holds no run that can be shown: x_r1: it was not run to its end",
		"results/leading":                                  "!inferometer fleet attach takes it over",
		"nowhere/at/all":                                   "!there is no nowhere/at/all",
	} {
		s, err := Find(typed)
		got := ""
		if err != nil {
			got = "!" + err.Error()
		} else {
			for _, r := range s.Runs {
				got += strings.TrimRight(" "+r.Name+" "+r.Part, " ")
				if !filepath.IsAbs(r.Path) {
					t.Errorf("%s: %s is no place", typed, r.Path)
				}
			}
		}
		if got = strings.TrimSpace(got); got != want && !(strings.HasPrefix(want, "!") && strings.HasPrefix(got, "!") && strings.Contains(got, want[1:])) {
			t.Errorf("%s: %q, not %q", typed, got, want)
		}
	}
}

// A run of the state folder is named without it, there and back; what lies here comes first.
func TestRunsOfTheStateFolderHaveShortNames(t *testing.T) {
	state, here := t.TempDir(), t.TempDir()
	t.Setenv("XDG_STATE_HOME", state)
	t.Chdir(here)
	folder := filepath.Join(state, "inferometer", "runs", "20260102T030405Z-1")
	for _, at := range []string{folder, filepath.Join(here, "mine")} {
		if err := os.MkdirAll(at, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(at, journal.FileName), []byte("x"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got := Name(folder); got != "20260102T030405Z-1" {
		t.Error(got)
	}
	if got := Name(filepath.Join(here, "mine")); got != filepath.Join(here, "mine") {
		t.Error(got)
	}
	for typed, want := range map[string]string{"20260102T030405Z-1": folder, "mine": filepath.Join(here, "mine"), "20260102T030405Z-2": "", "..": "", ".": ""} {
		s, err := Find(typed)
		if want == "" {
			if err == nil {
				t.Errorf("%s is found: %v", typed, s.Runs)
			}
			continue
		}
		if err != nil || len(s.Runs) != 1 || s.Runs[0].Path != want {
			t.Errorf("%s: %v, %v", typed, s, err)
		}
	}
}
