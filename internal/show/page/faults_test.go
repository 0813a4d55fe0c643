package page

import (
	"strings"
	"testing"

	"github.com/inferometer/inferometer/internal/show/fakerun"
)

// TestFaults: a fault is a band on every chart over time, and what was felt of it stands in a table.
func TestFaults(t *testing.T) {
	run := shownRun(t, fakerun.Journal{N: 600, Words: "x", Faulty: true})
	list := faultEvents(run.Result.Recovery)
	if len(list) != 2 || list[0].From < 2.9 || list[0].From > 3.1 || list[0].To < 3.9 || list[0].To > 4.1 || list[1].To != list[1].From || list[0].Label != "kill r1 x" {
		t.Fatalf("%+v", list)
	}
	got := written(t, Options{}, run)
	charts := len(courses(run.Drawn)) + 2 // failures by outcome, and the heat map of gaps
	if n := strings.Count(got, `<title>kill r1 x x at 3.00 s: recovered after: 1.00`); n < charts {
		t.Errorf("the band is on %d pictures of %d", n, charts)
	}
	for _, want := range []string{"Failures per second by outcome", "2 faults on purpose", "exit status 1: x", "100 refused"} {
		if !strings.Contains(got, want) {
			t.Errorf("the page has no %q", want)
		}
	}
	if got := written(t, Options{}, shownRun(t, fakerun.Journal{N: 40, Words: "x"})); strings.Contains(got, "on purpose") {
		t.Error("a run without faults has some")
	}
}
