package doctor

import "slices"

const (
	// fewestEvents are needed to tell bursts from chance.
	fewestEvents = 8
	// closeBy: a gap below this part of the mean gap is one inside a burst. Of
	// exponentially distributed gaps 22 % are, which makes 1.3 events per burst.
	closeBy = 0.25
	// togetherNs: a gap below it is one inside a burst in any case. No model makes
	// 10,000 tokens per second in one stream, but a proxy that releases held events does.
	togetherNs = 100_000
	// someBursts and muchBursts are mean numbers of events per burst.
	someBursts, muchBursts = 2, 4
	// quickNs: a stream that was over so soon may come from a server that is that quick.
	quickNs = 20_000_000
)

// burstiness is the mean number of events that arrive together: 1 is one by one.
// Events in one read have one time, and gaps are compared with the mean gap, so
// that a quick server is not taken for one that sends in bursts.
func burstiness(times []int64) float64 {
	n := len(times)
	if n < 2 {
		return 1
	}
	slices.Sort(times) // stamps of two reads may come out of order by a clock's step
	mean := float64(times[n-1]-times[0]) / float64(n-1)
	bursts := 1
	for i := 1; i < n; i++ {
		if gap := float64(times[i] - times[i-1]); gap >= max(togetherNs, closeBy*mean) {
			bursts++
		}
	}
	return float64(n) / float64(bursts)
}
