package report

import (
	"strings"
	"testing"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/measure"
)

// sharing is a run of one request, of whose chunks three lie in one read.
func sharing(t *testing.T, kernel bool) *measure.Result {
	t.Helper()
	text := journal.EventChoices | journal.EventText
	run := journal.Run{Schema: 1, Version: "test", Clock: "user", ReadEnds: true, Options: journal.Options{Backend: "vllm", Pace: "closed", NumPrompts: 1}}
	if kernel {
		run.Clock = "kernel"
	}
	m := &memory{run: &run, end: &journal.End{}, requests: []journal.Request{{
		Sent: 0, End: 200 * ms, Headers: 10 * ms, Outcome: journal.Complete, Status: 200, OutputTokens: 5, UsageOutput: 5,
		Events: journal.Events{At: []int64{50 * ms, 40 * ms, 0, 0, 10 * ms}, Kind: []journal.EventKind{text, text, text, text, text}},
	}}}
	r, err := measure.Measure(m, measure.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Bounds are on the console where they are wide, and always in the result.
func TestBoundsAreShown(t *testing.T) {
	var console, result strings.Builder
	r := sharing(t, true)
	if err := Console(&console, r, Options{Details: true}); err != nil {
		t.Fatal(err)
	}
	if err := JSON(&result, r, Options{}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Known within bounds only", "40.0 %", "\nITL     p90        31.00     12.33    34.00\n"} {
		if !strings.Contains(console.String(), want) {
			t.Errorf("no %q in\n%s", want, console.String())
		}
	}
	if strings.Contains(console.String(), "\nTTFT   p") {
		t.Errorf("the first chunk shares no read:\n%s", console.String())
	}
	if want := `"bounds": {"known": true, "stamps": "kernel", "events": 5, "within_bounds": 2, "stamp_error_ms": 0.05, "metrics": {"e2el": `; !strings.Contains(result.String(), want) {
		t.Errorf("no %s in\n%s", want, result.String())
	}
	console.Reset()
	if err := Console(&console, sharing(t, false), Options{Details: true}); err != nil || strings.Contains(console.String(), "Known within bounds only") {
		t.Errorf("of user times: %v\n%s", err, console.String())
	}
}
