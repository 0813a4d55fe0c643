package find

import (
	"fmt"
	"time"

	"github.com/inferometer/inferometer/internal/plan/search"
)

// earlierProbes are those that a search took over from an earlier run.
type earlierProbes struct {
	Probes int       `json:"probes"`
	From   time.Time `json:"from,omitzero"`
	To     time.Time `json:"to,omitzero"`
}

// earlierOf is nil where there are none.
func earlierOf(seen []search.Observation) *earlierProbes {
	if len(seen) == 0 {
		return nil
	}
	e := &earlierProbes{Probes: len(seen)}
	for i := range seen {
		at := seen[i].At
		if e.From.IsZero() || at.Before(e.From) {
			e.From = at
		}
		if at.After(e.To) {
			e.To = at
		}
	}
	return e
}

// when is the time of the probes in words.
func (e *earlierProbes) when() string {
	const form = "2006-01-02 15:04"
	from, to := e.From.Local().Format(form), e.To.Local().Format(form)
	switch {
	case e.From.IsZero():
		return "of a time that was not written down"
	case from == to:
		return "of " + from
	}
	return fmt.Sprintf("of %s to %s", from, to)
}

// sentence says how much of an answer is not new.
func (e *earlierProbes) sentence(all int) string {
	which := fmt.Sprintf("%d of the %d probes are", e.Probes, all)
	if e.Probes == all {
		which = "Nothing was measured now: all probes are"
	}
	return fmt.Sprintf("%s those of an earlier run, %s; --fresh measures again.", which, e.when())
}
