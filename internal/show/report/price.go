package report

import (
	"fmt"

	"github.com/inferometer/inferometer/internal/judge/measure"
)

// setCost adds what tokens cost, where a price or a power was given; other results
// have no such key.
func setCost(o *object, e *measure.Economy) {
	if e != nil {
		o.Set("cost", e)
	}
}

// economy prints the same.
func (c *console) economy(e *measure.Economy) {
	if e == nil {
		return
	}
	if e.PricePerHour != nil {
		words := "unknown: no tokens"
		if e.PerMillionOutput != nil {
			words = fmt.Sprintf("%.4g per million output tokens, %.4g per million tokens", *e.PerMillionOutput, *e.PerMillionTokens)
		}
		c.row("Cost:", fmt.Sprintf("%s (%d × %g an hour)", words, e.Devices, *e.PricePerHour))
	}
	if p := e.Power; p != nil {
		switch {
		case p.JoulesPerOutput != nil:
			c.row("Energy:", fmt.Sprintf("%.4g J per output token, %.4g J per token (%.4g W, %s)", *p.JoulesPerOutput, *p.JoulesPerToken, *p.Watts, p.Source))
		case p.Watts != nil:
			c.row("Energy:", fmt.Sprintf("unknown: no tokens (%.4g W, %s)", *p.Watts, p.Source))
		default:
			c.row("Energy:", fmt.Sprintf("unknown: %s", p.Reason))
		}
	}
}
