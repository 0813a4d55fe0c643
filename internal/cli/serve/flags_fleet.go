package serve

import (
	"github.com/inferometer/inferometer/internal/bench"
	"github.com/inferometer/inferometer/internal/cli/argv"
	"github.com/inferometer/inferometer/internal/outside"
)

// DefineFleet declares by which agents on other machines a run is sent.
func DefineFleet(set *argv.Set, o *Options) {
	g := argv.Group(groupFleet)
	set.String(&o.NATS, "fleet", "", "Have the load sent by agents on other machines (inferometer agent), found through this NATS: an address, or the file that inferometer fleet init wrote for leaders; docs/fleet.md.", g,
		argv.WholeName(), argv.Metavar("NATS"), argv.Shown("this process sends it"), argv.Redact(outside.RedactURL))
	set.Int(&o.Agents, "fleet-agents", 0, "How many agents take part.", g, argv.WholeName(), argv.Shown("all that are free"))
	set.KeyValues(&o.agentLabels, "fleet-label", argv.OneOrMore, "Only agents with these labels.", g, argv.WholeName())
	set.Duration(&o.FleetWait, "fleet-wait", 0, "How long to wait for agents to come, and after the last one has ended for the journals of those that are silent.", g, argv.WholeName(), argv.Shown(bench.DefaultFleetWait.String()))
	set.Duration(&o.Lease, "fleet-lease", 0, "An agent that has no contact to NATS for so long sends no more.", g, argv.WholeName(), argv.Shown(bench.DefaultLease.String()))
}

// setFleet takes in what flags say in other words than the Spec.
func (o *Options) setFleet(set *argv.Set) error {
	for _, p := range o.agentLabels {
		if o.AgentLabels == nil {
			o.AgentLabels = map[string]string{}
		}
		o.AgentLabels[p.Key] = p.Value
	}
	if set.Seen("fleet") && o.NATS == "" {
		return argv.Errorf("fleet", "needs an address such as nats://127.0.0.1:4222, or a file of inferometer fleet init")
	}
	return nil
}
