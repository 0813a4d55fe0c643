package verdict

import (
	"flag"
	"fmt"
	"strings"
	"testing"

	"github.com/inferometer/inferometer/internal/testfiles"
)

var update = flag.Bool("update", false, "write docs/reference/checks.md")

// groupTitles are the headings of docs/reference/checks.md.
var groupTitles = map[string]string{
	"client": "The client: is it us?", "load": "The load: was it sent as planned, and for long enough?", "answers": "The answers: did the server do the work?",
	"cache": "The cache: did it do the work now?", "server": "The server: does it agree?", fleetGroup: "The fleet: only in a run of several clients", faultsGroup: "Faults on purpose: only in a run with faults", jobsGroup: "The jobs: only in a run of conversations", "statistics": "The statistics",
}

// TestDocs: docs/reference/checks.md has each check in the table's order and with its words.
func TestDocs(t *testing.T) {
	var b strings.Builder
	b.WriteString("# Checks of the verdict\n\nWhat they mean together: [the verdict](../verdict.md). `inferometer help NAME` prints one of them.\n" +
		"Written by `go test ./internal/judge/verdict -run TestDocs -update`.\n")
	group := ""
	for _, m := range Manuals() {
		if m.Group != group {
			group = m.Group
			fmt.Fprintf(&b, "\n## %s\n\n| check | looks for | threshold | what to do |\n|---|---|---|---|\n", groupTitles[group])
		}
		if groupTitles[group] == "" {
			t.Errorf("the group %q has no heading", group)
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", m.Name, m.Looks, m.Threshold, m.Hint)
	}
	testfiles.Written(t, *update, "docs/reference/checks.md", b.String())
}
