package verdict

import (
	"fmt"
	"math"
	"slices"
)

// rampDrain is the time at the start and the end of a closed loop in which fewer
// requests were open than asked for. While a loop drains its throughput falls about
// evenly, so throughput over the whole run is too low by about half that share.
func rampDrain(f *facts, l limits) Check {
	limit := f.run.Options.MaxConcurrency
	switch {
	case !f.closed() || limit < 1:
		return skip("not a closed loop: no concurrency was asked for")
	case f.run.Options.Batch > 0:
		return skip("batches are waited for as a whole, so that each begins and ends below the concurrency")
	case f.conversing() && (f.thinks || f.run.Options.MaxConversations > 0):
		return skip("a user who is thinking has nothing in flight, so conversations do not fill the concurrency of %d", limit)
	case f.measured == 0 || f.span() <= 0:
		return skip("no request was sent")
	}
	// A run of few requests per slot is mostly start and end by its plan, not by a fault.
	const perSlot = 10
	if f.measured < int64(limit)*perSlot {
		l.invalid = never
	}
	from, to, ended, ok := f.open.reached(int64(math.Ceil(0.95 * float64(limit))))
	if !ok && f.measured < int64(limit) {
		return found(l, 1, "100 %", "%s can't fill a concurrency of %d: latencies are for that many at once, and throughput is not what the server can do at %d",
			counted(int(f.measured), "request"), limit, limit).
			brief("%s cannot fill a concurrency of %d", counted(int(f.measured), "request"), limit)
	}
	if !ok {
		peak, _ := f.open.peak()
		return found(l, 1, "100 %", "the concurrency of %d was never reached: at most about %d requests were open", limit, peak).
			brief("the concurrency of %d was never reached, at most %d were open", limit, peak)
	}
	from, to = max(from, f.firstSent), min(to, f.lastEnd)
	share := max(1-float64(to-from)/f.span(), 0)
	k := found(l, share, percent(share), "for %s of the run fewer than 95 %% of %d requests were open: %s at the start and %s at the end",
		percent(share), limit, ms(float64(from-f.firstSent)), ms(float64(f.lastEnd-to)))
	whole, inside := float64(f.measured)/f.span(), ratio(float64(ended), float64(to-from))
	if inside > whole {
		k.Effect = effect(k, "request throughput would be %s higher without them", percent(inside/whole-1))
		return k.brief("throughput is %s too low, %s of the run is ramp-up and drain", upTo(1-whole/inside), upTo(share))
	}
	return k.brief("for %s of the run fewer than %d requests were open", percent(share), limit)
}

// growing compares the requests in flight in the last third of the sends with those
// in the middle third. The first third is left out, in which a system fills up.
func growing(f *facts, l limits) Check {
	switch f.run.Options.Pace {
	case "constant", "poisson", "gamma":
	case "burst":
		return skip("all requests at once: the queue is there from the start")
	case "closed", "":
		return skip("in a closed loop no more than the limit can be in flight")
	default:
		return skip("the rate changes as planned (%s), and so does the number in flight", f.run.Options.Pace)
	}
	if f.conversing() {
		return skip("in a run of conversations the number in flight grows until as many end as begin")
	}
	const fewest = 30
	third := (f.lastSent - f.firstSent) / 3
	if f.measured < fewest || third < 3*f.open.Width {
		return skip("too few requests (%d) or too short a time to see a trend", f.measured)
	}
	series := f.open.series()
	middle := f.open.mean(series, f.firstSent+third, f.firstSent+2*third)
	last := f.open.mean(series, f.firstSent+2*third, f.lastSent)
	bursty := f.bursty()
	latency := f.latencies / float64(f.measured)
	variance := 2 * max(middle, 1) * min(2*latency/float64(third), 1) * bursty
	sure := (last - middle) / math.Sqrt(variance)
	more := max(ratio(last, middle)-1, 0)
	// A queue that comes and goes falls again; one that grows is above the middle third throughout.
	if sure < 3 || f.lowest(series, f.firstSent+2*third, third) < f.highest(series, f.firstSent+third, third) {
		return found(l, 0, fmt.Sprintf("%+.0f %%", (ratio(last, middle)-1)*100),
			"requests in flight: %.4g in the middle third of the sends, %.4g in the last, within chance", middle, last)
	}
	k := found(l, more, fmt.Sprintf("%+.0f %%", more*100),
		"requests in flight: %.4g in the middle third of the sends, %.4g in the last, by %.1f standard errors", middle, last, sure)
	ended := float64(f.measured) / f.span()
	k.Effect = effect(k, "each extra second of the run would have made latencies %s longer: the rate is higher than the server can sustain",
		ms((last-middle)/float64(third)/ended*1e9))
	return k.brief("requests piled up, the rate is more than the server can sustain")
}

// bursty is by how much requests in flight vary more than with Poisson arrivals, with
// which they vary as a Poisson count does, and anew with each latency. Bursts make it
// more; even arrivals leave the half of it that answers make.
func (f *facts) bursty() float64 {
	switch b := f.run.Options.Burstiness; {
	case b == 0: // infinite
		return 0.5
	case b < 1:
		return 1 / b
	default:
		return (1 + 1/b) / 2
	}
}

// lowest and highest are of the requests in flight in the quarters of a stretch of time.
func (f *facts) lowest(series []float64, from, length int64) float64 {
	return slices.Min(f.quarters(series, from, length))
}

func (f *facts) highest(series []float64, from, length int64) float64 {
	return slices.Max(f.quarters(series, from, length))
}

func (f *facts) quarters(series []float64, from, length int64) []float64 {
	var out []float64
	for i := range int64(4) {
		out = append(out, f.open.mean(series, from+i*length/4, from+(i+1)*length/4))
	}
	return out
}
