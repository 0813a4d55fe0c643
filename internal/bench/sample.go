package bench

import (
	"net/http"
	"time"

	"github.com/inferometer/inferometer/internal/bench/client"
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/send/hardware"
)

// sampleEvery is often enough to see a bad second, and costs nothing.
const sampleEvery = time.Second

// startSampler writes the state of this process and its machine to the journal: when
// the clock has started, once a second, and once at the end.
func (r *Run) startSampler() *client.Sampler {
	write := func() { _ = r.journal.Sample(r.sample()) } // a sample always marshals
	return client.StartSampler(sampleEvery, true, write)
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
	s.WakeNs, s.Wakes, s.Late, s.LateNs = r.wakeups.Take()
	s.Goroutines, s.LiveBytes = client.Goroutines(), client.LiveBytes()
	return s
}

// price is for the journal; nil: nothing was asked for.
func (r *Run) price() *journal.Price {
	if r.PricePerHour == nil && r.Power.IsZero() {
		return nil
	}
	p := &journal.Price{Devices: r.Devices}
	if r.PricePerHour != nil {
		p.PerHour = *r.PricePerHour
	}
	p.Power = r.power.Source()
	return p
}

// startPower begins to measure; nil: nothing was asked for.
func (r *Run) startPower() *hardware.Meter {
	if r.Power.IsZero() {
		return nil
	}
	return r.power.Start(r.Devices, &http.Client{})
}
