package verdict

import (
	"fmt"

	"github.com/inferometer/inferometer/internal/judge/hardware"
)

// throttled looks for a GPU that worked and was slowed down for heat, or by its machine's power
// supply. A GPU at its own power limit is none: that is how they run under load, and the limit
// is the same tomorrow. Processors are none either: their counters tell of moments, not of time.
type throttled struct{}

func (*throttled) add(*view) {}

// leastReadings are needed for a share of time to say anything.
const leastReadings = 5

func (*throttled) result(f *facts, l limits) Check {
	const untold = "no GPU told why it ran slower than it could"
	if f.hardware == nil {
		return skip(untold)
	}
	looked := false
	worst, words := 0.0, ""
	for i := range f.hardware.Devices {
		d := &f.hardware.Devices[i]
		if d.Kind != hardware.GPU || d.Idle() || d.Same != "" || d.Samples < leastReadings || !d.TellsThrottling() {
			continue
		}
		looked = true
		for _, why := range []string{"thermal", "power_brake"} {
			if share := d.ThrottledBy(why); share > worst {
				worst, words = share, fmt.Sprintf("%s %s was slowed down for %s in %.0f %% of the measured time", d.Source, d.ID, reasonWords[why], 100*share)
			}
		}
	}
	switch {
	case !looked:
		return skip(untold)
	case worst == 0:
		return Check{Level: OK, Figure: "0 %", Sentence: "no GPU that worked was slowed down for heat or by its machine's power supply"}
	}
	k := Check{Level: l.grade(worst), Figure: fmt.Sprintf("%.0f %%", 100*worst), Sentence: words}
	if k.Level.Bad() {
		k.Effect = "the numbers are those of a machine that was too hot: another day, or a longer run, has others"
	}
	return k
}

var reasonWords = map[string]string{"thermal": "heat", "power_brake": "its machine's power supply"}
