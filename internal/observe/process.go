package observe

import (
	"context"
	"time"

	"github.com/inferometer/inferometer/internal/client"
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/prepare"
	"github.com/inferometer/inferometer/internal/send/load"
)

// sampleEvery is often enough to see a bad second, and costs nothing.
const sampleEvery = time.Second

// process writes the state of this process and its machine to the journal: when
// the clock has started, once a second, and once at the end.
type process struct {
	Base
	usage   client.Usage // when the load began
	sampler *client.Sampler
	wakeups *client.Wakeups
}

// NewProcess watches this process. It is part of every run.
func NewProcess(context.Context, *prepare.Ready, *prepare.Host) (Observer, error) {
	return &process{}, nil
}

// Configure implements Configurer.
func (p *process) Configure(cfg *load.Config) {
	cfg.Holds = func(room []load.Hold, from, to int64) []load.Hold { return p.wakeups.Holds(room, from, to) }
}

// Start implements Observer.
func (p *process) Start() error {
	p.usage = client.ProcessUsage()
	p.wakeups = client.StartWakeups(p.Run.Clock.Now)
	p.sampler = client.StartSampler(sampleEvery, true, func() { _ = p.Run.Journal.Sample(p.sample()) }) // a sample always marshals
	return nil
}

// Stop implements Observer.
func (p *process) Stop(_ context.Context, end *journal.End) error {
	p.sampler.Stop()
	p.wakeups.Stop()
	end.Client = client.ProcessUsage().Since(p.usage)
	return nil
}

func (p *process) sample() *journal.Sample {
	u := client.ProcessUsage()
	now := p.Run.Progress.Snapshot()
	s := &journal.Sample{
		At: p.Run.Clock.Now(), CPUNs: u.User + u.System, GCPauseNs: int64(u.GCPause),
		WaitNs: client.ThreadWait(), Files: client.OpenFiles(),
		InFlight: int(now.InFlight), Sent: int(now.Sent), Ended: int(now.Ended()),
	}
	s.BusyNs, s.StealNs = client.Times()
	s.WakeNs, s.Wakes, s.Late, s.LateNs = p.wakeups.Take()
	s.Goroutines, s.LiveBytes = client.Goroutines(), client.LiveBytes()
	return s
}
