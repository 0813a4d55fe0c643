package observe

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/inferometer/inferometer/internal/client"
	"github.com/inferometer/inferometer/internal/clock"
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/prepare"
	"github.com/inferometer/inferometer/internal/send/hardware"
	"github.com/inferometer/inferometer/internal/usage"
)

// lastAnswers is how long the end of a run waits for what sources are being asked, and for the
// last time that each is.
const lastAnswers = 2 * time.Second

// devices are the sources of hardware of one run, each with a goroutine of its own: one that
// hangs delays no other, and never the load.
type devices struct {
	Base
	readers  []*hardware.Reader
	absent   string // why nothing is asked, where it was left to us
	samplers []*client.Sampler
	cancel   context.CancelFunc // nil: the load has not begun
	ending   atomic.Bool
}

// NewHardware finds what can be asked, before the load: looking for it takes time.
func NewHardware(ctx context.Context, r *prepare.Ready, _ *prepare.Host) (Observer, error) {
	asked, err := hardware.Parse(r.Values.Devices)
	if err != nil {
		return nil, usage.Errorf("hardware", "%v", err)
	}
	// An exporter that sends us elsewhere is not the one that was named.
	asks := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	d := &devices{}
	d.readers, d.absent = hardware.Open(asked, asks, asked.Auto && hardware.Local(ctx, r.URLs))
	return d, nil
}

// Start asks each source once a second, and when the clock has started.
func (d *devices) Start() error {
	if d.absent != "" {
		_ = d.Run.Journal.Hardware(&journal.Hardware{Source: hardware.Auto, Reason: d.absent}) // it always marshals
	}
	ctx, cancel := context.WithCancel(context.Background())
	d.cancel = cancel
	for _, reader := range d.readers {
		d.samplers = append(d.samplers, client.StartSampler(sampleEvery, true, d.ask(ctx, reader)))
	}
	return nil
}

// ask writes a line for each answer. A source that fails is told of once.
func (d *devices) ask(ctx context.Context, reader *hardware.Reader) func() {
	told, now, to := false, d.Run.Clock.Now, d.Run.Journal
	return func() {
		if ctx.Err() != nil || d.ending.Load() && !reader.Last() {
			return
		}
		at := now()
		list, err := reader.Ask(ctx, clock.Now())
		switch {
		case list != nil:
			// The values are of a moment between the question and the answer.
			_ = to.Hardware(&journal.Hardware{At: (at + now()) / 2, Source: reader.Name, Devices: list})
		case err != nil && !told && !errors.Is(ctx.Err(), context.Canceled):
			told = true
			why := d.Run.Secrets.Sentence(err.Error())
			_ = to.Hardware(&journal.Hardware{At: at, Source: reader.Name, Reason: why})
			d.Run.Say("note: --hardware %s: %s", reader.Name, why)
		}
	}
}

// Stop asks those that answered once more, and waits for no other.
func (d *devices) Stop(context.Context, *journal.End) error {
	if d.cancel == nil {
		return nil
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
	return nil
}
