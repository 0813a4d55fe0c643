package merge

import (
	"container/heap"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/inferometer/inferometer/internal/fleet/message"
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/send/share"
)

// The same journals give the same whole: requests that ended at one moment are in the order of their agents.
func TestRequestsThatEndTogetherAreInTheOrderOfTheirAgents(t *testing.T) {
	var q queue
	for _, agent := range []int{2, 0, 3, 1} {
		heap.Push(&q, &source{agent: agent, request: &journal.Request{End: 7}})
	}
	heap.Push(&q, &source{agent: 4, request: &journal.Request{End: 6}})
	for i, want := range []int{4, 0, 1, 2, 3} {
		if s := heap.Pop(&q).(*source); s.agent != want {
			t.Errorf("place %d: agent %d, want %d", i, s.agent, want)
		}
	}
}

// A number of prompts that one agent doesn't know is not known, whatever the others say, and in whatever order.
func TestSeenPromptsAreKnownOnlyIfAllAgentsKnow(t *testing.T) {
	for _, tt := range []struct {
		each []int
		want int
	}{
		{[]int{3, 4}, 7},
		{[]int{-1, 4, 2}, -1},
		{[]int{4, -1, 2}, -1},
		{[]int{0, 0}, 0},
	} {
		m, whole := &merger{}, &journal.End{}
		for _, n := range tt.each {
			m.add(whole, &journal.End{SeenPrompts: n}, 0)
		}
		if whole.SeenPrompts != tt.want {
			t.Errorf("%v: %d, want %d", tt.each, whole.SeenPrompts, tt.want)
		}
	}
}

// sources writes a journal for each agent and opens them.
func sources(t *testing.T, weights []int, run func(agent int, r *journal.Run)) *merger {
	t.Helper()
	dir, plan := t.TempDir(), &Plan{Start: start, Lease: time.Second}
	for i := range weights {
		one := firstLine(start)
		run(i, one)
		path := filepath.Join(dir, fmt.Sprint(i))
		record(t, path, one, nil, &journal.End{})
		plan.Agents = append(plan.Agents, Agent{ID: fmt.Sprint(i), Share: share.Share{Index: i, Weights: weights}, Journal: path})
	}
	m := &merger{plan: plan, fleet: &journal.Fleet{}, end: &journal.FleetEnd{Agents: make([]journal.FleetAgentEnd, len(weights))}}
	m.open()
	t.Cleanup(m.Close)
	return m
}

// A client of no weight has a slot by rounding, and sends nothing: the whole has none for it.
func TestAnAgentOfNoWeightAddsNothingToTheLimits(t *testing.T) {
	m := sources(t, []int{1, 3, 0}, func(agent int, r *journal.Run) {
		r.Options.MaxConcurrency, r.Options.MaxConversations, r.Options.IntegritySample = []int{2, 6, 1}[agent], []int{1, 3, 1}[agent], []int{5, 15, 1}[agent]
		r.Options.SpawnRate = []float64{10, 30, 10}[agent]
	})
	run := m.firstLine()
	if o := &run.Options; o.MaxConcurrency != 8 || o.MaxConversations != 4 || o.IntegritySample != 20 || o.SpawnRate != 40 {
		t.Errorf("%d in flight, %d conversations, a sample of %d, %g users a second", o.MaxConcurrency, o.MaxConversations, o.IntegritySample, o.SpawnRate)
	}
}

// What a journal claims of its times holds of the whole only if each agent claims it.
func TestTheWholeClaimsWhatTheWeakestAgentDoes(t *testing.T) {
	for weak := range 3 {
		m := sources(t, []int{1, 1, 1}, func(agent int, r *journal.Run) {
			r.ReadEnds, r.Holds, r.Clock = true, true, "kernel"
			if agent == weak {
				r.ReadEnds, r.Holds, r.Clock = false, false, "user"
			}
		})
		if run := m.firstLine(); run.ReadEnds || run.Holds || run.Clock != "user" {
			t.Errorf("agent %d can't tell, and the whole says: ends of reads %v, holds %v, times of the %s", weak, run.ReadEnds, run.Holds, run.Clock)
		}
	}
	m := sources(t, []int{1, 1}, func(_ int, r *journal.Run) { r.ReadEnds, r.Holds = true, true })
	if run := m.firstLine(); !run.ReadEnds || !run.Holds || run.Clock != "kernel" {
		t.Errorf("all can tell, and the whole says: ends of reads %v, holds %v, times of the %s", run.ReadEnds, run.Holds, run.Clock)
	}
}

// An agent's lease is over by its own clock, which may be behind what the leader knows of it.
func TestALeaseIsLongerByWhatTheClockMayBeOff(t *testing.T) {
	for _, tt := range []struct{ off, want int64 }{{0, 1500}, {250, 1750}, {-1, 1500}} { // -1: not known
		m := &merger{
			plan: &Plan{Start: start, Lease: 1000, Agents: []Agent{
				{Status: &message.Status{Phase: message.Running}, LastContact: start + 500, OffsetError: tt.off},
			}},
			end: &journal.FleetEnd{Agents: make([]journal.FleetAgentEnd, 1)}, sources: []*source{nil},
		}
		k := m.knows(0)
		if k.until != tt.want {
			t.Errorf("a clock known to %d: until %d, want %d", tt.off, k.until, tt.want)
		}
		if before, after := fate(k, 0, tt.want), fate(k, 0, tt.want+1); before != journal.Lost || after != journal.Unsent {
			t.Errorf("a clock known to %d: %s at the lease's end, %s after it", tt.off, before, after)
		}
	}
}

// The whole has the Spec of the whole, and not that of an agent's share.
func TestTheWholeHasItsOwnSpec(t *testing.T) {
	m := sources(t, []int{1, 3}, func(agent int, r *journal.Run) {
		r.Spec = json.RawMessage(fmt.Sprintf(`{"load":{"max_concurrency":%d,"seed":7}}`, []int{2, 6}[agent]))
		r.Options, _ = journal.OptionsOf(r.Spec)
		r.Options.NumPrompts = 100
	})
	m.plan.First = firstLine(start)
	m.plan.First.Spec = json.RawMessage(`{"load":{"max_concurrency":8,"seed":7}}`)
	m.plan.First.Options, _ = journal.OptionsOf(m.plan.First.Spec)
	run := m.firstLine()
	b, err := run.MarshalJSON()
	if err != nil || !strings.Contains(string(b), `"options":{"num_prompts":100}`) || !strings.Contains(string(b), `"spec":{"load":{"max_concurrency":8,"seed":7}}`) {
		t.Errorf("%s, %v", b, err)
	}
	if o := &run.Options; o.MaxConcurrency != 8 || o.Seed != 7 || o.Workload["load.max_concurrency"] != "8" {
		t.Errorf("%+v", o)
	}
}
