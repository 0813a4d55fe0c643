package observe

import (
	"context"
	"net/http"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/prepare"
	"github.com/inferometer/inferometer/internal/send/hardware"
	"github.com/inferometer/inferometer/internal/usage"
)

// watts measures the power that servers draw.
type watts struct {
	Base
	source  hardware.Power
	devices int
	meter   *hardware.Meter // nil: the load has not begun
}

// NewPower measures power, if --power asks for it.
func NewPower(_ context.Context, r *prepare.Ready, _ *prepare.Host) (Observer, error) {
	if r.Power.IsZero() {
		return nil, nil
	}
	source, err := hardware.ParsePower(r.Values.Power)
	if err != nil {
		return nil, usage.Errorf("power", "%v", err)
	}
	return &watts{source: source, devices: r.Priced()}, nil
}

// Start implements Observer.
func (w *watts) Start() error {
	w.meter = w.source.Start(w.devices, &http.Client{})
	return nil
}

// Stop implements Observer.
func (w *watts) Stop(_ context.Context, end *journal.End) error {
	end.Power = w.meter.Stop()
	return nil
}
