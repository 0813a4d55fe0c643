package metric

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the tables of docs/metrics.md")

const manual = "../../../docs/metrics.md"

// TestManual keeps docs/metrics.md true: its tables between marks are written from
// the rows by go test ./internal/judge/metric -update.
func TestManual(t *testing.T) {
	b, err := os.ReadFile(manual)
	if err != nil {
		t.Fatal(err)
	}
	page := string(b)
	for name, want := range Manual() {
		before, rest, ok := strings.Cut(page, "<!-- metrics: "+name+" -->\n")
		got, after, closed := strings.Cut(rest, "<!-- end -->")
		if !ok || !closed {
			t.Fatalf("docs/metrics.md has no place for %s", name)
		}
		if got != want && !*update {
			t.Errorf("docs/metrics.md, %s (-page +table):\n%s", name, cmp.Diff(got, want))
		}
		page = before + "<!-- metrics: " + name + " -->\n" + want + "<!-- end -->" + after
	}
	for _, m := range All() {
		if !strings.Contains(page, "`"+m.Name) {
			t.Errorf("docs/metrics.md does not name %s", m.Name)
		}
	}
	if *update {
		if err := os.WriteFile(manual, []byte(page), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
