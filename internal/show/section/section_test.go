package section

import (
	"testing"

	"github.com/inferometer/inferometer/internal/judge/measure"
	"github.com/inferometer/inferometer/internal/show/fakerun"
	"github.com/inferometer/inferometer/internal/show/table"
)

// Both answers to whether a percentile is carried stand beside each other.
func TestTheSampleOfAPercentile(t *testing.T) {
	r, err := measure.Measure(&fakerun.Journal{N: 100, Words: "my run"}, measure.Options{})
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string][]table.Cell{}
	for _, row := range sampled(&Run{Result: r}).Tables[0].Rows {
		rows[row[0].Text] = row[1:]
	}
	p99, median := rows["TTFT p99"], rows["TTFT median"]
	if len(p99) != 7 || p99[4].Text != "n/a" || p99[5].Text != "n/a" || *p99[6].Value != 662 {
		t.Errorf("p99 of %d values: %v", r.Completed, p99)
	}
	if len(median) != 7 || median[4].Value == nil || median[5].Value == nil || *median[6].Value != 11 {
		t.Errorf("median: %v", median)
	}
}
