package section

import (
	"fmt"

	"github.com/inferometer/inferometer/internal/show/number"
	"github.com/inferometer/inferometer/internal/show/table"
)

func init() { Add(atCost, cost) }

// cost is what tokens cost, where a price or a power was given.
func cost(run *Run) *Section {
	e := run.Result.Economy
	if e == nil {
		return nil
	}
	t, text := &table.Table{}, number.Digits
	if e.PricePerHour != nil {
		words := "unknown: no tokens"
		if e.PerMillionOutput != nil {
			words = fmt.Sprintf("%s per million output tokens, %s per million tokens", text(*e.PerMillionOutput), text(*e.PerMillionTokens))
		}
		if e.PerJob != nil {
			words = fmt.Sprintf("%s per job, %s", text(*e.PerJob), words)
		}
		t.Fact("Cost", fmt.Sprintf("%s (%d × %s an hour)", words, e.Devices, number.Exact(*e.PricePerHour)))
	}
	if p := e.Power; p != nil {
		switch {
		case p.JoulesPerOutput != nil:
			words := fmt.Sprintf("%s J per output token, %s J per token (%s W, %s)", text(*p.JoulesPerOutput), text(*p.JoulesPerToken), text(*p.Watts), p.Source)
			if p.JoulesPerJob != nil {
				words = fmt.Sprintf("%s J per job, %s", text(*p.JoulesPerJob), words)
			}
			t.Fact("Energy", words)
		case p.Watts != nil:
			t.Fact("Energy", fmt.Sprintf("unknown: no tokens (%s W, %s)", text(*p.Watts), p.Source))
		default:
			t.Fact("Energy", "unknown: "+p.Reason)
		}
	}
	return &Section{ID: "cost", Title: "Cost", Tables: []*table.Table{t}}
}
