// Package reference writes the pages of docs/reference that list keys: those of a scenario and of a result from their
// schemas, those of a journal and of the simulator's truth from the comments of the types that write them.
// go test ./test/reference -update writes them; without it the test fails where a page is not what the code says.
package reference

import (
	"flag"
	"strings"
	"testing"

	"github.com/inferometer/inferometer/internal/testfiles"
)

var update = flag.Bool("update", false, "write the pages of docs/reference")

const root = "../.."

func TestPages(t *testing.T) {
	for name, write := range map[string]func(*testing.T) string{
		"scenario.md":  scenarioPage,
		"result.md":    resultPage,
		"journal.md":   journalPage,
		"truth.md":     truthPage,
		"recording.md": recordingPage,
		"tree.md":      treePage,
		"hf-sets.md":   setsPage,
	} {
		t.Run(name, func(t *testing.T) {
			testfiles.Written(t, *update, "docs/reference/"+name, write(t))
		})
	}
}

// table is one section of a page.
type table struct {
	title, about string
	rows         [][2]string // a key, and what it is
}

// joined puts keys that stand below each other and mean the same into one row.
func joined(rows [][2]string) (all [][2]string) {
	for _, r := range rows {
		if n := len(all) - 1; n >= 0 && (r[1] == all[n][1] || strings.HasPrefix(r[1], "likewise")) {
			all[n][0] += "`, `" + r[0]
			continue
		}
		all = append(all, r)
	}
	return all
}

func (s *table) write(b *strings.Builder) {
	b.WriteString("\n## " + s.title + "\n\n")
	if s.about != "" {
		b.WriteString(s.about + "\n\n")
	}
	b.WriteString("| key | what it is |\n|---|---|\n")
	for _, r := range joined(s.rows) {
		b.WriteString("| `" + r[0] + "` | " + strings.ReplaceAll(r[1], "|", `\|`) + " |\n")
	}
}
