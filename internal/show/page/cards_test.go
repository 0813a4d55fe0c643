package page

import (
	"strings"
	"testing"

	"github.com/inferometer/inferometer/internal/judge/explain"
	"github.com/inferometer/inferometer/internal/judge/measure"
	"github.com/inferometer/inferometer/internal/judge/verdict"
	"github.com/inferometer/inferometer/internal/show/fakerun"
)

// TestCards: each has its number and what is known of it, and says where something is not.
func TestCards(t *testing.T) {
	texts := func(n int) string {
		run := shown(t, n, "x")
		var all []string
		for _, c := range cards(&run, nil) {
			all = append(all, strings.TrimSpace(c.Title+": "+c.Text+" "+c.Unit)+"; "+strings.Join(c.Notes, "; "))
		}
		return strings.Join(all, "\n")
	}
	for n, want := range map[int][]string{
		0:   {"Output throughput: – tok/s; no request succeeded", "TTFT, median: – ms; not measured", "Failures: "},
		1:   {"TTFT, median: ", "too few values for a median", "Failures: "},
		40:  {"p99: too few values", "% interval: ", "stream_error"},
		400: {"p99 ", "% interval: ", "tok/s", "Inter-token, median"},
	} {
		got := texts(n)
		for _, want := range want {
			if !strings.Contains(got, want) {
				t.Errorf("%d requests: no %q in\n%s", n, want, got)
			}
		}
	}
	several := shown(t, 200, "x")
	several.Result.InterToken = measure.InterToken{Reason: "nobody counted"}
	if c := betweenCard(several.Result); c.Title != "Between chunks, median" {
		t.Errorf("where tokens are not known the card is called %q", c.Title)
	}
}

// TestNotes: what limited a run is said of a run that can be trusted, and what to do next where no reason says it.
func TestNotes(t *testing.T) {
	for _, tt := range []struct {
		level   verdict.Trust
		reasons []string
		want    string
	}{
		{verdict.TrustValid, nil, "<li>Limited by: the queue</li><li>Next: try more</li>"},
		{verdict.TrustSuspect, []string{"outcomes"}, "<li>Limited by: the queue</li><li>Note: busy</li>"},
		{verdict.TrustInvalid, []string{"outcomes"}, `<ul class="notes"><li>Note: busy</li></ul>`},
	} {
		run := shownRun(t, fakerun.Journal{N: 40, Words: "x"})
		run.Result.Warnings = nil
		run.Explain = &explain.Explanation{Limit: explain.Queueing, Title: "the queue", Next: "try more"}
		run.Verdict = &verdict.Verdict{Level: tt.level, Reasons: tt.reasons, Checks: []verdict.Check{{Name: "steal", Level: verdict.Noted, Sentence: "busy"}, {Name: "bounds", Level: verdict.Noted, Sentence: "in the line"}}}
		m := &content{}
		m.notes(&run)
		if got := m.String(); !strings.Contains(got, tt.want) || strings.Contains(got, "in the line") {
			t.Errorf("%s: %s", tt.level, got)
		}
	}
}
