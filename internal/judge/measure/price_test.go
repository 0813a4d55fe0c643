package measure

import (
	"testing"

	"github.com/inferometer/inferometer/internal/journal"
)

// Two devices at 3.6 an hour are 0.002 a second. Over ten seconds 0.02 is spent and,
// at 700 W, 7,000 J.
func TestEconomy(t *testing.T) {
	run := &journal.Run{Options: journal.Options{Price: &journal.Price{PerHour: 3.6, Devices: 2, Power: "watts"}}}
	r := &Result{Run: run, Duration: 10, InputTokens: 3000, OutputTokens: 1000, End: &journal.End{Power: &journal.Power{Source: "watts", Watts: 700}}}
	e := economy(r)
	near(t, "per million output tokens", *e.PerMillionOutput, 20)
	near(t, "per million tokens", *e.PerMillionTokens, 5)
	if *e.Power.JoulesPerOutput != 7 || *e.Power.JoulesPerToken != 1.75 {
		t.Errorf("%+v %+v", e, e.Power)
	}
	r.End.Power = &journal.Power{Source: "rapl", Reason: "no counters"}
	if e = economy(r); e.Power.Watts != nil || e.Power.JoulesPerOutput != nil || e.Power.Reason != "no counters" || e.PerMillionOutput == nil {
		t.Errorf("what is not known: %+v %+v", e, e.Power)
	}
	r.End = nil
	if e = economy(r); e.Power.Reason == "" || e.Power.Watts != nil {
		t.Errorf("a run that was killed: %+v", e.Power)
	}
	r.OutputTokens, r.InputTokens = 0, 0
	if e = economy(r); e.PerMillionOutput != nil || e.PerMillionTokens != nil {
		t.Errorf("nothing was generated: %+v", e)
	}
	run.Options.Price = &journal.Price{Devices: 1}
	if e = economy(r); e.PricePerHour != nil || e.Power != nil {
		t.Errorf("nothing was asked for: %+v", e)
	}
	run.Options.Price = nil
	if economy(r) != nil {
		t.Error("no price, no cost")
	}
}
