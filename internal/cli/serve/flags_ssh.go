package serve

import (
	"path/filepath"
	"strings"

	"github.com/inferometer/inferometer/internal/cli/argv"
	"github.com/inferometer/inferometer/internal/fleet/bus"
	"github.com/inferometer/inferometer/internal/fleet/setup"
	"github.com/inferometer/inferometer/internal/fleet/ssh"
	"github.com/inferometer/inferometer/internal/outside"
)

// sshOptions say on which machines agents are started for this run.
type sshOptions struct {
	agentHosts   []string
	agentProgram string
	agentNATS    string // what agents connect with; empty: see place
	machines     []ssh.Host
}

const flagAgents = "agents"

func defineSSH(set *argv.Set, o *Options) {
	g := argv.Group(groupFleet)
	set.CSV(&o.agentHosts, flagAgents, nil, "Start an agent on each of these machines with the system's ssh, for this run only. Needs --fleet, and keys that ask for no password.", g,
		argv.WholeName(), argv.Metavar("[USER@]HOST[:PORT],…"))
	set.String(&o.agentProgram, "agent-program", "", "Where the program is on the machines of --agents.", g, argv.WholeName(), argv.Complete(argv.Word), argv.Metavar("PATH"), argv.Shown("inferometer, in their PATH"))
	set.String(&o.agentNATS, "agent-nats", "", "What the agents of --agents connect with: an address, or a file of inferometer fleet init.", g, argv.WholeName(), argv.Metavar("NATS"),
		argv.Shown("agent.json beside the file of --fleet, or its address"), argv.Redact(outside.RedactURL))
}

// checkSSH looks at the flags of --agents.
func (o *Options) checkSSH(set *argv.Set) (err error) {
	if set.Lookup(flagAgents) == nil {
		return nil // a command that does not know it: ab, find
	}
	if !set.Seen(flagAgents) {
		for _, name := range []string{"agent-program", "agent-nats"} {
			if set.Seen(name) {
				return argv.Errorf(name, "has no effect without --agents")
			}
		}
		return nil
	}
	if o.machines, err = ssh.ParseHosts(o.agentHosts); err != nil {
		return argv.Errorf(flagAgents, "%v", err)
	}
	switch {
	case o.NATS == "":
		return argv.Errorf(flagAgents, "needs --fleet: the agents are led through NATS").WithHint("nats-server -js on this machine, and --fleet nats://127.0.0.1:4222: ssh leads agents to it")
	case set.Seen("fleet-agents"), set.Seen("fleet-label"):
		return argv.Errorf(flagAgents, "can't be used together with --fleet-agents or --fleet-label: the agents that it starts take part, and no others")
	case strings.HasPrefix(o.agentProgram, "-"):
		return argv.Errorf("agent-program", "needs the path of a program, not %q", outside.Word(o.agentProgram))
	}
	return nil
}

// agentPlace is what agents connect with. The rights of a leader are not theirs.
func (o *sshOptions) agentPlace(leaders string) (bus.Place, error) {
	switch {
	case o.agentNATS != "":
		return bus.ReadPlace(o.agentNATS)
	case strings.Contains(leaders, "://"):
		return bus.ReadPlace(leaders)
	}
	return bus.ReadPlace(filepath.Join(filepath.Dir(leaders), setup.File(bus.Agent)))
}
