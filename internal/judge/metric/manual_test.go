package metric

import (
	"flag"
	"strings"
	"testing"

	"github.com/inferometer/inferometer/internal/testfiles"
)

var update = flag.Bool("update", false, "write docs/reference/metrics.md")

// TestManual keeps docs/reference/metrics.md true: its tables are written from the
// rows by go test ./internal/judge/metric -update.
func TestManual(t *testing.T) {
	tables := Manual()
	page := "# Every metric\n\nThe words of the formulas, and what other tools mean by the same names: [metrics](../metrics.md). `inferometer help NAME` prints one of them.\n" +
		"Written by `go test ./internal/judge/metric -run TestManual -update`.\n" +
		"\n## Latencies\n\nEach has `mean_NAME_ms`, `median_NAME_ms`, `std_NAME_ms` and `pNN_NAME_ms`. Lower is better.\n\n" + tables["latencies"] +
		"\n## Other names\n\nFor `--goodput`, and under `inferometer` of the result.\n\n" + tables["others"] +
		"\n## Numbers of a run\n\n" + tables["numbers"]
	for _, m := range All() {
		if !strings.Contains(page, "`"+m.Name) {
			t.Errorf("docs/reference/metrics.md does not name %s", m.Name)
		}
	}
	testfiles.Written(t, *update, "docs/reference/metrics.md", page)
}
