package report

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/inferometer/inferometer/internal/judge/fireworks"
)

// The load's own words come from a Spec, which may be somebody else's: no cell is a formula.
func TestFireworksHasNoFormula(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "summary.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	run := FireworksRun{Provider: "=a", Model: "=b", Concurrency: `=HYPERLINK("http://x")`}
	run.TTFTPercentiles, run.TotalPercentiles = make([]float64, len(fireworks.Percentiles)), make([]float64, len(fireworks.Percentiles))
	if err := AppendFireworks(f, &run); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(f.Name())
	if err != nil || strings.Contains(string(b), ",=") || strings.Contains(string(b), `,"=`) || strings.Contains(string(b), "\n=") {
		t.Errorf("%v: %s", err, b)
	}
}
