package price

import (
	"math"
	"testing"

	"github.com/inferometer/inferometer/internal/journal"
)

// Two devices at 3.6 an hour are 0.002 a second. Over ten seconds 0.02 is spent and,
// at 700 W, 7,000 J.
func TestEconomy(t *testing.T) {
	asked := &journal.Price{PerHour: 3.6, Devices: 2, Power: "watts"}
	end := &journal.End{Power: &journal.Power{Source: "watts", Watts: 700}}
	w := Work{Seconds: 10, Input: 3000, Output: 1000, Jobs: 4}
	e := Of(asked, end, w)
	if math.Abs(*e.PerMillionOutput-20) > 1e-9 || math.Abs(*e.PerMillionTokens-5) > 1e-9 {
		t.Errorf("a million output tokens cost %v and a million of all %v, want 20 and 5", *e.PerMillionOutput, *e.PerMillionTokens)
	}
	if math.Abs(*e.PerJob-0.005) > 1e-12 || *e.Power.JoulesPerJob != 1750 {
		t.Errorf("a job costs %v and takes %v J", *e.PerJob, *e.Power.JoulesPerJob)
	}
	if *e.Power.JoulesPerOutput != 7 || *e.Power.JoulesPerToken != 1.75 {
		t.Errorf("%+v %+v", e, e.Power)
	}
	end.Power = &journal.Power{Source: "rapl", Reason: "no counters"}
	if e = Of(asked, end, w); e.Power.Watts != nil || e.Power.JoulesPerOutput != nil || e.Power.Reason != "no counters" || e.PerMillionOutput == nil {
		t.Errorf("what is not known: %+v %+v", e, e.Power)
	}
	if e = Of(asked, nil, w); e.Power.Reason == "" || e.Power.Watts != nil {
		t.Errorf("a run that was killed: %+v", e.Power)
	}
	w.Output, w.Input, w.Jobs = 0, 0, 0
	if e = Of(asked, nil, w); e.PerMillionOutput != nil || e.PerMillionTokens != nil || e.PerJob != nil {
		t.Errorf("nothing was generated: %+v", e)
	}
	asked = &journal.Price{Devices: 1}
	if e = Of(asked, nil, w); e.PricePerHour != nil || e.Power != nil {
		t.Errorf("nothing was asked for: %+v", e)
	}
	if Of(nil, nil, w) != nil {
		t.Error("no price, no cost")
	}
}
