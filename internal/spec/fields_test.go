package spec

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Each option of a run describes itself, and comes back from the text that it gives.
func TestFieldsDescribeThemselves(t *testing.T) {
	s := full(t)
	keys := map[string]bool{}
	for _, f := range Fields() {
		if name := f.Section + "." + f.Key; f.Section == "" || keys[name] {
			t.Errorf("%s is there twice, or in no section", name)
		} else {
			keys[name] = true
		}
		if f.Flag == "" {
			continue
		}
		if f.Help == "" || f.Group == "" || strings.Contains(f.Help, "{names}") {
			t.Errorf("--%s: group %q, help %q", f.Flag, f.Group, f.Help)
		}
		texts := f.Texts(&s)
		if len(texts) == 0 || f.Flag == "dataset-name" {
			continue
		}
		other := Default()
		if err := other.Set(f.Flag, texts...); err != nil {
			t.Errorf("--%s %q: %v", f.Flag, texts, err)
		}
		if diff := cmp.Diff(texts, other.Get(f.Flag)); diff != "" {
			t.Errorf("--%s: %s", f.Flag, diff)
		}
	}
}

// A flag sets an option of the Spec, of its dataset or of its pace.
func TestSet(t *testing.T) {
	s := Default()
	for _, line := range []string{
		"max-concurrency 4", "dataset-name sonnet", "sonnet-input-len 900", "output-len 7", "request-rate 5", "burstiness 2",
		"goodput tpot:30 ttft:200", "metadata a=1 b=2", "targets http://a,http://b", "ignore-eos true",
	} {
		words := strings.Fields(line)
		if err := s.Set(words[0], words[1:]...); err != nil {
			t.Errorf("%s: %v", line, err)
		}
		if got := s.Get(words[0]); words[0] != "output-len" && words[0] != "targets" && cmp.Diff(words[1:], got) != "" {
			t.Errorf("%s: %q", line, got)
		}
	}
	if s.PaceName != "gamma" || s.Goodput["tpot"] != 30 || len(s.URLs) != 2 {
		t.Errorf("%s", s.Encode())
	}
	for line, want := range map[string]string{
		"num-prompts many":    `--num-prompts needs a whole number, not "many"`,
		"balance fair":        `--balance must be one of round-robin, least-in-flight, sticky, not "fair"`,
		"dataset-name rendom": `--dataset-name must be one of `,
		"random-input-len 5":  "--random-input-len is no option of a run with the dataset sonnet",
		"stages 1s@5":         "--stages can't be used together with --request-rate: both say when requests are sent",
		"metadata a":          `--metadata needs KEY=VALUE, not "a"`,
	} {
		words := strings.Fields(line)
		if err := s.Set(words[0], words[1:]...); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v", line, err)
		}
	}
}
