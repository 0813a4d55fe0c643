package prepare

import (
	"time"

	"github.com/inferometer/inferometer/internal/judge/rules"
)

// sayRules tells before the load which rules of others the run is going to break, since the load may last an hour.
func (r *Ready) sayRules() {
	j := rules.Before(r.Rules, r.First("", time.Time{}))
	if j == nil || j.Valid {
		return
	}
	r.host.Note("note: by the rules of %s this run will not be valid:", j.Rules)
	for _, f := range j.Findings {
		if f.State != rules.Met {
			r.host.Note("  %s: %s (%s). %s", f.Rule, f.State, f.Figure, f.Text)
		}
	}
}
