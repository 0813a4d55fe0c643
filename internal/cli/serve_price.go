package cli

import (
	"net/http"
	"strconv"

	"github.com/inferometer/inferometer/internal/cli/argv"
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/send/power"
)

// priceOptions are what the servers cost.
type priceOptions struct {
	PricePerHour *float64
	Devices      int
	Power        string // as typed
	power        power.Spec
}

func definePrice(set *argv.Set, o *priceOptions, g argv.Option) {
	set.OptFloat(&o.PricePerHour, "price-per-hour", "What one device costs an hour, in any currency: gives the cost of a million tokens.", g, argv.WholeName(), argv.Metavar("PRICE"))
	set.Int(&o.Devices, "devices", 1, "How many devices the server runs on, for --price-per-hour and --power.", g, argv.WholeName())
	set.String(&o.Power, "power", "", "Watts of one device, or rapl for this machine's processors, or prometheus:URL?query=…: gives joules per token.", g,
		argv.WholeName(), argv.Metavar("WATTS"), argv.Redact(redactPower))
}

func (o *priceOptions) checkPrice(*argv.Set) error {
	if o.PricePerHour != nil && !(*o.PricePerHour > 0) {
		return argv.Errorf("price-per-hour", "must be above 0, not %g", *o.PricePerHour)
	}
	if o.Devices < 1 {
		return argv.Errorf("devices", "must be at least 1, not %d", o.Devices)
	}
	if o.Power == "" {
		return nil
	}
	var err error
	if o.power, err = power.Parse(o.Power); err != nil {
		return argv.Errorf("power", "%v", err)
	}
	return nil
}

// redactPower hides a login in Prometheus' address.
func redactPower(text string) string {
	if _, err := strconv.ParseFloat(text, 64); err == nil || text == power.SourceRAPL {
		return text
	}
	return power.SourcePrometheus + ":***"
}

// price is for the journal; nil: nothing was asked for.
func (o *priceOptions) price() *journal.Price {
	if o.PricePerHour == nil && o.Power == "" {
		return nil
	}
	p := &journal.Price{Devices: o.Devices}
	if o.PricePerHour != nil {
		p.PerHour = *o.PricePerHour
	}
	switch {
	case o.power.RAPL:
		p.Power = power.SourceRAPL
	case o.power.Prometheus != nil:
		p.Power = power.SourcePrometheus
	case o.Power != "":
		p.Power = power.SourceNumber
	}
	return p
}

// startPower begins to measure; nil: nothing was asked for.
func (o *priceOptions) startPower() *power.Measurement {
	if o.Power == "" {
		return nil
	}
	return o.power.Start(o.Devices, &http.Client{})
}

// stopPower is what was measured.
func stopPower(m *power.Measurement) *journal.Power {
	if m == nil {
		return nil
	}
	r := m.Stop()
	return &journal.Power{Source: r.Source, Watts: r.Watts, Reason: r.Reason}
}
