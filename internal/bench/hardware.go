package bench

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/inferometer/inferometer/internal/bench/client"
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/send/hardware"
	"github.com/inferometer/inferometer/internal/usage"
)

// lastAnswers is how long the end of a run waits for what sources are being asked, and for the
// last time that each is.
const lastAnswers = 2 * time.Second

// devices are the sources of hardware of one run, each with a goroutine of its own: one that
// hangs delays no other, and never the load.
type devices struct {
	readers  []*hardware.Reader
	samplers []*client.Sampler
	cancel   context.CancelFunc
	ending   atomic.Bool
}

// openHardware finds what can be asked, before the load: looking for it takes time.
func (r *Run) openHardware(ctx context.Context) error {
	asked, err := hardware.Parse(r.wire.Devices)
	if err != nil {
		return usage.Errorf("hardware", "%v", err)
	}
	// An exporter that sends us elsewhere is not the one that was named.
	asks := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	r.devices = &devices{}
	r.devices.readers, r.noDevices = hardware.Open(asked, asks, asked.Auto && hardware.Local(ctx, r.URLs))
	return nil
}

// startHardware asks each source once a second, and when the clock has started.
func (r *Run) startHardware() {
	if r.noDevices != "" {
		_ = r.journal.Hardware(&journal.Hardware{Source: hardware.Auto, Reason: r.noDevices}) // it always marshals
	}
	ctx, cancel := context.WithCancel(context.Background())
	r.devices.cancel = cancel
	for _, reader := range r.devices.readers {
		r.devices.samplers = append(r.devices.samplers, client.StartSampler(sampleEvery, true, r.askHardware(ctx, reader)))
	}
}

// askHardware writes a line for each answer. A source that fails is told of once.
func (r *Run) askHardware(ctx context.Context, reader *hardware.Reader) func() {
	told := false
	return func() {
		if ctx.Err() != nil || r.devices.ending.Load() && !reader.Last() {
			return
		}
		at := r.clock.Now()
		list, err := reader.Ask(ctx, time.Now())
		switch {
		case list != nil:
			// The values are of a moment between the question and the answer.
			_ = r.journal.Hardware(&journal.Hardware{At: (at + r.clock.Now()) / 2, Source: reader.Name, Devices: list})
		case err != nil && !told && !errors.Is(ctx.Err(), context.Canceled):
			told = true
			why := r.wire.Secrets.Sentence(err.Error())
			_ = r.journal.Hardware(&journal.Hardware{At: at, Source: reader.Name, Reason: why})
			r.say("note: --hardware %s: %s", reader.Name, why)
		}
	}
}

// stop asks those that answered once more, and waits for no other.
func (d *devices) stop() {
	if d == nil || d.cancel == nil {
		return
	}
	defer d.cancel()
	d.ending.Store(true)
	late := time.AfterFunc(lastAnswers, d.cancel)
	defer late.Stop()
	var all sync.WaitGroup
	for _, s := range d.samplers {
		all.Go(s.Stop)
	}
	all.Wait()
	d.samplers = nil
}
