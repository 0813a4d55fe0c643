//go:build linux

package fleet

import (
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/test/fleet/stage"
)

// The runs of the table: three agents send 30 requests a second for 8 seconds.
const (
	faultAgents  = 3
	faultRate    = 30
	faultSeconds = 8

	faultLease  = 4 * time.Second
	shorter     = 2 * time.Second // than the lease
	longer      = 6 * time.Second
	middle      = 3 * time.Second // of the load
	endOfLoad   = faultSeconds * time.Second
	smallDisk   = 8 << 20
	smallStore  = "24KB"
	usualStore  = "max_file_store: 50GB"
	theSmallOne = "max_file_store: " + smallStore
)

// faultRun is one of the table. What is looked at afterwards is the same for all: see judge.
type faultRun struct {
	name string
	// few: it is one of those that run where not all are asked for.
	few bool
	// before is done before anything is started; during once the load has begun; after once the
	// first leader has ended, and mends what is left.
	before, during, after func(*play)
	// early is done in place of waiting for the load: nothing is sent.
	early func(*play)
	// says are expressions that the leader's lines must hold: the cause.
	says []string
	// not are such that they must not hold: another cause.
	not []string
	// killed are agents that died while their leader and NATS were there: what is lost with each is
	// bounded by its rate.
	killed int
	flags  []string // in place of a constant rate

	lease   time.Duration // 0: faultLease
	seconds int           // 0: faultSeconds
}

var faultRuns = []faultRun{
	// Disks and stores that fill.
	{name: "leader's disk full for some seconds", few: true, before: leaderDisk, says: []string{"no space"}, during: func(p *play) {
		p.at(middle)
		p.fill()
		p.at(middle + 3*time.Second)
		p.free()
	}},
	{name: "leader's disk full for good", few: true, before: leaderDisk, says: []string{"no space"}, during: func(p *play) {
		p.at(middle)
		p.fill()
	}, after: (*play).free},
	{name: "JetStream's store full", before: smallJetStream, says: []string{`(?i)store|storage|insufficient|maximum`}, after: func(p *play) {
		p.nats.Kill()
		p.try(func() error { return p.nats.Configure(theSmallOne, usualStore) })()
		p.restartNATS()
	}},
	{name: "an agent's disk full", before: agentDisk, says: []string{"no space"}, during: func(p *play) {
		p.at(middle)
		p.fill()
	}, after: (*play).free},

	// A broker that goes away.
	{name: "NATS killed and back", few: true, during: func(p *play) {
		p.at(middle)
		p.nats.Kill()
		p.at(middle + shorter)
		p.restartNATS()
	}},
	{name: "NATS killed and back with an empty store", few: true, says: []string{`(?i)empty|anew|again`}, during: func(p *play) {
		p.at(middle)
		p.nats.Kill()
		p.try(p.nats.Empty)()
		p.at(middle + shorter)
		p.restartNATS()
	}},
	{name: "NATS stopped, shorter than the lease", during: func(p *play) {
		p.at(middle)
		p.nats.Freeze()
		p.at(middle + shorter)
		p.nats.Thaw()
	}},
	{name: "NATS stopped, longer than the lease", says: []string{"lease of 4s"}, not: []string{"signal"}, during: func(p *play) {
		p.at(time.Second)
		p.nats.Freeze()
		p.at(time.Second + longer)
		p.nats.Thaw()
	}},
	{name: "one agent cut off NATS, shorter than the lease", during: func(p *play) {
		p.at(middle)
		p.cut("nats", 0)
		p.at(middle + shorter)
		p.mend("nats", 0)
	}},
	{name: "one agent cut off NATS until the leader has ended", says: []string{"agent1"}, during: func(p *play) {
		p.at(middle)
		p.cut("nats", 0)
	}, after: (*play).mendAll},
	{name: "all agents cut off NATS until the leader has ended", during: func(p *play) {
		p.at(middle)
		p.cut("nats", 0, 1, 2)
	}, after: (*play).mendAll},
	{name: "the leader cut off NATS, shorter than the lease", during: func(p *play) {
		p.at(middle)
		p.cut("nats", faultAgents)
		p.at(middle + shorter)
		p.mend("nats", faultAgents)
	}},
	{name: "the leader cut off NATS, longer than the lease", during: func(p *play) {
		p.at(time.Second)
		p.cut("nats", faultAgents)
		p.at(time.Second + 2*longer)
		p.mend("nats", faultAgents)
	}},

	// Agents.
	{name: "an agent killed before the start", says: []string{"nothing was sent"}, early: func(p *play) {
		p.try(func() error { return p.agents[0].Await("accepted the run", agentPatience) })()
		p.agents[0].Kill()
	}},
	{name: "an agent killed in the ramp", killed: 1, flags: []string{"--ramp-up-strategy", "linear", "--ramp-up-start-rps", "5", "--ramp-up-end-rps", "60"}, during: func(p *play) {
		p.at(middle)
		p.agents[0].Kill()
	}},
	{name: "an agent killed in the middle", few: true, killed: 1, during: func(p *play) {
		p.at(middle)
		p.agents[0].Kill()
	}},
	{name: "an agent killed at the end", killed: 1, during: func(p *play) {
		p.at(endOfLoad)
		p.agents[0].Kill()
	}},
	{name: "an agent killed while it hands on its journal", during: func(p *play) {
		p.at(endOfLoad - shorter)
		p.cut("nats", 0)
		p.at(endOfLoad + shorter)
		p.agents[0].Kill()
		p.mend("nats", 0)
	}},
	{name: "two agents of a closed loop killed", killed: 2, flags: []string{"--max-concurrency", "21"}, during: func(p *play) {
		p.at(middle)
		p.agents[0].Kill()
		p.at(middle + shorter)
		p.agents[1].Kill()
	}},
	{name: "all agents killed", killed: 3, during: func(p *play) {
		p.at(middle)
		for _, a := range p.agents {
			a.Kill()
		}
	}},
	{name: "an agent stopped, shorter than the lease", during: func(p *play) {
		p.at(middle)
		p.agents[0].Freeze()
		p.at(middle + shorter)
		p.agents[0].Thaw()
	}},
	{name: "an agent stopped, longer than the lease", says: []string{"lease of 4s"}, during: func(p *play) {
		p.at(time.Second)
		p.agents[0].Freeze()
		p.at(time.Second + longer)
		p.agents[0].Thaw()
	}},
	{name: "an agent killed and started again", few: true, during: func(p *play) {
		p.at(middle)
		p.agents[0].Kill()
		p.restartAgent(0)
	}},

	// Leaders.
	{name: "the leader killed early", during: func(p *play) {
		p.at(500 * time.Millisecond)
		p.leader.Kill()
		p.lead()
	}},
	{name: "the leader killed in the middle", few: true, during: func(p *play) {
		p.at(middle)
		p.leader.Kill()
		p.lead()
	}},
	{name: "the leader killed while it merges", during: func(p *play) {
		path := filepath.Join(p.Run("fleet"), journal.FileName)
		for p.leader.Running() {
			if _, err := os.Stat(path); err == nil {
				break
			}
			time.Sleep(time.Millisecond) // a file tells nobody that it is there
		}
		p.leader.Kill()
		p.note("the leader is killed")
		if !p.over() {
			p.lead()
		}
	}},
	{name: "the leader stopped, longer than the lease", during: func(p *play) {
		p.at(time.Second)
		p.leader.Freeze()
		p.at(time.Second + 2*longer)
		p.leader.Thaw()
	}},
	{name: "the leader and an agent killed", during: func(p *play) {
		p.at(middle)
		p.leader.Kill()
		p.agents[0].Kill()
		p.lead()
	}},
	{name: "the leader and NATS killed", during: func(p *play) {
		p.at(middle)
		p.leader.Kill()
		p.nats.Kill()
		p.at(middle + shorter)
		p.restartNATS()
		p.lead()
	}},

	// The server under test.
	{name: "the server ends", during: func(p *play) {
		p.at(middle)
		p.stopServer()
	}},
	{name: "the server ends and is back", during: func(p *play) {
		p.at(middle)
		p.stopServer()
		p.at(middle + shorter)
		p.sims = append(p.sims, must[*stage.Sim](p.t)(p.StartSimAt("sim2", p.server, p.sims[0].Addr(), simFlags...)))
	}},
	{name: "one agent cut off the server", during: func(p *play) {
		p.at(middle)
		p.cut("load", 0)
		p.at(middle + shorter)
		p.mend("load", 0)
	}},
}

// leaderDisk gives the run's folder a disk of its own.
func leaderDisk(p *play) {
	p.disk = must[*stage.Disk](p.t)(p.Disk(filepath.Dir(p.Run("fleet")), smallDisk))
}

// agentDisk gives one to the first agent's state.
func agentDisk(p *play) {
	p.disk = must[*stage.Disk](p.t)(p.Disk(filepath.Join(p.Dir, "state", "agent1"), smallDisk))
}

// smallJetStream lets JetStream keep less than the journals need.
func smallJetStream(p *play) {
	p.nats = must[*stage.NATS](p.t)(p.PrepareNATS(p.server))
	p.try(func() error { return p.nats.Configure(usualStore, theSmallOne) })()
	p.try(p.nats.Restart)()
}

func (p *play) fill() {
	p.note("the disk is full")
	p.try(p.disk.Fill)()
}

func (p *play) free() {
	p.note("the disk has space again")
	p.try(p.disk.Free)()
}

func (p *play) cut(side string, hosts ...int) {
	for _, i := range hosts {
		p.note("host %d is cut off (%s)", i+1, side)
		p.try(func() error { return p.hosts[i].Cut(side) })()
	}
}

func (p *play) mend(side string, hosts ...int) {
	var all error
	for _, i := range hosts {
		all = errors.Join(all, p.hosts[i].Mend(side))
	}
	p.try(func() error { return all })()
}
