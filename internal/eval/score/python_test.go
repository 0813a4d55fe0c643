package score

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A pattern finds what it finds in Python 3.11, in the same order, and takes out the same.
func TestPatternsAsPython(t *testing.T) {
	raw, err := os.ReadFile(filepath.Join("testdata", "patterns.json"))
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		Pattern string
		Refused bool
		Texts   []struct {
			Text string
			All  [][]string
			Rest string
		}
	}
	if err := json.Unmarshal(raw, &cases); err != nil {
		t.Fatal(err)
	}
	if len(cases) == 0 {
		t.Fatal("no cases")
	}
	for _, c := range cases {
		p, err := compile(c.Pattern)
		if (err != nil) != c.Refused {
			t.Errorf("%q: %v, and in Python refused %v", c.Pattern, err, c.Refused)
		}
		if err != nil {
			continue
		}
		for _, text := range c.Texts {
			all, err := p.findAll(text.Text)
			if err != nil {
				t.Errorf("%q in %q: %v", c.Pattern, text.Text, err)
			}
			if diff := cmp.Diff(text.All, all); diff != "" {
				t.Errorf("%q in %q: %q, and in Python %q", c.Pattern, text.Text, all, text.All)
			}
			if rest, err := p.remove(text.Text); err != nil || rest != text.Rest {
				t.Errorf("%q out of %q leaves %q (%v), and in Python %q", c.Pattern, text.Text, rest, err, text.Rest)
			}
		}
	}
}

// findAll is re.findall.
func (p *pattern) findAll(text string) ([][]string, error) {
	runes, all := []rune(text), [][]string{}
	err := p.each(runes, func(groups []span) bool {
		if p.groups > 0 {
			groups = groups[1:]
		}
		var one []string
		for _, g := range groups {
			one = append(one, g.of(runes))
		}
		all = append(all, one)
		return true
	})
	return all, err
}
