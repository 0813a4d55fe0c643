//go:build linux

package fleet

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/inferometer/inferometer/test/fleet/stage"
)

// TestChaos: while a fleet sends, agents, leader and nats-server are killed, stopped and cut off
// at random. Whatever happens, each planned request has one outcome, and it is a true one.
//
//	go test ./test/fleet -run Chaos -seeds 20 -seconds 60 -v
func TestChaos(t *testing.T) {
	for seed := *first; seed < *first+*seeds; seed++ {
		t.Run(strconv.Itoa(seed), func(t *testing.T) {
			t.Parallel()
			chaos(t, uint64(seed))
		})
	}
}

const (
	chaosAgents = 4
	chaosRate   = 40 // requests a second
)

func chaos(t *testing.T, seed uint64) {
	p := newPlay(t, chaosAgents)
	p.open("chaos-", chaosRate, *seconds, "--request-rate", strconv.Itoa(chaosRate), "--seed", strconv.FormatUint(seed, 10), "--fleet-lease", "5s")
	p.lead()
	p.awaitLoad()
	for _, f := range p.faults(rand.New(rand.NewPCG(seed, 0))) {
		p.at(f.at)
		p.note("%s", f.name)
		f.do()
	}
	p.end()
	p.account("in the end", must[*stage.Journal](t)(stage.ReadJournal(p.Run("fleet"))), p.truth())
}

// fault is something that goes wrong, at a time after the load began.
type fault struct {
	at   time.Duration
	name string
	do   func()
}

// faults draws them: some are one act, most are two, the second of which mends the first.
func (p *play) faults(random *rand.Rand) []fault {
	length := time.Duration(*seconds) * time.Second
	var all []fault
	add := func(at time.Duration, name string, do func()) { all = append(all, fault{at, name, do}) }
	between := func(least, most time.Duration) time.Duration {
		return least + time.Duration(random.Int64N(int64(most-least)))
	}
	for range 3 + random.IntN(4) {
		at := between(time.Second, length)
		back := at + between(time.Second/2, length/2)
		i := random.IntN(chaosAgents)
		agent, host := p.agents[i], p.hosts[i]
		leads := p.leads()
		switch random.IntN(9) {
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
			add(back, "a leader takes over", p.lead)
		case 8:
			add(at, "the leader is cut off NATS", p.try(func() error { return leads.Cut("nats") }))
			add(back, "the leader has NATS again", p.try(func() error { return leads.Mend("nats") }))
		}
	}
	slices.SortStableFunc(all, func(a, b fault) int { return int(a.at - b.at) })
	return all
}

// end mends all, and waits for a leader to be done.
func (p *play) end() {
	p.t.Helper()
	p.mendAll()
	for range 5 {
		code := p.awaitLeader()
		if p.merged() {
			p.t.Logf("the leader's exit code is %d", code)
			return
		}
		p.lead() // it was killed, or found no NATS when it was started
	}
	p.t.Fatal(strings.TrimSpace(p.leader.Said()))
}
