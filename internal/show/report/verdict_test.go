package report

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/inferometer/inferometer/internal/judge/verdict"
)

func TestConsoleShowsTheVerdict(t *testing.T) {
	v := &verdict.Verdict{
		Level: verdict.TrustSuspect, Reasons: []string{"lateness"},
		Checks: []verdict.Check{
			{Name: "lateness", Level: verdict.Suspect, Brief: "requests went out late", Sentence: "requests were sent 9.4 ms after they were due (p99); the mean gap is 0.5 ms, and the line goes on", Effect: "TTFT p99 from due is 8 ms higher", Hint: "use a machine with more cores"},
			{Name: "rate", Level: verdict.Suspect, Sentence: "explained by lateness", Because: "lateness"},
			{Name: "steal", Level: verdict.NotChecked},
		},
	}
	c := &console{}
	c.verdict(v)
	want := `-------------------- Verdict ---------------------
SUSPECT: requests went out late
  suspect, lateness: requests were sent 9.4 ms after they were due (p99);
    the mean gap is 0.5 ms, and the line goes on
    effect: TTFT p99 from due is 8 ms higher
    hint: use a machine with more cores
  not checked: steal
`
	if diff := cmp.Diff(want, c.b.String()); diff != "" {
		t.Error(diff)
	}
}
