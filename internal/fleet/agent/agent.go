// Package agent sends its share of a run that a leader elsewhere asks for. It runs Specs,
// never commands, one at a time, and only against hosts that its own user allows. What a
// Spec names of files and variables comes with the offer: nothing of this machine is read
// for it.
//
// While it sends it needs nobody: it tells how far it is and hands on its journal as that
// grows. Without contact for longer than the lease it sends no more.
package agent

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/inferometer/inferometer/internal/bench"
	"github.com/inferometer/inferometer/internal/client"
	"github.com/inferometer/inferometer/internal/fleet/bus"
	"github.com/inferometer/inferometer/internal/fleet/message"
	"github.com/inferometer/inferometer/internal/journal"
)

// Secrets opens what leaders seal to this agent.
type Secrets interface {
	Public() []byte
	Open(run, agent string, sealed []byte) (map[string]string, error)
}

// Agent is one process that takes part in runs.
type Agent struct {
	Bus     *bus.Bus
	ID      string // see NewID
	Name    string // for people
	Labels  map[string]string
	Weight  int // its capacity beside others'; 0: as the leader thinks
	Allow   Allow
	State   string // inferometer's own of the user's state folder; the agent's is fleet in it
	Version string // of inferometer, with its commit
	Secrets Secrets
	Proven  *journal.Proven
	Once    bool // Run ends after one run
	// Host gives what a run needs of this process. Files, variables and what is told of
	// the run are the agent's business.
	Host func() *bench.Host
	Say  func(format string, args ...any)

	self    message.Hello // without the run
	mu      sync.Mutex
	job     *job // the last one; nil: none yet
	closing bool
	folders []*folder     // of runs that this process answers for
	over    chan struct{} // closed after the first run, where Once
}

// NewID is the id of a process on a host of that name.
func NewID(host string) string {
	safe := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' {
			return r
		}
		return -1
	}, host)
	safe = strings.Trim(safe[:min(len(safe), 40)], "-")
	if safe == "" {
		safe = "agent"
	}
	return safe + "-" + random(4)
}

func random(bytes int) string {
	b := make([]byte, bytes)
	_, _ = rand.Read(b) // never fails
	return hex.EncodeToString(b)
}

// forgetTime is how long an agent that ends after one run waits to be told that its
// journal has arrived.
const forgetTime = 10 * time.Second

// keptTime is the same where NATS does not have all of it, and a leader must come for it.
const keptTime = 5 * time.Minute

// Run takes part in runs until drain is closed, or after one run: then it sends no more,
// and returns when what is in flight has ended and is handed on. The end of ctx cancels
// that too; what could not be handed on is when the agent is started again.
func (a *Agent) Run(ctx context.Context, drain <-chan struct{}) error {
	for _, folder := range []string{a.runs(), a.files()} {
		if err := os.MkdirAll(folder, 0o700); err != nil {
			return fmt.Errorf("make the agent's folder: %w", err)
		}
	}
	a.self, a.over = a.describe(), make(chan struct{})
	ctx, cancel := context.WithCancel(ctx)
	defer a.closeFolders()
	var behind sync.WaitGroup
	defer behind.Wait()
	defer cancel()
	behind.Go(func() { a.deliverLeftovers(ctx) })
	stop, err := a.Bus.Serve(a.ID, a.hello, func(ask *message.Ask, received time.Time) *message.Answer { return a.handle(ctx, ask, received) })
	if err != nil {
		return fmt.Errorf("listen for leaders: %w", err)
	}
	defer stop()
	defer func() {
		if n := a.Bus.Strays(); n > 1 { // the first was told of when it came
			a.Say("%d messages were not for this agent, and were dropped", n)
		}
	}()
	a.Say("the agent %s is ready: it may load %s", a.ID, a.Allow)
	select {
	case <-drain:
	case <-ctx.Done():
	case <-a.over:
	}
	a.mu.Lock()
	a.closing = true
	j := a.job
	a.mu.Unlock()
	if j == nil {
		return nil
	}
	if !isClosed(j.done) {
		j.stop("the agent was stopped", true)
	}
	<-j.done // which the end of ctx brings about as well
	if a.Once {
		j.awaitForget(ctx, drain)
	}
	return nil
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// describe is what the agent tells of itself. It is asked before any run: a run gives Go's
// scheduler spare processors.
func (a *Agent) describe() message.Hello {
	e := client.Environment()
	return message.Hello{
		Protocol: message.Protocol, Version: a.Version, Agent: a.ID, Name: a.Name, Labels: a.Labels, CPUs: e.GoMaxProcs,
		Memory: e.MemoryBytes, FDLimit: e.FDLimit, Weight: a.Weight, Proven: a.Proven, Key: a.Secrets.Public(), Allow: a.Allow.Words(),
	}
}

func (a *Agent) hello() message.Hello {
	h := a.self
	h.Address = a.Bus.Address()
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.job != nil && !isClosed(a.job.done) && !a.job.concluded() {
		h.Run = a.job.run
	}
	return h
}

func (a *Agent) runs() string  { return filepath.Join(a.State, "fleet", "runs") }
func (a *Agent) files() string { return filepath.Join(a.State, "fleet", "files") }
