package explain

import (
	"math"

	"github.com/inferometer/inferometer/internal/outside"
)

// The client is the limit where what it does too late is a notable share of what a request takes.
// That it is busy is no proof: a busy client may still be in time, by the kernel's times. And a
// client that is little too late in front of a server with a queue is not what holds the run up.
const (
	muchOfRequest   = 0.10 // sending and reading late, of the time of a request
	muchOfGap       = 1.0  // reading late, of the time between tokens…
	leastLag        = 5e6  // …and so much that it is not the machine's usual hiccup, ns
	lostRate        = 0.9  // of the rate that was asked for
	fullProcessors  = 0.9
	wantsProcessors = 0.2 // of the time: ready to run, and no processor
	takenProcessors = 0.1 // by the hypervisor
)

func clientBound(f *facts) *finding {
	late, lag := f.lateness(), f.lag.Mean()
	loss := late
	if f.closed { // the next request goes out later by the lag of the last event
		loss += f.lastLag.mean()
	}
	share := 0.0
	if whole := f.whole.mean(); whole > 0 {
		share = loss / whole
	}
	gap := f.gaps.Percentile(50)
	starved := f.gaps.Count() > 0 && lag > muchOfGap*gap && lag > leastLag
	if share < muchOfRequest && !starved && !f.missedRate() {
		return nil
	}
	found := &finding{limit: Client}
	if late > 0 && share >= muchOfRequest {
		found.add("requests were sent %s after they were due, at the mean", ms(late))
	}
	if lag > 0 && (starved || f.closed) {
		found.add("what the server sent lay unread for %s at the mean, and tokens came every %s", ms(lag), ms(f.pause()))
	}
	if share >= muchOfRequest {
		found.add("that is %s of what a request took", percent(share))
	}
	if f.missedRate() {
		found.add("of %.4g requests a second that were asked for the client sent %.4g, with no limit of concurrency that held it back", f.in.Run.Options.RequestRate, f.rate())
	}
	found.why = append(found.why, f.client.cause())
	found.next = "Give the client more processors, or send from several machines, and look at what inferometer doctor says; the server can do more than this run shows."
	return found
}

// pause is the mean time between chunks of tokens, in ns.
func (f *facts) pause() float64 { return f.gaps.Mean() }

// cause is why the client was late, as far as its samples tell.
func (c *client) cause() string {
	who := "the client"
	if c.agent != "" {
		who = "the busiest agent, " + outside.Word(c.agent) + ","
	}
	switch {
	case !c.known:
		return "why is not known: there are too few samples of the client"
	case c.cpu >= fullProcessors:
		return sentence("%s used %s of the processors that it may use", who, percent(c.cpu))
	case c.wait >= wantsProcessors:
		return sentence("its threads were ready to run and had no processor for %s of the time: other programs, or a limit on this one", percent(c.wait))
	case c.steal >= takenProcessors:
		return sentence("the hypervisor took %s of the machine's time", percent(c.steal))
	}
	return sentence("%s used %s of its processors only: something else held it up, such as a limit of its control group, or a disk", who, percent(c.cpu))
}

// rate is how many requests were sent a second.
func (f *facts) rate() float64 {
	if f.lastSent <= f.firstSent || f.requests < 2 {
		return math.NaN()
	}
	return float64(f.requests-1) / (float64(f.lastSent-f.firstSent) / 1e9)
}

// missedRate says that a constant rate was not kept, and that no slot was waited for. The
// due times would have kept it: a drawn rate differs from the asked one by chance.
func (f *facts) missedRate() bool {
	if f.closed || f.limited || f.in.Run.Options.RequestRate <= 0 || f.requests < fewRequests || f.lastDue <= f.firstDue {
		return false
	}
	return float64(f.lastDue-f.firstDue) < lostRate*float64(f.lastSent-f.firstSent)
}

// fine says that the client was not the limit, and why.
func (f *facts) clientFine() string {
	words := "the client was not the limit: it sent " + ms(f.lateness()) + " late at the mean"
	if f.burst {
		words = "the client was not the limit: all was due at once"
	}
	if f.lag.Count() > 0 {
		words += ", read " + ms(f.lag.Mean()) + " late"
	}
	if f.client.known {
		words += ", and used " + percent(f.client.cpu) + " of its processors"
	}
	return sentence("%s", words)
}
