package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/inferometer/inferometer/internal/journal"
)

// hostileNames are folders whose names would do harm where a shell took them for more than data.
var hostileNames = []string{"weird $(touch pwned)", "weird `touch pwned`", "weird 'quoted' \"twice\"", "weird;touch pwned", "weird &*?[x]"}

// runsFolder is a folder with runs, some of hostile names, and changes into it.
func runsFolder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	t.Chdir(dir)
	names := append([]string{"run one", "runs/a", "escape\x1b]0;x\a", "line\nbreak"}, hostileNames...)
	for _, name := range names {
		if err := os.MkdirAll(name, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(name, journal.FileName), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"result.json", "scenario.yaml", "notes.txt"} {
		if err := os.WriteFile(name, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func completed(t *testing.T, words ...string) (how string, found []string) {
	t.Helper()
	var out, errs bytes.Buffer
	if code := Main(t.Context(), append([]string{"__complete", "bash"}, words...), strings.NewReader(""), &out, &errs); code != 0 || errs.Len() > 0 {
		t.Errorf("%q: exit code %d, %s", words, code, &errs)
	}
	how, rest, _ := strings.Cut(out.String(), "\n")
	for line := range strings.Lines(rest) {
		word, _, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		found = append(found, word)
	}
	return how, found
}

func TestCompletion(t *testing.T) {
	runsFolder(t)
	for _, tt := range []struct {
		words string // the last after a bar is completed
		how   string
		want  []string // all of these
		not   []string
	}{
		{"|", ":", []string{"bench", "report", "completion", "help"}, []string{"__complete", "sandboxed"}},
		{"|re", ":", []string{"record", "report"}, []string{"bench"}},
		{"bench|", ":", []string{"serve", "sweep"}, []string{"report"}},
		{"bench sweep|plot", ":", []string{"plot", "plot_pareto"}, []string{"startup"}},
		{"bench serve|--backend", ":", []string{"--backend"}, nil},
		{"bench serve|--max-", ":", []string{"--max-concurrency", "--max-conversations"}, []string{"--model"}},
		{"bench serve|--max_con", ":", []string{"--max_concurrency"}, nil},
		{"bench serve|--help", ":", []string{"--help", "--help-all"}, nil},
		{"bench serve --backend|v", ":", []string{"vllm"}, []string{"openai"}},
		{"bench serve|--backend=v", ":", []string{"--backend=vllm"}, nil},
		{"bench serve --dataset-name|", ":", []string{"random", "sharegpt"}, nil},
		{"bench serve --engine|", ":", []string{"auto", "loop", "nethttp"}, nil},
		{"bench serve --percentile-metrics|ttft,t", ":more:", []string{"ttft,tpot"}, []string{"ttft,ttft"}},
		{"bench serve --dataset-path|", ":files:", nil, nil},
		{"bench serve --result-dir|", ":folders:", nil, nil},
		{"bench serve --endpoint|", ":", nil, nil},
		{"bench serve --num-prompts|", ":", nil, nil},
		{"bench serve|--use-beam", ":", nil, []string{"--use-beam-search"}},
		{"bench serve|--cpu-pro", ":", nil, []string{"--cpu-profile"}},
		{"report|r", ":names:", []string{"run one", "runs/", "result.json"}, []string{"notes.txt"}},
		{"report --format json|runs/", ":names:", []string{"runs/a"}, nil},
		{"report|weird", ":names:", hostileNames, nil},
		{"report|esc", ":files:", nil, []string{"escape\x1b]0;x\a"}},
		{"report|line", ":files:", nil, []string{"line"}},
		{"report|~/r", ":files:", nil, nil},
		{"report --format|h", ":", []string{"html"}, nil},
		{"run|s", ":names:", []string{"scenario.yaml"}, []string{"result.json"}},
		{"eval --task|g", ":", []string{"gsm8k"}, nil},
		{"completion|", ":", []string{"bash", "zsh", "fish"}, nil},
		{"help|ramp", ":", []string{"ramp_drain"}, nil},
		{"help bench|", ":", []string{"serve"}, nil},
		{"man bench|", ":", []string{"serve"}, nil},
		{"nonsense|", ":", nil, []string{"bench"}},
		{"bench serve --nonsense|--se", ":", []string{"--seed"}, nil},
	} {
		before, last, _ := strings.Cut(tt.words, "|")
		how, found := completed(t, append(strings.Fields(before), last)...)
		if how != tt.how {
			t.Errorf("%s: %s, want %s", tt.words, how, tt.how)
		}
		for _, w := range tt.want {
			if !slices.Contains(found, w) {
				t.Errorf("%s: no %q in %q", tt.words, w, found)
			}
		}
		for _, w := range tt.not {
			if slices.Contains(found, w) {
				t.Errorf("%s: %q is offered", tt.words, w)
			}
		}
	}
	completed(t) // no word at all
	if _, found := completed(t, "report", `"run `); !slices.Equal(found, []string{"run one"}) {
		t.Errorf("with an open quote: %q", found)
	}
}

// A folder of very many entries is looked at in part.
func TestCompletionIsBounded(t *testing.T) {
	t.Chdir(t.TempDir())
	for i := range 1000 {
		name := "r" + strings.Repeat("x", i%7) + strings.Repeat("y", i/7)
		if err := os.WriteFile(name[:min(len(name), 200)]+".json", nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if _, found := completed(t, "report", "r"); len(found) == 0 || len(found) > 400 {
		t.Errorf("%d are offered", len(found))
	}
}
