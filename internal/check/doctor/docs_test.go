package doctor

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// docs/doctor.md has a section for each finding, in the table's order and with
// its words, and none besides.
func TestDocsNameEveryFinding(t *testing.T) {
	b, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "doctor.md"))
	if err != nil {
		t.Fatal(err)
	}
	heading := regexp.MustCompile("(?m)^### `(.*)`$")
	var headings []string
	for _, m := range heading.FindAllStringSubmatch(string(b), -1) {
		headings = append(headings, m[1])
	}
	if !slices.Equal(headings, Names()) {
		t.Fatalf("the page has the findings\n%v\nand the tables\n%v", headings, Names())
	}
	sections := heading.Split(string(b), -1)[1:]
	for i, w := range allWords() {
		section := strings.Join(strings.Fields(sections[i]), " ")
		for what, text := range map[string]string{"Looks for": w.looks, "Why": w.why, "Mend": w.mend} {
			if want := "**" + what + ":** " + text + "."; !strings.Contains(strings.ReplaceAll(section, "`", ""), want) {
				t.Errorf("%s: the page does not say\n%s", w.name, want)
			}
		}
		if !strings.Contains(section, "**Levels:** ") {
			t.Errorf("%s: the page does not say what makes its levels", w.name)
		}
	}
}

// No two findings have one name: --skip goes by it.
func TestNamesDiffer(t *testing.T) {
	names := Names()
	slices.Sort(names)
	if len(slices.Compact(names)) != len(allWords()) {
		t.Errorf("a name stands twice in %v", names)
	}
}
