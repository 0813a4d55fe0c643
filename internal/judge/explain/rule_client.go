package explain

import (
	"math"

	"github.com/inferometer/inferometer/internal/outside"
)

// The client is the limit where what it does too late is a good part of what a request takes, and not only of a few:
// one hiccup of its machine is no limit. That it is busy is no proof: a busy client may still be in time, by the kernel's
// times. And a client that is little too late in front of a server with a queue is not what holds the run up.
const (
	mostOfLoss      = 0.20 // sending and reading late, of the time of a request: named from here on
	muchOfLoss      = 0.10 // from here on nothing else is named: what is seen may come from it; and so much lose a quarter of the requests at least
	fullProcessors  = 0.9
	wantsProcessors = 0.2 // of the time: ready to run, and no processor
	takenProcessors = 0.1 // by the hypervisor
)

func clientBound(f *facts) *finding {
	late, loss, upper := f.lateness()
	whole := f.whole.mean()
	if !(whole > 0) || loss/whole < muchOfLoss {
		return nil
	}
	found := &finding{limit: Client}
	if late > 0 {
		found.add("requests were sent %s after they were due, on average", ms(late))
	}
	if lag := f.lag.Mean(); lag > 0 && f.closed {
		found.add("data from the server waited unread for %s on average, and tokens came every %s", ms(lag), ms(f.pause()))
	}
	found.add("that cost %s of a request's time", percent(loss/whole))
	found.next = "Give the client more processors, or send from several machines, and look at what inferometer doctor says; the server can do more than this run shows."
	switch {
	case upper < muchOfLoss*whole:
		found.limit = Unclear
		found.add("three quarters of the requests lost less than %s each: the client stalled for a while, and what that did to the others is not known", ms(muchOfLoss*whole))
	case loss/whole < mostOfLoss:
		found.limit = Unclear
		found.add("that is too much to see what else limited the run, and too little to be all of it")
	case f.missedRate():
		found.add("%.4g requests a second were asked for and the client sent %.4g, with no concurrency limit to hold it back", f.in.Run.Options.RequestRate, f.rate())
	}
	found.why = append(found.why, f.client.cause())
	return found
}

// lateness is how late requests were sent by the client's own fault, and what that and reading late cost, in ns on average,
// with the upper quartile. The wait for a slot is no fault, where there is a limit of concurrency; and where all are due at
// once each but the first is late. In a closed loop the next request goes out later by the lag of the last event.
func (f *facts) lateness() (late, loss, upper float64) {
	switch {
	case f.burst:
		return 0, 0, 0
	case f.closed:
		return f.late.mean(), f.late.mean() + f.lastLag.mean(), f.lossEach.Percentile(75)
	case f.limited:
		return f.released.mean(), f.released.mean(), f.releasedEach.Percentile(75)
	}
	return f.late.mean(), f.late.mean(), f.lateEach.Percentile(75)
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
		return sentence("%s used %s of the processors available to it", who, percent(c.cpu))
	case c.wait >= wantsProcessors:
		return sentence("its threads were ready to run but had no processor for %s of the time: other programs, or a limit on this one", percent(c.wait))
	case c.steal >= takenProcessors:
		return sentence("the hypervisor took %s of the machine's time", percent(c.steal))
	}
	return sentence("%s used only %s of its processors: something else held it up, such as a control group limit or a disk", who, percent(c.cpu))
}

// rate is how many requests were sent a second.
func (f *facts) rate() float64 {
	if f.lastSent <= f.firstSent || f.requests < 2 {
		return math.NaN()
	}
	return float64(f.requests-1) / (float64(f.lastSent-f.firstSent) / 1e9)
}

// lostRate is the share of a rate below which it was not kept.
const lostRate = 0.9

// missedRate says that a constant rate was not kept, and that no slot was waited for. The
// due times would have kept it: a drawn rate differs from the asked one by chance.
func (f *facts) missedRate() bool {
	if f.closed || f.limited || f.in.Run.Options.RequestRate <= 0 || f.requests < fewRequests || f.lastDue <= f.firstDue {
		return false
	}
	return float64(f.lastDue-f.firstDue) < lostRate*float64(f.lastSent-f.firstSent)
}

// clientInTime says that there are enough requests to say so, and that it lost little.
func (f *facts) clientInTime() bool {
	_, loss, _ := f.lateness()
	return f.requests >= fewRequests && loss < muchOfLoss*f.whole.mean()
}

// clientFine says that the client was not the limit, and why.
func (f *facts) clientFine() string {
	late, _, _ := f.lateness()
	words := "the client was not the limit: it sent " + ms(late) + " late on average"
	if f.burst {
		words = "the client was not the limit: all requests were due at once"
	}
	if f.lag.Count() > 0 {
		words += ", read " + ms(f.lag.Mean()) + " late"
	}
	if f.client.known {
		words += ", and used " + percent(f.client.cpu) + " of its processors"
	}
	return sentence("%s", words)
}
