//go:build linux

package fleet

import (
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/test/fleet/stage"
)

// TestChaos: while a fleet sends, agents, leader and nats-server are killed, stopped and cut off
// at random. Whatever happens, each planned request has one outcome, and it is a true one.
//
//	go test ./test/fleet -run Chaos -seeds 20 -seconds 60 -v
func TestChaos(t *testing.T) {
	for seed := *first; seed < *first+*seeds; seed++ {
		t.Run(strconv.Itoa(seed), func(t *testing.T) { chaos(t, uint64(seed)) })
	}
}

const (
	chaosAgents = 4
	chaosRate   = 40 // requests a second
	chaosPrefix = "chaos-"
)

// play is a fleet in which things go wrong.
type play struct {
	*stage.Stage
	t      *testing.T
	random *rand.Rand
	began  time.Time
	server *stage.Host
	hosts  []*stage.Host // of the agents; the leader's is the last
	nats   *stage.NATS
	sim    *stage.Sim
	agents []*stage.Process
	leader *stage.Process
	flags  []string
}

func chaos(t *testing.T, seed uint64) {
	p := &play{Stage: newStage(t), t: t, random: rand.New(rand.NewPCG(seed, 0))}
	all := hosts(t, p.Stage, chaosAgents+2)
	p.server, p.hosts = all[0], all[1:]
	p.sim = must[*stage.Sim](t)(p.StartSim("sim", p.server, p.server.Load, "--ttft", "exp:200ms", "--itl", "uniform:5ms-45ms"))
	p.nats = must[*stage.NATS](t)(p.StartNATS(p.server))
	p.agents = must[[]*stage.Process](t)(p.StartAgents(chaosAgents, p.hosts, p.nats, "--allow", p.server.Load))
	planned := chaosRate * *seconds
	p.flags = []string{
		"--base-url", p.sim.URL, "--model", "sim", "--skip-tokenizer-init", "--dataset-name", "random", "--random-input-len", "16", "--random-output-len", "20",
		"--num-prompts", strconv.Itoa(planned), "--request-rate", strconv.Itoa(chaosRate), "--request-id-prefix", chaosPrefix, "--seed", strconv.FormatUint(seed, 10),
		"--request-timeout", "20", "--fleet-lease", "5s", "--fleet-agents", strconv.Itoa(chaosAgents),
	}
	p.lead()
	p.awaitLoad()
	for _, f := range p.faults() {
		time.Sleep(time.Until(p.began.Add(f.at)))
		t.Logf("%5.1f s: %s", time.Since(p.began).Seconds(), f.name)
		f.do()
	}
	p.end()
	if err := p.sim.Stop(); err != nil {
		t.Fatal(err)
	}
	truth := must[stage.Truth](t)(stage.ReadTruth(chaosPrefix, p.sim.Truth))
	merged := must[*stage.Journal](t)(stage.ReadJournal(p.Run("fleet")))
	tally, wrong := merged.Account(planned, truth)
	t.Logf("%v; the server saw %d of %d", tally, len(truth), planned)
	for _, err := range wrong {
		t.Error(err)
	}
}

// fault is something that goes wrong, at a time after the load began.
type fault struct {
	at   time.Duration
	name string
	do   func()
}

// faults draws them: some are one act, most are two, the second of which mends the first.
func (p *play) faults() []fault {
	length := time.Duration(*seconds) * time.Second
	var all []fault
	add := func(at time.Duration, name string, do func()) { all = append(all, fault{at, name, do}) }
	between := func(least, most time.Duration) time.Duration {
		return least + time.Duration(p.random.Int64N(int64(most-least)))
	}
	for range 3 + p.random.IntN(4) {
		at := between(time.Second, length)
		back := at + between(time.Second/2, length/2)
		i := p.random.IntN(chaosAgents)
		agent, host := p.agents[i], p.hosts[i]
		leads := p.hosts[chaosAgents]
		switch p.random.IntN(9) {
		case 0:
			add(at, agent.Name+" is killed", agent.Kill)
		case 1:
			add(at, agent.Name+" is stopped", agent.Freeze)
			add(back, agent.Name+" goes on", agent.Thaw)
		case 2:
			add(at, agent.Name+" is cut off NATS", p.try(func() error { return host.Cut("nats") }))
			add(back, agent.Name+" has NATS again", p.try(func() error { return host.Mend("nats") }))
		case 3:
			add(at, agent.Name+" is cut off the server", p.try(func() error { return host.Cut("load") }))
			add(back, agent.Name+" has the server again", p.try(func() error { return host.Mend("load") }))
		case 4:
			add(at, agent.Name+" is cut off all", p.try(func() error { return errors.Join(host.Cut("load"), host.Cut("nats")) }))
			add(back, agent.Name+" has all again", p.try(func() error { return errors.Join(host.Mend("load"), host.Mend("nats")) }))
		case 5:
			add(at, "nats-server is killed", func() { p.nats.Kill() })
			add(back, "nats-server is started again", p.restartNATS)
		case 6:
			add(at, "nats-server is stopped", func() { p.nats.Freeze() })
			add(back, "nats-server goes on", func() { p.nats.Thaw() })
		case 7:
			add(at, "the leader is killed", func() { p.leader.Kill() })
			add(back, "a leader takes over", p.takeOver)
		case 8:
			add(at, "the leader is cut off NATS", p.try(func() error { return leads.Cut("nats") }))
			add(back, "the leader has NATS again", p.try(func() error { return leads.Mend("nats") }))
		}
	}
	slices.SortStableFunc(all, func(a, b fault) int { return int(a.at - b.at) })
	return all
}

func (p *play) try(do func() error) func() {
	return func() {
		if err := do(); err != nil {
			p.t.Error(err)
		}
	}
}

func (p *play) restartNATS() {
	if p.nats.Running() { // two of its deaths overlapped
		return
	}
	if err := p.nats.Restart(); err != nil {
		p.t.Fatal(err)
	}
}

// lead starts the first leader.
func (p *play) lead() {
	p.leader = must[*stage.Process](p.t)(p.Bench("fleet", p.hosts[chaosAgents], p.nats, p.flags...))
}

// takeOver starts another one: the same command, which finds the run in its folder and goes on with it.
func (p *play) takeOver() {
	if p.leader.Running() {
		return
	}
	p.leader = must[*stage.Process](p.t)(p.Bench("fleet", p.hosts[chaosAgents], p.nats, p.flags...))
}

// awaitLoad waits for the first measured request, by the truth.
func (p *play) awaitLoad() {
	p.t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		if !p.leader.Running() {
			p.lead() // on a machine that is busy elsewhere it may not reach NATS at once
		}
		if truth, err := stage.ReadTruth(chaosPrefix, p.sim.Truth); err == nil && len(truth) > 0 {
			p.began = time.Now()
			return
		}
	}
	p.t.Fatal("the fleet sent nothing")
}

// end mends all, and waits for a leader to be done.
func (p *play) end() {
	p.t.Helper()
	for _, a := range p.agents {
		a.Thaw()
	}
	p.nats.Thaw()
	p.restartNATS()
	for _, h := range p.hosts {
		p.try(func() error { return errors.Join(h.Mend("load"), h.Mend("nats")) })()
	}
	for range 5 {
		code := p.leader.Wait(3 * time.Minute)
		if p.leader.Running() {
			p.t.Fatalf("the leader does not end")
		}
		if _, err := os.Stat(filepath.Join(p.Run("fleet"), journal.FileName)); err == nil {
			p.t.Logf("the leader's exit code is %d", code)
			return
		}
		p.takeOver() // it was killed, or found no NATS when it was started
	}
	p.t.Fatal(strings.TrimSpace(p.leader.Said()))
}
