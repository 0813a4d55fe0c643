package report

import "github.com/inferometer/inferometer/internal/judge/measure"

// setGaveUp says why a probe of find was left before its time; other runs have no
// such key.
func setGaveUp(o *object, r *measure.Result) {
	if why := r.GaveUp(); why != "" {
		o.Set("gave_up", why)
	}
}
