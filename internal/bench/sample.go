package bench

import (
	"time"

	"github.com/inferometer/inferometer/internal/bench/client"
	"github.com/inferometer/inferometer/internal/journal"
)

// sampleEvery is often enough to see a bad second, and costs nothing.
const sampleEvery = time.Second

// startSampler writes the state of this process and its machine to the journal: when
// the clock has started, once a second, and once at the end.
func (r *Run) startSampler() *client.Sampler {
	write := func() { _ = r.journal.Sample(r.sample()) } // a sample always marshals
	write()
	return client.StartSampler(sampleEvery, write)
}

func (r *Run) sample() *journal.Sample {
	u := client.ProcessUsage()
	now := r.progress.Snapshot()
	s := &journal.Sample{
		At: r.clock.Now(), CPUNs: u.User + u.System, GCPauseNs: int64(u.GCPause),
		WaitNs: client.ThreadWait(), Files: client.OpenFiles(),
		InFlight: int(now.InFlight), Sent: int(now.Sent), Ended: int(now.Completed + now.Failed),
	}
	s.BusyNs, s.StealNs = client.Times()
	s.WakeNs = r.wakeups.Take()
	return s
}
