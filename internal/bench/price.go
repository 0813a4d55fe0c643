package bench

import (
	"net/http"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/send/power"
)

// price is for the journal; nil: nothing was asked for.
func (r *Run) price() *journal.Price {
	if r.PricePerHour == nil && r.Power.IsZero() {
		return nil
	}
	p := &journal.Price{Devices: r.Devices}
	if r.PricePerHour != nil {
		p.PerHour = *r.PricePerHour
	}
	switch {
	case r.power.RAPL:
		p.Power = power.SourceRAPL
	case r.power.Prometheus != nil:
		p.Power = power.SourcePrometheus
	case !r.Power.IsZero():
		p.Power = power.SourceNumber
	}
	return p
}

// startPower begins to measure; nil: nothing was asked for.
func (r *Run) startPower() *power.Measurement {
	if r.Power.IsZero() {
		return nil
	}
	return r.power.Start(r.Devices, &http.Client{})
}

// stopPower is what was measured.
func stopPower(m *power.Measurement) *journal.Power {
	if m == nil {
		return nil
	}
	r := m.Stop()
	return &journal.Power{Source: r.Source, Watts: r.Watts, Reason: r.Reason}
}
