package spec

import (
	"maps"
	"slices"
	"time"

	"github.com/inferometer/inferometer/internal/outside"
	"github.com/inferometer/inferometer/internal/send/hardware"
	"github.com/inferometer/inferometer/internal/send/share"
	"github.com/inferometer/inferometer/internal/usage"
)

// Fleet says that a run is sent by agents on other machines, and by which. It stands in the
// leader's Spec only: what an agent gets is a run with a share.
type Fleet struct {
	NATS        string        `json:"nats,omitempty" flag:"fleet" whole:"true" metavar:"NATS" shown:"this process sends it" redact:"url" help:"Have the load sent by agents on other machines (inferometer agent), found through this NATS: an address, or the file that inferometer fleet init wrote for leaders; docs/fleet.md."`
	Agents      int           `json:"agents,omitempty" flag:"fleet-agents" whole:"true" min:"0" max:"10000" shown:"all that are free" help:"How many agents take part."`
	AgentLabels Labels        `json:"labels,omitempty" flag:"fleet-label" whole:"true" repeat:"true" metavar:"KEY=VALUE" help:"Only agents with this label. It may be given several times."`
	FleetWait   time.Duration `json:"wait,omitempty" flag:"fleet-wait" whole:"true" min:"0" shown:"30s" help:"How long to wait for agents to come, and after the last one has ended for the journals of those that are silent."`
	Lease       time.Duration `json:"lease,omitempty" flag:"fleet-lease" whole:"true" shown:"15s" help:"An agent without contact to NATS for this long stops sending."`
}

// The defaults of a fleet, and the shortest lease: an agent reports once a second.
const (
	DefaultFleetWait = 30 * time.Second
	DefaultLease     = 15 * time.Second
	leastLease       = 3 * time.Second
)

// InFleet says that agents send it.
func (s *Spec) InFleet() bool { return s.NATS != "" }

// Patience is how long a leader waits for agents.
func (f *Fleet) Patience() time.Duration {
	if f.FleetWait > 0 {
		return f.FleetWait
	}
	return DefaultFleetWait
}

// LeaseTime is how long an agent sends without contact.
func (f *Fleet) LeaseTime() time.Duration {
	if f.Lease > 0 {
		return f.Lease
	}
	return DefaultLease
}

// checkFleet refuses what agents can't do together.
func (s *Spec) CheckFleet() error {
	f := &s.Fleet
	if !s.InFleet() {
		for _, flag := range []string{"fleet-agents", "fleet-label", "fleet-wait", "fleet-lease"} {
			if s.has(flag) {
				return usage.Errorf(flag, "needs %s, which says where the agents are to be found", usage.Ref("fleet"))
			}
		}
		return nil
	}
	if outside.RedactURL(f.NATS) != f.NATS {
		return usage.Errorf("fleet", "has a password in it, which a Spec must not hold").WithHint("give a file with it, as inferometer fleet init writes one")
	}
	refused := map[string]string{
		"allow-code":         "no agent runs programs that somebody else sent",
		"client-share":       "the leader gives each agent its share",
		"until":              "it ends a run by its results, which no agent has all of",
		"batch-size":         "a batch is sent by one client",
		"profile":            "the server's profiler is started by one client",
		"save-conversations": "the answers are on the agents",
		"power":              "it is measured by one client, over its own time",
		"server-log":         "agents read no files of this machine",
	}
	for _, flag := range slices.Sorted(maps.Keys(refused)) {
		if s.has(flag) {
			return usage.Errorf(flag, "can't be used with %s: %s", usage.Ref("fleet"), refused[flag])
		}
	}
	if err := s.checkDividedTrace("fleet"); err != nil {
		return err
	}
	switch {
	case s.Batches != nil:
		return usage.Errorf("fleet", "can't be used with batches of one shape: a batch is sent by one client")
	case f.Lease != 0 && f.Lease < leastLease:
		return usage.Errorf("fleet-lease", "must be at least %s, not %s: an agent reports once a second", leastLease, f.Lease)
	}
	return nil
}

// ForAgent is the Spec that an agent gets: the load and its share of it. What is kept and
// shown is the leader's.
func (s *Spec) ForAgent(of share.Share) *Spec {
	own := *s
	own.Fleet, own.Share = Fleet{}, of
	own.GiveUp = "" // it is decided by results, of which an agent has a part
	own.Keep = Keep{
		Command: s.Command, Label: s.Label, Metadata: s.Metadata, KeepRuns: s.KeepRuns,
		JournalTexts: s.JournalTexts, SaveDetailed: s.SaveDetailed, ForgetPrompts: s.ForgetPrompts, Hardware: s.hardwareFor(of),
	}
	own.SLO, own.Rules, own.Strict = "", "", false
	if of.Index == 0 {
		own.ScrapeEvery = s.ScrapeEvery // the server's counters are the same for all
	}
	return &own
}

// Secrets are the values of the variables that the Spec names.
func (s *Spec) Secrets(e *Environment) (map[string]string, error) {
	found := map[string]string{}
	noting := *e
	noting.Lookup = func(name string) (string, bool) {
		value, ok := e.Lookup(name)
		if ok {
			found[name] = value
		}
		return value, ok
	}
	_, err := s.Wire(&noting)
	return found, err
}

// hardwareFor is what an agent asks: its own machine, and the first one what is behind an
// address, which would answer all of them the same.
func (s *Spec) hardwareFor(of share.Share) Value {
	if of.Index == 0 {
		return s.Hardware
	}
	asked, err := hardware.Parse(s.Hardware.Text)
	if err != nil || s.Hardware.Env != "" { // what is in a variable has an address with a login
		return Value{Text: hardware.None}
	}
	return Value{Text: asked.Here().String()}
}
