//go:build linux

package fleet

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/test/fleet/stage"
)

// play is a fleet in which things go wrong.
type play struct {
	*stage.Stage
	t       *testing.T
	began   time.Time
	server  *stage.Host
	hosts   []*stage.Host // of the agents; the leader's is the last
	nats    *stage.NATS
	sims    []*stage.Sim // the last one is running
	stopped *stage.Sim   // or has ended
	agents  []*stage.Process
	leader  *stage.Process
	held    *stage.Holder

	count   int // agents
	planned int
	prefix  string      // of the requests' ids
	flags   []string    // of the leader
	disk    *stage.Disk // that is filled; nil: none
}

const agentPatience = time.Minute

// simFlags: answers of some 0.7 s, so that requests are in flight whenever something happens.
var simFlags = []string{"--ttft", "exp:200ms", "--itl", "uniform:5ms-45ms"}

// newPlay makes the networks.
func newPlay(t *testing.T, agents int) *play {
	p := &play{Stage: newStage(t), t: t, count: agents}
	all := hosts(t, p.Stage, agents+2)
	p.server, p.hosts = all[0], all[1:]
	return p
}

// open starts the server, NATS and the agents.
func (p *play) open(prefix string, rate, seconds int, more ...string) {
	t := p.t
	p.prefix, p.planned = prefix, rate*seconds
	p.sims = append(p.sims, must[*stage.Sim](t)(p.StartSim("sim", p.server, p.server.Load, simFlags...)))
	if p.nats == nil {
		p.nats = must[*stage.NATS](t)(p.StartNATS(p.server))
	}
	p.held = p.Hold()
	p.agents = must[[]*stage.Process](t)(p.StartAgents(p.count, p.hosts, p.nats, "--allow", p.server.Load))
	for _, a := range p.agents {
		if err := a.Await("is ready", agentPatience); err != nil {
			t.Fatal(err)
		}
	}
	p.flags = append([]string{
		"--base-url", p.sims[0].URL, "--model", "sim", "--skip-tokenizer-init", "--dataset-name", "random", "--random-input-len", "16", "--random-output-len", "20",
		"--num-prompts", strconv.Itoa(p.planned), "--request-id-prefix", prefix, "--request-timeout", "20", "--fleet-agents", strconv.Itoa(p.count),
	}, more...)
}

func (p *play) leads() *stage.Host { return p.hosts[p.count] }

// try is an act whose error is the test's.
func (p *play) try(do func() error) func() {
	return func() {
		if err := do(); err != nil {
			p.t.Error(err)
		}
	}
}

// at waits for a moment of the load.
func (p *play) at(after time.Duration) {
	time.Sleep(time.Until(p.began.Add(after)))
}

func (p *play) note(format string, args ...any) {
	p.t.Helper()
	p.t.Logf("%5.1f s: "+format, append([]any{time.Since(p.began).Seconds()}, args...)...)
}

func (p *play) restartNATS() {
	if p.nats.Running() { // two of its deaths overlapped
		return
	}
	if err := p.nats.Restart(); err != nil {
		p.t.Fatal(err)
	}
}

// lead starts a leader. A later one takes over: it is the same command, which finds the run in
// its folder and goes on with it.
func (p *play) lead() {
	if p.leader == nil || !p.leader.Running() {
		p.leader = must[*stage.Process](p.t)(p.Bench("fleet", p.leads(), p.nats, p.flags...))
	}
}

// restartAgent starts an agent again with the folder that it had.
func (p *play) restartAgent(i int) {
	if p.agents[i].Running() {
		return
	}
	name := p.agents[i].Name
	p.agents[i] = must[*stage.Process](p.t)(p.StartAgent(name, p.hosts[i], p.nats, "--allow", p.server.Load))
	p.try(func() error { return p.agents[i].Await("is ready", agentPatience) })()
}

// awaitLoad waits until an agent may send: it writes that down just before the first instant.
func (p *play) awaitLoad() {
	p.t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if !p.leader.Running() {
			p.lead() // on a machine that is busy elsewhere it may not reach NATS at once
		}
		for _, a := range p.agents {
			for _, s := range p.Told(a.Name) {
				if s.Reserved > 0 {
					p.began = time.Now()
					return
				}
			}
		}
	}
	p.t.Fatal("the fleet sent nothing")
}

// mendAll takes back what is still wrong with networks and processes.
func (p *play) mendAll() {
	for _, a := range p.agents {
		a.Thaw()
	}
	p.leader.Thaw()
	p.nats.Thaw()
	p.restartNATS()
	for _, h := range p.hosts {
		p.try(func() error { return errors.Join(h.Mend("load"), h.Mend("nats")) })()
	}
}

// merged says whether the leader has made the run's journal.
func (p *play) merged() bool {
	_, err := os.Stat(filepath.Join(p.Run("fleet"), journal.FileName))
	return err == nil
}

// awaitLeader waits for the end of a leader.
func (p *play) awaitLeader() (code int) {
	p.t.Helper()
	code = p.leader.Wait(3 * time.Minute)
	if p.leader.Running() {
		p.t.Fatalf("the leader does not end:\n%s", p.leader.Said())
	}
	return code
}

// stopServer ends the server under test, if it has not ended.
func (p *play) stopServer() {
	if last := p.sims[len(p.sims)-1]; last != p.stopped {
		p.stopped = last
		p.try(last.Stop)()
	}
}

// truth ends the server and gives what all its lives saw.
func (p *play) truth() stage.Truth {
	p.t.Helper()
	p.stopServer()
	var paths []string
	for _, s := range p.sims {
		paths = append(paths, s.Truth)
	}
	return must[stage.Truth](p.t)(stage.ReadTruth(p.prefix, paths...))
}

// lacking are the agents whose journal is not whole in the leader's folder.
func (p *play) lacking() (all []*stage.Held) {
	for _, j := range p.held.All() {
		own, err := j.Sum()
		if err != nil {
			p.t.Error(err)
		}
		leaders, _ := journal.Digest(filepath.Join(p.Run("fleet"), "agents", j.ID, journal.FileName)) // none: it has nothing
		if own != leaders {
			all = append(all, j)
		}
	}
	return all
}

var attachWords = regexp.MustCompile(`inferometer fleet attach (run-[0-9a-f]+)`)

// named holds the leader to its word on journals that it does not have: each is still where its
// agent wrote it, and what was printed names the agent and what to do. It gives the run.
func (p *play) named(lacking []*stage.Held) (run string) {
	p.t.Helper()
	said := p.leader.Said()
	for _, j := range lacking {
		if !j.Kept() {
			p.t.Errorf("the journal of %s is not whole at the leader's, and is removed at the agent's", j.Name)
		}
		if !strings.Contains(said, j.Name) && !strings.Contains(said, j.ID) {
			p.t.Errorf("the leader does not say that the journal of %s is missing", j.Name)
		}
	}
	found := attachWords.FindStringSubmatch(said)
	if found == nil {
		p.t.Errorf("the leader lacks the journals of %d agents, and does not name inferometer fleet attach", len(lacking))
		return lacking[0].Run
	}
	return found[1]
}

// attach takes the run over after all is mended, as the leader said.
func (p *play) attach(run string) {
	p.t.Helper()
	for i := range p.agents {
		p.restartAgent(i)
	}
	for _, j := range p.lacking() {
		p.awaitHandedOn(j)
	}
	p.leader = must[*stage.Process](p.t)(p.Attach("attach", p.leads(), p.nats, run))
	code := p.awaitLeader()
	p.note("fleet attach ends with %d", code)
	if len(p.lacking()) > 0 {
		p.t.Errorf("after inferometer fleet attach the leader still lacks %d journals:\n%s", len(p.lacking()), p.leader.Said())
	}
}

// awaitHandedOn waits until an agent that was started again has handed on what it found. An agent
// that lives does so by itself.
func (p *play) awaitHandedOn(j *stage.Held) {
	for _, a := range p.agents {
		if a.Name == j.Name && strings.Count(a.Said(), "is ready") > 1 {
			for deadline := time.Now().Add(agentPatience); time.Now().Before(deadline) && !strings.Contains(a.Said(), "handed on"); {
				time.Sleep(20 * time.Millisecond) // another process tells nothing else
			}
		}
	}
}

// account holds a journal against the truth.
func (p *play) account(when string, j *stage.Journal, truth stage.Truth) stage.Tally {
	p.t.Helper()
	tally, wrong := j.Account(p.planned, truth)
	p.t.Logf("%s: %v; the server saw %d of %d", when, tally, len(truth), p.planned)
	for _, err := range wrong {
		p.t.Errorf("%s: %v", when, err)
	}
	return tally
}

// wholeOf finds each record that an agent wrote in the run's journal.
func (p *play) wholeOf(j *stage.Journal) {
	p.t.Helper()
	for _, held := range p.held.All() {
		records := must[map[int]bool](p.t)(held.Records(p.t.TempDir()))
		missing := 0
		for i := range records {
			for _, q := range j.Requests[i] {
				if q.Outcome == stage.Lost || q.Outcome == stage.Unsent {
					missing++
				}
			}
		}
		if missing > 0 {
			p.t.Errorf("%s has records of %d requests that the result calls lost or unsent", held.Name, missing)
		}
	}
}
