package report

import (
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/measure"
)

// setGaveUp says why a probe of find was left before its time; other runs have no
// such key.
func setGaveUp(o *object, r *measure.Result) {
	if why := gaveUp(r); why != "" {
		o.set("gave_up", why)
	}
}

func gaveUp(r *measure.Result) string {
	if r.End == nil || r.End.Stopped == journal.UntilReached || r.End.Stopped == journal.BoundReached {
		return ""
	}
	return r.End.Stopped
}
