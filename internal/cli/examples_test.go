package cli

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/inferometer/inferometer/internal/plan/scenario"
)

func exampleFiles(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("../../examples/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	gallery, err := filepath.Glob("../../examples/gallery/*/scenario.yaml")
	if err != nil || len(files) < 5 || len(gallery) != 5 {
		t.Fatalf("%d examples and %d of the gallery, %v", len(files), len(gallery), err)
	}
	return append(files, gallery...)
}

// exampleName is a file's name, or that of its folder in the gallery.
func exampleName(file string) string {
	if name := filepath.Base(file); name != "scenario.yaml" {
		return name
	}
	return filepath.Base(filepath.Dir(file))
}

// exampleTargets are the names of an example's targets, and whether one has replicas.
func exampleTargets(t *testing.T, file string) (names []string, several bool) {
	t.Helper()
	doc, err := scenario.Load(scenario.Source{File: file, Lookup: os.LookupEnv})
	if err != nil {
		t.Fatal(err)
	}
	plan, err := doc.Plan(scenario.PlanOptions{Program: "inferometer"})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range plan.Points {
		if !slices.Contains(names, p.Target()) {
			names = append(names, p.Target())
			several = several || p.Servers() > 1
		}
	}
	return names, several
}

// Every example is well formed, and each of its points is a command that bench
// serve takes.
func TestExamplesAreWellFormed(t *testing.T) {
	for _, file := range exampleFiles(t) {
		t.Run(exampleName(file), func(t *testing.T) {
			if out, err := exec.Command(program(t), "run", file, "--check").CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

// Every example runs, with simulators in the places of its servers and less to send.
func TestRealExamplesRun(t *testing.T) {
	const sim = `exec "{inferometer}" sim --listen 127.0.0.1:{port} --ttft 1ms --itl 1ms`
	for _, file := range exampleFiles(t) {
		t.Run(exampleName(file), func(t *testing.T) {
			t.Parallel()
			all, several := exampleTargets(t, file)
			names := all // whose servers are replaced
			set := []string{
				"workload.dataset=random", "workload.path=null", "workload.tokenizer=none", "workload.model=null", "workload.input_len=8", "workload.output_len=4",
				"workload.num_prompts=8", "workload.prompts_per_slot=null", "repeat=1", "cooldown=0s", "warmup=1",
			}
			switch exampleName(file) {
			case "request-rates.yaml":
				set = append(set, "matrix.rate=[20, 40]", "pace.duration=500ms")
			case "capacity": // the simulator takes any load: the search ends at its highest
				set = append(set, "matrix.slots=[2]", "search.max=2", "search.confirm=1200ms", "slo=median_ttft<=500ms")
			case "prefix-caching":
				set = append(set, "matrix.prefix_len=[4]", "workload.num_prefixes=null", "workload.suffix_len=null")
			case "speculative-decoding":
				set = append(set, "matrix.text=[{name: short, output_len: 4}, {name: long, output_len: 8}]")
			case "faults.yaml": // so has it
				set, names = []string{"pace.duration=2s", "faults=[{at: 500ms, kill: backend-2, for: 500ms}, {at: 1s, cut: backend-1, for: 200ms}]"}, nil
			case "routers.yaml": // it has simulators of its own
				set, names = []string{"workload.num_prompts=36", "workload.num_prefixes=12", "workload.output_len=4", "repeat=1"}, nil
			case "fp8-accuracy.yaml":
				set = append(set, "eval.num_prompts=8", "eval.max_answer_tokens=16")
			default:
				set = append(set, "matrix.concurrency=[1, 4]")
			}
			for _, name := range names {
				at := "targets." + name + "."
				set = append(set, at+"command="+sim, at+"base_url=null", at+"model=null", at+"tokenizer=null", at+"version=null")
			}
			out := t.TempDir()
			cmd := exec.Command(program(t), append([]string{"run", file, "--output", out, "--set"}, set...)...)
			cmd.Env = append(os.Environ(), "XDG_STATE_HOME="+t.TempDir())
			text, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, text)
			}
			table, err := os.ReadFile(filepath.Join(out, "table.md"))
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range all {
				if !strings.Contains(string(table), fmt.Sprintf("| %s ", name)) {
					t.Errorf("%s is not in the table:\n%s", name, table)
				}
			}
			if several && !strings.Contains(string(table), "## Replicas") {
				t.Errorf("the replicas are not shown:\n%s", table)
			}
		})
	}
}
