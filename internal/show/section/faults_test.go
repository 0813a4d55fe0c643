package section

import (
	"strings"
	"testing"

	"github.com/inferometer/inferometer/internal/judge/measure"
	"github.com/inferometer/inferometer/internal/judge/recovery"
	"github.com/inferometer/inferometer/internal/judge/slo"
	"github.com/inferometer/inferometer/internal/show/fakerun"
)

// TestFaults: a run with faults says what was felt, and conditions know it.
func TestFaults(t *testing.T) {
	r, err := measure.Measure(&fakerun.Journal{N: 600, Words: "<b>\x1b[2J" + strings.Repeat("x", 500), Faulty: true}, measure.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s := faults(&Run{Result: r})
	if s.Title != "2 faults on purpose" || len(s.Tables[0].Rows) != 2 {
		t.Fatalf("%+v", s)
	}
	row := s.Tables[0].Rows[0]
	if len(row) != len(s.Tables[0].Columns) || len(s.Tables[0].Rows[1]) != len(row) {
		t.Errorf("%d cells below %d columns", len(row), len(s.Tables[0].Columns))
	}
	if strings.Contains(row[1].Text, "\x1b") || len([]rune(row[1].Text)) > maxFaultName || row[2].Text != "1.00 (0.00 after the last fault)" || *row[5].Value != 100 || row[6].Text != "100 refused" {
		t.Errorf("%+v", row)
	}
	for text, want := range map[string]slo.Status{
		"recovery<=2s": slo.Met, "recovery<900ms": slo.Broken, "lost_requests<=100": slo.Met, "lost_requests<100": slo.Broken, "lost_tokens<=0": slo.Met,
	} {
		limits, err := slo.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := limits.Judge(r.Value).Status(); got != want {
			t.Errorf("%s is %s", text, got)
		}
	}
}

// TestFaultsWords: what was not seen has no number, and breaks any limit.
func TestFaultsWords(t *testing.T) {
	one := []recovery.Fault{{At: 10, Do: "kill", On: "r1"}}
	cut := recovery.Episode{Faults: one, State: recovery.Cut, AtLeast: new(30.0), Lost: 4}
	for want, list := range map[string][]recovery.Episode{
		"kill r1: not within the run (> 30.00); requests lost: 4 (0 tok": {cut},
		"kill r1: no effect seen on others; requests lost: 3":            {{Faults: one, State: recovery.NoEffect, Seconds: new(0.0), Lost: 3}},
		"kill r1: no effect seen; requests lost: 0":                      {{Faults: one, State: recovery.NoEffect, Seconds: new(0.0)}},
		"kill r1: recovery is not known; requests lost: 2":               {{Faults: one, State: recovery.NotKnown, Lost: 2}},
		"2, the worst kill r1: recovered after 3.20 s; requests lost: 1": {{Faults: one, State: recovery.NoEffect, Seconds: new(0.0)}, {Faults: one, State: recovery.Recovered, Seconds: new(3.2), Lost: 1}},
	} {
		if got := FaultsWords(&recovery.Recovery{Episodes: list}); !strings.HasPrefix(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if got := FaultsWords(&recovery.Recovery{NotDone: []recovery.Fault{{Do: "kill", Error: "no such process"}}}); got != "none of 1 was made: no such process" {
		t.Error(got)
	}
	r := &measure.Result{Requests: 5, Recovery: &recovery.Recovery{Episodes: []recovery.Episode{cut}}}
	limits, _ := slo.Parse("recovery<=60s")
	if j := limits.Judge(r.Value); j.Status() != slo.Broken || !strings.Contains(j.Checks[0].String(), "longer than the run") {
		t.Errorf("%v", j.Checks[0])
	}
	if v := r.Totals().Recovery; v != nil {
		t.Errorf("a number: %v", *v)
	}
}
