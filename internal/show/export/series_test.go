package export

import (
	"bytes"
	"encoding/csv"
	"math"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/measure"
	"github.com/inferometer/inferometer/internal/show/fakerun"
)

// The table of series says of time what the result says of the whole run: summed over
// its slots, requests and tokens are the result's.
func TestSeriesAddUp(t *testing.T) {
	folder := t.TempDir()
	if err := (&fakerun.Journal{N: 300}).Write(filepath.Join(folder, journal.FileName)); err != nil {
		t.Fatal(err)
	}
	csvFormat, _ := ByName("csv")
	var b bytes.Buffer
	if err := WriteLines(&b, csvFormat, "series", []string{folder}); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&b).ReadAll()
	if err != nil || len(rows) < 3 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	sums := map[string]float64{}
	for _, row := range rows[1:] {
		width, err := strconv.ParseFloat(row[2], 64)
		if err != nil {
			t.Fatal(err)
		}
		for i, name := range rows[0] {
			if v, err := strconv.ParseFloat(row[i], 64); err == nil && name != "width_s" {
				sums[name] += v * width
			}
		}
	}
	run, err := ReadRun(folder, measure.Options{}, false, 1)
	if err != nil {
		t.Fatal(err)
	}
	r := run.Result
	for _, c := range []struct {
		name string
		want float64
	}{
		{"done_per_s", float64(r.Completed)},
		{"failed_per_s", float64(r.Failed)},
		{"tokens_per_s", float64(r.OutputTokens)},
	} {
		if got := sums[c.name]; c.want == 0 || math.Abs(got-c.want) > 1e-6*c.want {
			t.Errorf("%s comes to %g over the run, and the result has %g", c.name, got, c.want)
		}
	}
	if sums["ttft_p50_ms"] == 0 || (sums["ttft_p99_ms"] == 0) == (sums["ttft_max_ms"] == 0) {
		t.Errorf("a course has a median and one of p99 and max: %v", sums)
	}
}
