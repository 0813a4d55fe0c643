package verdict

import (
	"slices"
	"strings"
	"testing"

	"github.com/inferometer/inferometer/internal/journal"
)

// agents is an open loop that three agents sent.
func agents() *world {
	w := openLoop()
	w.run.Environment = journal.Environment{} // no machine is that of the run
	w.run.Fleet = &journal.Fleet{Run: "r", Planned: 1200}
	for i, name := range []string{"anna", "bert", "carl"} {
		w.run.Fleet.Agents = append(w.run.Fleet.Agents, journal.FleetAgent{
			ID: name + "-1", Name: name, Planned: 400, OffsetNs: int64(i) * 1e12, OffsetErrorNs: msNs / 5, Read: true, SkewNs: int64(i) * msNs,
			Clock: "kernel", Environment: journal.Environment{OS: "linux", CPUs: 4, GoMaxProcs: 4, FDLimit: 1000},
		})
	}
	w.each(1, func(r *journal.Request) { r.Agent = r.Index % 3 })
	return w
}

// ended gives each agent its samples and its end, and then changes them.
func ended(change func(w *world)) func(w *world) {
	return func(w *world) {
		own := w.samples
		w.samples = nil
		for i := range w.run.Fleet.Agents {
			for _, s := range own {
				s.Agent = i
				s.CPUNs += int64(i) * 1e12 // counters count from anywhere
				w.samples = append(w.samples, s)
			}
		}
		w.end.Fleet = &journal.FleetEnd{Agents: make([]journal.FleetAgentEnd, 3)}
		change(w)
	}
}

// missing adds so many requests that have no record.
func missing(n int, o journal.Outcome) func(w *world) {
	return ended(func(w *world) {
		w.run.Fleet.Agents[1].Gone = "no word for 10 s"
		for i := range n {
			w.requests = append(w.requests, journal.Request{Index: 5000 + i, Agent: 1, Outcome: o, Due: 1e15, Sent: 1e15, End: 1e15})
		}
	})
}

func ofAgent(i int, change func(a *journal.FleetAgent)) func(w *world) {
	return ended(func(w *world) { change(&w.run.Fleet.Agents[i]) })
}

// ofBert changes the samples of one agent.
func ofBert(change func(s *journal.Sample)) func(w *world) {
	return ended(func(w *world) {
		for i := range w.samples {
			if w.samples[i].Agent == 1 {
				change(&w.samples[i])
			}
		}
	})
}

func spoiledFleets() []spoiled {
	fine := ended(func(*world) {})
	return []spoiled{
		{"fleet_lost", OK, agents, nil, fine},
		{"fleet_lost", Suspect, agents, nil, missing(5, journal.Lost)},
		{"fleet_lost", Invalid, agents, nil, missing(50, journal.Unsent)},
		{"fleet_lost", Invalid, agents, nil, func(w *world) { // one of them alone was stopped
			missing(50, journal.Unsent)(w)
			w.end.Fleet.Agents[1] = journal.FleetAgentEnd{Ended: true, Interrupted: "signal"}
		}},
		{"fleet_lost", NotChecked, agents, first(0), ended(func(w *world) { w.run.Fleet.Planned = 0 })},

		{"fleet_clock", OK, agents, nil, ofAgent(2, func(a *journal.FleetAgent) { a.OffsetErrorNs = 8 * msNs })},
		{"fleet_clock", Suspect, agents, nil, ofAgent(2, func(a *journal.FleetAgent) { a.OffsetErrorNs = 20 * msNs })},
		{"fleet_clock", Invalid, agents, nil, ofAgent(2, func(a *journal.FleetAgent) { a.OffsetErrorNs = 200 * msNs })},
		{"fleet_clock", NotChecked, agents, nil, ofAgent(2, func(a *journal.FleetAgent) { a.OffsetErrorNs = -1 })},

		{"fleet_start", OK, agents, nil, ofAgent(2, func(a *journal.FleetAgent) { a.SkewNs = 19 * msNs })},
		{"fleet_start", Suspect, agents, nil, ofAgent(2, func(a *journal.FleetAgent) { a.SkewNs = 21 * msNs })},
		{"fleet_start", Invalid, agents, nil, ofAgent(0, func(a *journal.FleetAgent) { a.SkewNs = -1001 * msNs })},
		{"fleet_start", NotChecked, agents, nil, ended(func(w *world) { w.run.Fleet.Agents[1].Read, w.run.Fleet.Agents[2].Read = false, false })},

		{"fleet_duplicates", Suspect, agents, nil, ended(func(w *world) { w.end.Fleet.Agents[0].Duplicates = 1 })},
		{"fleet_duplicates", Invalid, agents, nil, ended(func(w *world) { w.end.Fleet.Agents[0].Foreign = 100 })},
		{"fleet_duplicates", NotChecked, agents, nil, ended(func(w *world) { w.end.Fleet = nil })},

		// One of three machines is not fit: the mean over all would hide it.
		{"cpu", Noted, agents, nil, ofBert(func(s *journal.Sample) { s.CPUNs = s.At * 39 / 10 })},
		{"steal", Noted, agents, nil, ofBert(func(s *journal.Sample) { s.StealNs = s.At })},
		{"files", Suspect, agents, nil, ofBert(func(s *journal.Sample) { s.Files = 950 })},
		{"lag", Invalid, agents, every(1, func(r *journal.Request) { r.Events.Lag = nil }), func(w *world) {
			w.run.Clock = "user"
			ofBert(func(s *journal.Sample) { s.WakeNs = 40 * msNs })(w)
			for i := range w.run.Fleet.Agents {
				w.run.Fleet.Agents[i].Clock = "user"
			}
			for i := range w.samples {
				w.samples[i].WakeNs = max(w.samples[i].WakeNs, 1000)
			}
		}},
		{"little", NotChecked, agents, nil, fine},
	}
}

// What is said of a machine names it, and a server may have had what is lost.
func TestAgentsAreNamed(t *testing.T) {
	for _, s := range spoiledFleets() {
		k := s.world().judge(t, Options{}).Check(s.check)
		if s.level.Bad() && k.Group == "client" && !strings.HasPrefix(k.Sentence, "bert: ") {
			t.Errorf("%s: %s", s.check, k.Sentence)
		}
	}
	w := agents()
	w.derive()
	missing(5, journal.Lost)(w)
	w.scrapes[1].Counters["vllm:request_success_total"] += 5
	v := w.judge(t, Options{})
	if k := v.Check("foreign_requests"); k.Level != OK {
		t.Errorf("%+v", k)
	}
	if k := v.Check("fleet_lost"); !strings.Contains(k.Sentence, "bert 5") || !strings.Contains(k.Sentence, "no word for 10 s") {
		t.Errorf("%+v", k)
	}
}

// A run that was stopped as a whole is for drained to tell. All that was sent came to its end: it is shorter, not worse.
func TestAFleetThatWasStopped(t *testing.T) {
	w := agents()
	w.derive()
	missing(600, journal.Unsent)(w)
	w.end.Interrupted = "signal"
	for i := range w.end.Fleet.Agents {
		w.end.Fleet.Agents[i] = journal.FleetAgentEnd{Ended: true, Interrupted: "signal"}
	}
	v := w.judge(t, Options{})
	if k := v.Check("fleet_lost"); k.Level != OK || len(v.Reasons) > 0 || v.Level != TrustValid {
		t.Errorf("%v: %+v", v.Reasons, k)
	}
}

// Agents that stopped by themselves are not excused, even if all of them did.
func TestAFleetThatStoppedByItself(t *testing.T) {
	const why = "there was no contact to NATS for longer than the lease of 15s"
	w := agents()
	w.derive()
	missing(600, journal.Unsent)(w)
	w.end.Interrupted = why
	for i := range w.end.Fleet.Agents {
		w.run.Fleet.Agents[i].Gone = "it stopped by itself: " + why
		w.end.Fleet.Agents[i] = journal.FleetAgentEnd{Ended: true, Interrupted: why}
	}
	if k := w.judge(t, Options{}).Check("fleet_lost"); k.Level != Invalid || !strings.Contains(k.Sentence, why) {
		t.Errorf("%+v", k)
	}
}

// A run of one client has none of the fleet's checks.
func TestOneClientHasNoFleet(t *testing.T) {
	w := openLoop()
	w.derive()
	v := w.judge(t, Options{})
	if i := slices.IndexFunc(v.Checks, func(k Check) bool { return k.Group == fleetGroup }); i >= 0 {
		t.Errorf("%+v", v.Checks[i])
	}
}
