package verdict

import "fmt"

// paused looks for a run whose pace a user has stopped for a while. The pace went on where
// it was, but the server had time to empty its queue, and what is counted per second is
// counted over the pauses too.
type paused struct{}

func (paused) add(*view) {}

func (paused) result(f *facts, l limits) Check {
	if f.end == nil {
		return skip("the journal has no last line, so nobody says whether the pace was stopped")
	}
	still := int64(0)
	for _, p := range f.end.Pauses {
		still += p.To - p.From
	}
	seconds := float64(still) / 1e9
	figure := fmt.Sprintf("%.3g s", seconds)
	if len(f.end.Pauses) == 0 {
		return found(l, 0, figure, "the pace was never stopped")
	}
	k := found(l, seconds, figure, "the pace was stopped %s by a user, for %.3g s of the run's %.3g s", times(len(f.end.Pauses)), seconds, float64(f.end.At)/1e9)
	k.Effect = fmt.Sprintf("throughput and rates are over the whole time, up to %s too low; the first requests after a pause met an idle server", percent(ratio(float64(still), float64(max(f.end.At, still)))))
	return k
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}
