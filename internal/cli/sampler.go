package cli

import (
	"time"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/send/load"
)

// sampleEvery is often enough to see a bad second, and costs nothing.
const sampleEvery = time.Second

// sampler writes the state of this process and its machine to the journal, once
// a second and once at the end.
type sampler struct {
	quit, done chan struct{}
}

// startSampler begins when the clock has started.
func (r *serveRun) startSampler(p *load.Progress) *sampler {
	write := func() { _ = r.journal.Sample(r.sample(p)) } // a sample always marshals
	write()
	return startSampler(sampleEvery, write)
}

// startSampler calls write so often, and once at the end.
func startSampler(every time.Duration, write func()) *sampler {
	s := &sampler{make(chan struct{}), make(chan struct{})}
	go func() {
		defer close(s.done)
		tick := time.NewTicker(every)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				write()
			case <-s.quit:
				write()
				return
			}
		}
	}()
	return s
}

func (s *sampler) stop() {
	if s != nil {
		close(s.quit)
		<-s.done
	}
}

func (r *serveRun) sample(p *load.Progress) *journal.Sample {
	u := processUsage()
	now := p.Snapshot()
	s := &journal.Sample{
		At: r.clock.Now(), CPUNs: u.user + u.system, GCPauseNs: int64(u.gcPause),
		WaitNs: threadWait(), Files: openFiles(),
		InFlight: int(now.InFlight), Sent: int(now.Sent), Ended: int(now.Completed + now.Failed),
	}
	s.BusyNs, s.StealNs = machineTimes()
	s.WakeNs = r.wakeups.take()
	return s
}
