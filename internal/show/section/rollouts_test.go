package section

import (
	"strings"
	"testing"

	"github.com/inferometer/inferometer/internal/judge/job"
	"github.com/inferometer/inferometer/internal/judge/measure"
)

// TestRollouts: a run in batches says how long each took and what its stragglers cost; others say nothing.
func TestRollouts(t *testing.T) {
	if rollouts(&Run{Result: &measure.Result{}}) != nil {
		t.Error("a run without batches has a section of them")
	}
	s := rollouts(&Run{Result: &measure.Result{Rollouts: &job.Rollouts{
		Batches: 3, Answers: 96, Makespan: job.Spread{Mean: 1500, Max: 2000}, Tail: job.Spread{Mean: 400, Max: 700}, Longest: 2.5,
	}}})
	var text strings.Builder
	for _, row := range s.Tables[0].Rows {
		for _, cell := range row {
			text.WriteString(cell.Text + "\n")
		}
	}
	for _, want := range []string{"mean 1500.00, max 2000.00", "mean 400.00, max 700.00", "× 2.5"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("%q is missing in\n%s", want, text.String())
		}
	}
	if s.Title != "96 answers in 3 batches" {
		t.Error(s.Title)
	}
}
