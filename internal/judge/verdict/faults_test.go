package verdict

import (
	"strings"
	"testing"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/recovery"
)

// TestFaults: what a fault on purpose did is no doubt about a run; what it did not do is.
func TestFaults(t *testing.T) {
	felt := func(do string) *recovery.Recovery {
		return &recovery.Recovery{Episodes: []recovery.Episode{{
			Faults: []recovery.Fault{{At: 1, Do: do}}, State: recovery.Recovered, Seconds: new(3.0), Lost: 5,
			Outcomes: []recovery.OutcomeCount{{Outcome: "refused", Count: 5}},
		}}}
	}
	f := &facts{measured: 100, server: &server{}, recovery: felt("kill")}
	failed := &outcomes{by: map[journal.Outcome]int64{"refused": 5}}
	l := limits{0, 0.01, "%", "", ""}
	if k := failed.result(f, l); k.Level != OK || !strings.Contains(k.Sentence, "on purpose") {
		t.Errorf("what was lost on purpose: %+v", k)
	}
	failed.by["http_5xx"] = 2
	if k := failed.result(f, l); k.Level != Invalid || !strings.HasPrefix(k.Sentence, "2 of 100 requests failed (2 http_5xx)") {
		t.Errorf("what failed outside: %+v", k)
	}
	for name, want := range map[string]Level{"growing": Noted, "empty": Suspect} {
		k := Check{Level: Suspect, Sentence: "it grew"}
		if f.forgive(name, &k); k.Level != want {
			t.Errorf("%s: %+v", name, k)
		}
	}
	quiet := &facts{recovery: &recovery.Recovery{Episodes: []recovery.Episode{{Faults: []recovery.Fault{{Do: "slow"}}, State: recovery.NoEffect}}}}
	k := Check{Level: Suspect}
	if quiet.forgive("growing", &k); k.Level != Suspect || quiet.stopped() || !f.stopped() {
		t.Errorf("a fault without an effect explains nothing: %+v", k)
	}
	made := limits{0, never, "", "of them", ""}
	if k := faultsMade(f, made); k.Level != OK || !strings.Contains(k.Sentence, "not held against the run (5 requests lost)") {
		t.Errorf("%+v", k)
	}
	f.recovery.NotDone = []recovery.Fault{{Do: "kill", Error: "no such\x1b[2J process"}}
	if k := faultsMade(f, made); k.Level != Suspect || strings.Contains(k.Sentence, "\x1b") || !strings.HasPrefix(k.Sentence, "1 fault was not made") {
		t.Errorf("%+v", k)
	}
}

// TestRestartOnPurpose: counters that fell since a server was killed by us are no accident.
func TestRestartOnPurpose(t *testing.T) {
	s := &server{each: []scraped{{before: map[string]float64{"vllm:request_success_total": 5}, after: map[string]float64{"vllm:request_success_total": 1}}}}
	s.before, s.after = s.each[0].before, s.each[0].after
	f := &facts{run: &journal.Run{}, server: s}
	if k := restart(f, limits{}); k.Level != Invalid {
		t.Errorf("%+v", k)
	}
	f.recovery = &recovery.Recovery{Episodes: []recovery.Episode{{Faults: []recovery.Fault{{Do: "kill"}}}}}
	if k := restart(f, limits{}); k.Level != OK || k.Figure != "on purpose" {
		t.Errorf("%+v", k)
	}
	if k := f.unusable(); k == nil || k.Level != NotChecked {
		t.Errorf("%+v", k)
	}
}
