package results

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/inferometer/inferometer/internal/foreign"
	"github.com/inferometer/inferometer/internal/judge/compare"
	"github.com/inferometer/inferometer/internal/judge/judged"
	"github.com/inferometer/inferometer/internal/judge/measure"
	"github.com/inferometer/inferometer/internal/judge/metric"
	"github.com/inferometer/inferometer/internal/judge/result"
	"github.com/inferometer/inferometer/internal/show/report"
)

const runs = "../../../test/outputs/testdata/runs/"

// A comparison of two folders of ours knows what their journals know, also what no result file of theirs has.
func TestTwoFoldersOfOurs(t *testing.T) {
	asked := []string{"p90_ttft", "p75_ttft", "p75_itl", "p99.5_e2el", "completed", "duration"}
	sides, _, err := Read([]string{runs + "closed", runs + "faster"}, asked)
	if err != nil {
		t.Fatal(err)
	}
	c, err := compare.Compare(sides, compare.Options{Metrics: asked})
	if err != nil {
		t.Fatal(err)
	}
	for i, row := range c.Rows {
		change := row.Cells[1].Change
		if !row.Cells[0].Known || !row.Cells[1].Known || change == nil {
			t.Errorf("%s is unknown: %+v", asked[i], row)
			continue
		}
		if asked[i] == "p75_itl" && !change.Bounded {
			t.Errorf("%s: its error is unknown: %+v", asked[i], change)
		}
		if !change.Bounded && change.Why == "" {
			t.Errorf("%s: its error is unknown, and nothing says why", asked[i])
		}
	}
}

// What a file of ours tells, read back, is what the run itself tells.
func TestFileAndFolderSayTheSame(t *testing.T) {
	folders, err := filepath.Glob(runs + "*")
	if err != nil || len(folders) < 5 {
		t.Fatal(err, folders)
	}
	for _, folder := range folders {
		j, err := judged.Read(folder, measure.Options{PercentileMetrics: metric.AlwaysNames()})
		if err != nil {
			t.Fatal(err)
		}
		whole := result.Of(folder, j.Result, j.Verdict)
		var b bytes.Buffer
		if err := report.JSON(&b, j.Result, report.Options{RunDir: folder, Verdict: j.Verdict}); err != nil {
			t.Fatal(err)
		}
		list, err := foreign.Read(folder, b.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		file := list[0]
		for key, v := range file.Values {
			if whole.Values[key] != v {
				t.Errorf("%s: %s is %v in the file, and %v in the run", folder, key, v, whole.Values[key])
			}
		}
		for key := range whole.Values { // counts, and what has a place of its own in the file
			if _, ok := file.Values[key]; !ok && strings.HasSuffix(key, "_ms") {
				t.Errorf("%s: the file lacks %s", folder, key)
			}
		}
		ignore := cmpopts.IgnoreFields(result.Result{}, "Values", "Numbers", "Samples", "Outcomes")
		if d := cmp.Diff(file, whole, ignore, cmpopts.EquateEmpty()); d != "" {
			t.Errorf("%s: the file (-) and the run (+):\n%s", folder, d)
		}
	}
}
