package verdict

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// docs/verdict.md has a section for each check, in the table's order and with its
// words, and none besides.
func TestDocsNameEveryCheck(t *testing.T) {
	b, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "verdict.md"))
	if err != nil {
		t.Fatal(err)
	}
	sections := regexp.MustCompile("(?m)^### `(.*)`$").Split(string(b), -1)
	var headings, names []string
	for _, m := range regexp.MustCompile("(?m)^### `(.*)`$").FindAllStringSubmatch(string(b), -1) {
		headings = append(headings, m[1])
	}
	for _, e := range table() {
		names = append(names, e.name)
	}
	if !slices.Equal(headings, names) {
		t.Fatalf("the page has the checks\n%v\nand the table\n%v", headings, names)
	}
	for i, e := range table() {
		section := strings.Join(strings.Fields(sections[i+1]), " ")
		for what, words := range map[string]string{"Looks for": e.looks, "Threshold": e.limits.String(), "What to do": e.hint} {
			if want := "**" + what + ":** " + words + "."; !strings.Contains(section, want) {
				t.Errorf("%s: the page does not say\n%s", e.name, want)
			}
		}
		if why := regexp.MustCompile(`\*\*Why:\*\* \S.{40,}`); !why.MatchString(section) {
			t.Errorf("%s: the page does not say why", e.name)
		}
	}
}
