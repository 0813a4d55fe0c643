package serve

import (
	"context"
	"crypto/rand"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/inferometer/inferometer/internal/cli/argv"
	"github.com/inferometer/inferometer/internal/fleet/agent"
	"github.com/inferometer/inferometer/internal/fleet/bus"
	"github.com/inferometer/inferometer/internal/fleet/lead"
	"github.com/inferometer/inferometer/internal/fleet/setup"
	"github.com/inferometer/inferometer/internal/fleet/ssh"
	"github.com/inferometer/inferometer/internal/outside"
	"github.com/inferometer/inferometer/internal/prepare"
	"github.com/inferometer/inferometer/internal/spec"
)

// startedFor is the label by which a leader knows the agents that it has started.
const startedFor = "started_for"

// lead has the run sent by a fleet, whose agents it starts first where --agents says so.
func (r *serveRun) lead(ctx context.Context, drain <-chan struct{}) (*lead.Done, error) {
	if len(r.machines) == 0 {
		return lead.Execute(ctx, drain, &r.Spec, r.host)
	}
	asked := r.Spec
	mark := rand.Text()
	asked.Agents, asked.AgentLabels = len(r.machines), maps.Clone(asked.AgentLabels)
	if asked.AgentLabels == nil {
		asked.AgentLabels = map[string]string{}
	}
	asked.AgentLabels[startedFor] = mark
	place, err := r.agentPlace(r.NATS)
	if err != nil {
		return nil, fmt.Errorf("--agents: %w", err)
	}
	fleet := ssh.Fleet{
		Hosts: r.machines, Program: r.agentProgram, Place: place, Args: []string{"--label", startedFor + "=" + mark},
		Say: func(host, line string) { r.host.Say("%s: %s", host, line) },
	}
	allowed, err := allowFlags(&asked, r.host.Lookup)
	if err != nil {
		return nil, err
	}
	fleet.Args = append(fleet.Args, allowed...)
	agents, err := ssh.Start(ctx, fleet)
	if err != nil {
		return nil, err
	}
	defer agents.Stop()
	if err := r.await(ctx, drain, agents, mark); err != nil {
		return nil, err
	}
	return lead.Execute(ctx, drain, &asked, r.host)
}

// allowFlags let agents load what a run loads, and nothing else: not another port of the same host.
func allowFlags(s *spec.Spec, lookup func(string) (string, bool)) (flags []string, err error) {
	addresses, err := agent.Addresses(s, func(name string) string { value, _ := lookup(name); return value })
	for _, address := range addresses {
		if allowed := agent.AllowOf(address); allowed != "" && !slices.Contains(flags, allowed) {
			flags = append(flags, "--allow", allowed)
		}
	}
	return flags, err
}

// await waits until all agents that were started are on the bus. One that can't come is
// told of at once; of one that ends later the run tells by itself.
func (r *serveRun) await(ctx context.Context, drain <-chan struct{}, agents *ssh.Agents, mark string) error {
	place, err := bus.ReadPlace(r.NATS)
	if err != nil {
		return err
	}
	b, err := bus.Open(ctx, place, bus.Options{Name: "inferometer bench serve"})
	if err != nil {
		return err
	}
	defer b.Close()
	wait := r.FleetWait
	if wait == 0 {
		wait = spec.DefaultFleetWait
	}
	late := time.After(wait)
	for {
		there, err := b.Who(ctx, 500*time.Millisecond, math.MaxInt) // agents of others may answer first
		if err != nil {
			return err
		}
		came := 0
		for _, hello := range there {
			if hello.Labels[startedFor] == mark {
				came++
			}
		}
		if came >= len(r.machines) {
			return nil
		}
		select {
		case err := <-agents.Ended():
			return fmt.Errorf("%w; nothing was sent", err)
		case <-late:
			return fmt.Errorf("%d of %d agents of --agents came within %v; nothing was sent", came, len(r.machines), wait)
		case <-drain:
			return prepare.ErrStopped
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(100 * time.Millisecond):
		}
	}
}

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
