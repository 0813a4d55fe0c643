package serve

import (
	"strings"

	"github.com/inferometer/inferometer/internal/cli/argv"
	"github.com/inferometer/inferometer/internal/outside"
	"github.com/inferometer/inferometer/internal/spec"
)

// DefineFleet declares by which agents on other machines a run is sent.
func DefineFleet(set *argv.Set, o *Options) {
	g := argv.Group(groupFleet)
	set.String(&o.NATS, "fleet", "", "Have the load sent by agents on other machines (inferometer agent), found through this NATS: an address, or the file that inferometer fleet init wrote for leaders; docs/fleet.md.", g,
		argv.WholeName(), argv.Metavar("NATS"), argv.Shown("this process sends it"), argv.Redact(outside.RedactURL))
	set.Int(&o.Agents, "fleet-agents", 0, "How many agents take part.", g, argv.WholeName(), argv.Shown("all that are free"))
	set.Custom("fleet-label", "", "Only agents with this label. It may be given several times.", o.setAgentLabel, g, argv.WholeName(), argv.Metavar("KEY=VALUE"))
	set.Duration(&o.FleetWait, "fleet-wait", 0, "How long to wait for agents to come, and after the last one has ended for the journals of those that are silent.", g, argv.WholeName(), argv.Shown(spec.DefaultFleetWait.String()))
	set.Duration(&o.Lease, "fleet-lease", 0, "An agent that has no contact to NATS for so long sends no more.", g, argv.WholeName(), argv.Shown(spec.DefaultLease.String()))
}

// setAgentLabel takes in --fleet-label.
func (o *Options) setAgentLabel(text string) error {
	key, value, ok := strings.Cut(text, "=")
	if key, value = strings.TrimSpace(key), strings.TrimSpace(value); !ok || key == "" {
		return argv.Errorf("", "needs KEY=VALUE, as in region=eu, not %q", outside.Word(text))
	}
	if o.AgentLabels == nil {
		o.AgentLabels = map[string]string{}
	}
	o.AgentLabels[key] = value
	return nil
}

// checkFleet looks at what a Spec can't tell from what was not given.
func (o *Options) checkFleet(set *argv.Set) error {
	if set.Seen("fleet") && o.NATS == "" {
		return argv.Errorf("fleet", "needs an address such as nats://127.0.0.1:4222, or a file of inferometer fleet init")
	}
	return nil
}
