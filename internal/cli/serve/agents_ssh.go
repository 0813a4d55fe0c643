package serve

import (
	"context"
	"crypto/rand"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/inferometer/inferometer/internal/bench"
	"github.com/inferometer/inferometer/internal/fleet/agent"
	"github.com/inferometer/inferometer/internal/fleet/bus"
	"github.com/inferometer/inferometer/internal/fleet/lead"
	"github.com/inferometer/inferometer/internal/fleet/ssh"
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
			return bench.ErrStopped
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(100 * time.Millisecond):
		}
	}
}
