package doctor

import (
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/inferometer/inferometer/internal/testfiles"
)

var update = flag.Bool("update", false, "write docs/reference/doctor.md")

// TestDocs: docs/reference/doctor.md has each finding in the table's order and with its words.
func TestDocs(t *testing.T) {
	var b strings.Builder
	b.WriteString("# What the doctor looks for\n\nHow to use it: [the doctor](../doctor.md). Written by `go test ./internal/check/doctor -run TestDocs -update`.\n")
	section := func(title string, all []words) {
		fmt.Fprintf(&b, "\n## %s\n\n| finding | looks for | why | levels | what to do |\n|---|---|---|---|---|\n", title)
		for _, w := range all {
			fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s |\n", w.name, w.looks, w.why, w.levels, w.mend)
		}
	}
	var machine, network, server []words
	for _, e := range machineTable() {
		machine = append(machine, e.words)
	}
	for _, e := range remoteTable() {
		if e.group == Network {
			network = append(network, e.words)
		} else {
			server = append(server, e.words)
		}
	}
	section("This machine", machine)
	section("The path to the server", network)
	section("The server", server)
	testfiles.Written(t, *update, "docs/reference/doctor.md", b.String())
}

// No two findings have one name: --skip goes by it.
func TestNamesDiffer(t *testing.T) {
	names := Names()
	slices.Sort(names)
	if len(slices.Compact(names)) != len(allWords()) {
		t.Errorf("a name stands twice in %v", names)
	}
}
