package scenario

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// A value with !literal is read as it is written, also from what is written down of it.
func TestLiteral(t *testing.T) {
	for _, word := range []string{"plain", "${HOME}", "$${HOME}", "{port}", "{{x}}", "a: b # c", "\"'\\", "null", "-x", ""} {
		file := filepath.Join(t.TempDir(), "s.yaml")
		text := "name: a\ntargets: {t: {base_url: \"http://h:1\", model: " + Literal(word) + "}}\n"
		for range 2 {
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			doc, err := Load(Source{File: file, Lookup: func(string) (string, bool) { return "LEAK", true }})
			if err != nil {
				t.Fatalf("%v in %s", err, text)
			}
			plan, err := doc.Plan(PlanOptions{})
			if err != nil {
				t.Fatalf("%v in %s", err, text)
			}
			args := plan.Points[0].Args
			if word != "" && !slices.Contains(args, word) && !slices.Contains(args, "--model="+word) {
				t.Errorf("%q in %q", word, args)
			}
			again, err := doc.Text()
			if err != nil {
				t.Fatal(err)
			}
			text = string(again)
		}
	}
}

// Of both numbers of prompts the larger counts.
func TestNumPromptsIsAFloor(t *testing.T) {
	three := 3
	for _, c := range []struct{ num, slot, want int }{{120, 8, 120}, {20, 8, 24}} {
		p := &Point{scenario: &Scenario{Workload: Workload{NumPrompts: &c.num, PromptsPerSlot: &c.slot}, Pace: Pace{Concurrency: &three}}}
		if got := p.numPrompts(); got == nil || *got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}
