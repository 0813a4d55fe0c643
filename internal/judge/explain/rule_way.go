package explain

import (
	"math"

	"github.com/inferometer/inferometer/internal/judge/serving"
)

// The way is the limit where requests spend a good part of their time neither in the client nor in the server: the
// client has more under way than the server has inside, and what the server says that its requests took is shorter by
// that than what they took for us.
const (
	muchOutside  = 0.3
	leastOutside = 5e6 // ns: below it HTTP itself takes as long
)

func wayBound(f *facts) *finding {
	ours, inside, gauges := f.inFlight()
	took, theirs, histograms := f.ownTime()
	if !gauges && !histograms {
		return nil
	}
	switch {
	case histograms: // of all requests; the scrapes must not contradict it
		if !(1-theirs/took >= muchOutside && took-theirs >= leastOutside) || gauges && 1-inside.low()/ours < muchOutside {
			return nil
		}
	case 1-inside.high()/ours < muchOutside:
		return nil
	}
	found := &finding{limit: Way}
	if gauges {
		found.add("%.3g requests were under way at the client, and %.3g inside the server by its own count: %s of a request's time was spent outside it", ours, inside.mean(), percent(1-inside.mean()/ours))
	}
	if histograms {
		found.add("from start to end, requests took %s on average, %s of it inside the server by its own clock", ms(took), ms(theirs))
	}
	if first := f.over(serving.TTFT) * 1e9; first > 0 {
		found.add("the first token came after %s; the server had it after %s", ms(f.toFirst.mean()), ms(first))
	}
	if rtt := f.rtt.mean(); rtt > 0 && rtt < (took-theirs)/10 {
		found.add("a round trip to the next hop took %s: the delay is beyond it", ms(rtt))
	}
	found.next = "Measure from a machine near the server, without the proxy, gateway or tunnel in front of it; the difference is what they cost. More requests at once hide this time but don't shorten it."
	if f.behindRouter() {
		found.next = "Measure a replica by its own address (--base-url), without " + f.router() + " in front of it; the difference is what that costs."
	}
	return found
}

// level is a mean number of requests, by scrapes.
type level struct{ values []float64 }

func (l *level) mean() float64 {
	s := sums{}
	for _, v := range l.values {
		s.add(v)
	}
	return s.mean()
}

// unsure is how far the mean may be off by the scrapes' chance.
func (l *level) unsure() float64 {
	mean, sum := l.mean(), 0.0
	for _, v := range l.values {
		sum += (v - mean) * (v - mean)
	}
	n := float64(len(l.values))
	return sureErrors * math.Sqrt(sum/max(n-1, 1)/n)
}

func (l *level) low() float64  { return l.mean() - l.unsure() }
func (l *level) high() float64 { return l.mean() + l.unsure() }

// inFlight is how many requests were under way at the client, and inside all servers; false: not all of them tell,
// or too seldom.
func (f *facts) inFlight() (ours float64, inside level, ok bool) {
	if len(f.servers) == 0 || !f.allTell() || len(f.prefillers) > 0 {
		return 0, level{}, false
	}
	least := math.MaxInt
	for _, s := range f.servers {
		least = min(least, len(s.inside(f.from, f.to)))
	}
	ours = f.mean(f.flying, f.from, f.to)
	if least < fewScrapes || !(ours >= 1) {
		return 0, level{}, false
	}
	for i := range least { // those of one time, about
		sum := 0.0
		for _, s := range f.servers {
			at := s.inside(f.from, f.to)[i]
			sum += s.Gauge[serving.Running][at] + s.Gauge[serving.Waiting][at]
		}
		inside.values = append(inside.values, sum)
	}
	return ours, inside, true
}

// ownTime is what successes took from sent to their end, without what we read late, and what their servers say of
// themselves, in ns; false: they don't, or have others' requests in it.
func (f *facts) ownTime() (ours, theirs float64, ok bool) {
	n := f.grown(serving.E2E.Count())
	if len(f.prefillers) > 0 || f.inside.n < fewRequests || !(n >= fewRequests) || math.Abs(n-float64(f.done)) > foreign*float64(f.done) {
		return 0, 0, false
	}
	return f.inside.mean() - f.lastLag.mean() - f.slack("e2el"), f.over(serving.E2E) * 1e9, true
}

// grown is by how much a counter grew at all servers; NaN: not known.
func (f *facts) grown(m serving.Meaning) float64 {
	sum := 0.0
	for _, s := range f.servers {
		sum += s.grown(m)
	}
	if len(f.servers) == 0 {
		return math.NaN()
	}
	return sum
}

// over is the mean of a histogram over all servers, in seconds; NaN: not known.
func (f *facts) over(m serving.Meaning) float64 {
	n := f.grown(m.Count())
	if !(n > 0) {
		return math.NaN()
	}
	return f.grown(m.Sum()) / n
}
