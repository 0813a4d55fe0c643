package scenario

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/inferometer/inferometer/internal/outside"
	"go.yaml.in/yaml/v3"
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
			args := plan.Points[0].Load.Words()
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

// FuzzLiteral: whatever a word holds, the file has the same keys and the word.
func FuzzLiteral(f *testing.F) {
	for _, word := range []string{"plain", "${HOME}", "{port}", "a\n  command: id", "\"\\", "# x", "!!int 5", "\u2028", "\xff"} {
		f.Add(word)
	}
	f.Fuzz(func(t *testing.T, word string) {
		word = outside.Sentence(word)
		root, err := parseYAML("s.yaml", []byte("targets:\n  server: # "+word+"\n    base_url: x\n    model: "+Literal(word)+"\nrepeat: 1\n"))
		if err != nil {
			t.Fatalf("%q: %v", word, err)
		}
		d := &Document{files: map[*yaml.Node]string{}}
		root = d.resolve(root, "s.yaml")
		var errs errorList
		d.expand(root, func(string) (string, bool) { return "LEAK", true }, &errs)
		d.fill(root, nil, nil, &errs)
		server := child(child(root, "targets"), "server")
		if errs.err() != nil || len(root.Content) != 4 || len(child(root, "targets").Content) != 2 || len(server.Content) != 4 || child(server, "model").Value != word {
			t.Errorf("%q: %v, %v", word, child(server, "model"), errs.err())
		}
	})
}
