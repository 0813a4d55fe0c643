package lead

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/inferometer/inferometer/internal/fleet/message"
	"github.com/inferometer/inferometer/internal/outside"
	"github.com/inferometer/inferometer/internal/send/share"
	"github.com/inferometer/inferometer/internal/spec"
)

const (
	askEvery = time.Second            // a leader listens so long for answers to who is there
	askAgain = 100 * time.Millisecond // and waits so long before it asks again
)

// pick finds the agents of the run. It waits for them, but not for ever.
func (l *leader) pick(ctx context.Context) error {
	s := l.plan.Spec
	deadline := time.Now().Add(s.Patience())
	told := false
	for {
		hellos, err := l.bus.Who(ctx, askEvery, share.Most)
		if err != nil {
			return err
		}
		c := sortOut(hellos, &s.Fleet, l.host.Version)
		if len(c.free) >= max(s.Agents, 1) {
			return l.take(c.free)
		}
		if !time.Now().Before(deadline) {
			return fmt.Errorf("%s; start more with inferometer agent --nats, or wait longer with --fleet-wait", c.text(&s.Fleet))
		}
		if !told {
			l.host.Say("%s; waiting for more, up to %s", c.text(&s.Fleet), s.Patience())
			told = true
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(askAgain): // where nobody is there NATS says so at once
		}
	}
}

// candidates are agents by what speaks against them.
type candidates struct {
	free, busy, other, lacking []message.Hello
	ours                       string
}

// sortOut looks at who is there. The order is that of names, so that the same agents have
// the same shares in the next run.
func sortOut(hellos []message.Hello, f *spec.Fleet, version string) *candidates {
	c := &candidates{ours: version}
	slices.SortFunc(hellos, func(a, b message.Hello) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Agent, b.Agent))
	})
	for _, h := range hellos {
		switch {
		case !labelled(&h, f.AgentLabels):
			c.lacking = append(c.lacking, h)
		case h.Protocol != message.Protocol || release(h.Version) != release(version):
			c.other = append(c.other, h)
		case h.Run != "":
			c.busy = append(c.busy, h)
		default:
			c.free = append(c.free, h)
		}
	}
	if f.Agents > 0 && len(c.free) > f.Agents {
		c.free = c.free[:f.Agents]
	}
	return c
}

func labelled(h *message.Hello, want map[string]string) bool {
	for k, v := range want {
		if h.Labels[k] != v {
			return false
		}
	}
	return true
}

// release is a version without its commit.
func release(version string) string {
	number, _, _ := strings.Cut(version, "+")
	return number
}

// text says who is there, and why that is not enough.
func (c *candidates) text(f *spec.Fleet) string {
	some := func(list []message.Hello) string {
		const most = 3
		var names []string
		for i := range list {
			if i == most {
				names = append(names, "…")
				break
			}
			names = append(names, cmp.Or(list[i].Name, list[i].Agent))
		}
		return strings.Join(names, ", ")
	}
	text := fmt.Sprintf("agents that are free: %d, and %d are needed", len(c.free), max(f.Agents, 1))
	if n := len(c.busy); n > 0 {
		text += fmt.Sprintf("; busy with another run: %d (%s)", n, some(c.busy))
	}
	if n := len(c.other); n > 0 {
		text += fmt.Sprintf("; of another version than %s: %d (%s has %s)", outside.Word(release(c.ours)), n, some(c.other[:1]), release(c.other[0].Version))
	}
	if n := len(c.lacking); n > 0 {
		text += fmt.Sprintf("; without the labels asked for: %d (%s)", n, some(c.lacking))
	}
	return text
}

// take makes the agents of the run, with their shares.
func (l *leader) take(hellos []message.Hello) error {
	if len(hellos) > share.Most {
		hellos = hellos[:share.Most]
	}
	for _, h := range hellos {
		m := member{ID: h.Agent, Name: h.Name, Version: h.Version, Address: h.Address, Labels: h.Labels, CPUs: h.CPUs, Weight: min(max(h.Weight, 1), mostWeight)}
		l.kept.Agents = append(l.kept.Agents, m)
	}
	l.setAgents()
	for i, h := range hellos {
		l.agents[i].key = h.Key
	}
	names := make([]string, 0, len(hellos))
	for i, a := range l.agents {
		if i == 8 {
			names = append(names, fmt.Sprintf("and %d more", len(l.agents)-i))
			break
		}
		names = append(names, a.title())
	}
	l.host.Say("agents: %d (%s); run %s", len(l.agents), strings.Join(names, ", "), l.kept.Run)
	return nil
}

// setAgents makes the agents that are kept.
func (l *leader) setAgents() {
	weights := l.kept.weights()
	for i, m := range l.kept.Agents {
		l.agents = append(l.agents, &agent{member: m, index: i, share: share.Share{Index: i, Weights: weights}})
	}
}
