// Package price says what tokens cost, in money and in energy.
package price

import "github.com/inferometer/inferometer/internal/journal"

// Economy is what tokens cost, in money and in energy. What is not known is nil.
type Economy struct {
	PricePerHour *float64 `json:"price_per_hour"` // of one device
	Devices      int      `json:"devices"`
	// price · devices · hours / tokens · 10⁶, over the run.
	PerMillionOutput *float64 `json:"per_million_output_tokens"`
	PerMillionTokens *float64 `json:"per_million_tokens"` // prompts too
	PerJob           *float64 `json:"per_job,omitempty"`  // of a run of conversations: price · devices · hours / complete ones

	Power *PowerUse `json:"power"` // nil: not asked for
}

// PowerUse is the energy of a run.
type PowerUse struct {
	Source          string   `json:"source"`
	Watts           *float64 `json:"watts"` // of all devices
	JoulesPerOutput *float64 `json:"joules_per_output_token"`
	JoulesPerToken  *float64 `json:"joules_per_token"`
	JoulesPerJob    *float64 `json:"joules_per_job,omitempty"` // only of a run of conversations
	Reason          string   `json:"reason,omitempty"`
}

// Work is what was done for the price.
type Work struct {
	Seconds       float64
	Input, Output int64 // tokens
	Jobs          int   // complete; 0: there were no conversations
}

// Of is nil where the run was given neither a price nor a power. The end is nil where the run has none.
func Of(p *journal.Price, end *journal.End, w Work) *Economy {
	if p == nil {
		return nil
	}
	output, tokens := float64(w.Output), float64(w.Input+w.Output)
	per := func(amount, of float64) *float64 {
		if of <= 0 || w.Seconds <= 0 {
			return nil
		}
		v := amount / of
		return &v
	}
	e := &Economy{Devices: p.Devices}
	if p.PerHour > 0 {
		spent := p.PerHour * float64(p.Devices) * w.Seconds / 3600
		e.PricePerHour = &p.PerHour
		e.PerMillionOutput, e.PerMillionTokens = per(spent*1e6, output), per(spent*1e6, tokens)
		e.PerJob = per(spent, float64(w.Jobs))
	}
	if p.Power != "" {
		e.Power = powerUse(end, p.Power)
		if watts := e.Power.Watts; watts != nil {
			e.Power.JoulesPerOutput, e.Power.JoulesPerToken = per(*watts*w.Seconds, output), per(*watts*w.Seconds, tokens)
			e.Power.JoulesPerJob = per(*watts*w.Seconds, float64(w.Jobs))
		}
	}
	return e
}

func powerUse(end *journal.End, asked string) *PowerUse {
	if end == nil || end.Power == nil {
		return &PowerUse{Source: asked, Reason: "the run did not come to its end"}
	}
	p := end.Power
	if p.Reason != "" {
		return &PowerUse{Source: p.Source, Reason: p.Reason}
	}
	return &PowerUse{Source: p.Source, Watts: &p.Watts}
}
