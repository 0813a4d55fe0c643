package measure

import (
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/hardware"
)

// devices is what hardware told over the measured time; nil: nothing was asked.
func devices(j Journal, r *Result) *hardware.Summary {
	told, ok := j.(interface{ Hardware() []journal.Hardware })
	if !ok {
		return nil
	}
	w := hardware.Work{Seconds: r.Duration, Output: int64(r.OutputTokens), Requests: int64(r.Completed)}
	if f := r.Run.Fleet; f != nil {
		for i := range f.Agents {
			w.Hosts = append(w.Hosts, f.Agents[i].Environment.Host)
		}
	}
	return hardware.Of(told.Hardware(), w)
}
