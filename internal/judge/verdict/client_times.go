package verdict

import (
	"fmt"

	"github.com/inferometer/inferometer/internal/judge/hist"
)

// lag is the client's own delay in reading. By kernel times it is in no latency;
// but in a closed loop the next request goes out later by the lag of the last event.
type lag struct {
	last hist.Histogram // of each request's last event
}

func (c *lag) add(v *view) {
	if !v.Warmup && len(v.Events.Lag) > 0 {
		c.last.Add(v.Events.Lag[len(v.Events.Lag)-1])
	}
}

func (c *lag) result(f *facts, l limits) Check {
	if f.lag.Count() == 0 {
		return c.byWakeups(f, l)
	}
	p99 := f.lag.Percentile(99)
	figure := "p99 " + ms(p99)
	switch {
	case !f.kernel():
		k := found(l, ratio(p99, f.ttft.Percentile(50)), figure, "events were read %s after the kernel had them (p99), and latencies include that", ms(p99))
		k.Effect = effect(k, "TTFT p99 would be up to %s lower", ms(p99))
		k.Brief = fmt.Sprintf("times may be up to %s late", ms(p99))
		return k
	case f.closed() || f.conversing():
		loss := ratio(c.last.Mean(), ratio(f.latencies, float64(f.measured)))
		k := found(cause(notable, "%", ""), loss, figure, "each following request went out %s later than it could have (mean lag of a request's last event)", ms(c.last.Mean()))
		if k.Level == Noted {
			k.Effect = fmt.Sprintf("request throughput would be up to %s higher; latencies are not affected", percent(loss))
		}
		return k
	}
	return found(l, 0, figure, "the kernel's timestamps keep the lag out of every latency, and an open loop does not wait for answers")
}

// byWakeups judges times that are the client's own by how late the client was for its
// own timers. Where not even that is known, the times can't be vouched for.
func (c *lag) byWakeups(f *facts, l limits) Check {
	if f.events == 0 || f.ttft.Count() == 0 {
		return skip("no event was received")
	}
	var late hist.Histogram // of each second the worst: the median of them is about a p99 of all
	for i := range f.samples {
		if ns := f.samples[i].WakeNs; ns > 0 {
			late.Add(ns)
		}
	}
	if late.Count() == 0 {
		k := found(l, 0, "not known", "event times are the client's own, and how late it took them is not known: every latency includes that delay")
		k.Level = Suspect
		return k.brief("it is unknown how late the client took its times")
	}
	p50 := late.Percentile(50)
	k := found(l, ratio(p50, f.ttft.Percentile(50)), "about "+ms(p50), "event times are the client's own, and in a typical second it was up to %s late for its own timers", ms(p50))
	k.Effect = effect(k, "TTFT p99 would be up to %s lower", ms(p50))
	k.Brief = fmt.Sprintf("times may be up to %s late", ms(p50))
	return k
}

// effect is for bad checks only: what is in order has none worth a word.
func effect(k Check, format string, args ...any) string {
	if !k.Level.Bad() {
		return ""
	}
	return fmt.Sprintf(format, args...)
}

// lateness is what the client itself was late in an open loop. The wait for a slot
// is not in it: rate looks at that.
type lateness struct {
	late    hist.Histogram // sent − due without a limit of concurrency
	release hist.Histogram // released − due
	dueTTFT hist.Histogram
	after   hist.Histogram // released − due of turns that waited for an answer
}

func (c *lateness) add(v *view) {
	if v.Warmup {
		return
	}
	c.late.Add(v.Sent - v.Due)
	c.release.Add(v.Released - v.Due)
	if v.follows() {
		c.after.Add(v.Released - v.Due)
	}
	if v.complete && v.Row.First >= 0 {
		c.dueTTFT.Add(v.Sent - v.Due + v.Row.First)
	}
}

// feltLate is the p99 of lateness that is worth a note, of the gap and of TTFT.
const feltLate = 0.10

func (c *lateness) result(f *facts, l limits) Check {
	switch {
	case (f.closed() || f.burst()) && c.after.Count() > 0 && f.ttft.Count() > 0:
		return c.turns(f, l)
	case f.closed():
		return skip("a closed loop has no schedule to be late for")
	case f.burst():
		return skip("all requests are due at once, so all but the first are late")
	case f.measured < 2 || f.ttft.Count() == 0:
		return skip("fewer than two requests were sent, or none completed")
	case f.judge("rate").Level.Bad():
		return skip("the rate was not kept, see rate")
	}
	late := &c.late
	if f.run.Options.MaxConcurrency > 0 || f.run.Options.MaxConversations > 0 {
		late = &c.release
	}
	p99, mean := late.Percentile(99), late.Mean()
	gap := float64(f.lastDue-f.firstDue) / float64(f.measured-1)
	// Small against the gap, arrivals are what was asked for; small against TTFT, nobody feels it.
	value := min(ratio(mean, gap), ratio(mean, f.ttft.Mean()))
	const negligible = 1e6 // ns
	if mean < negligible || gap == 0 {
		value = 0
	}
	k := found(l, value, "mean "+ms(mean), "requests were sent %s after they were due on average, %s at the p99; the mean gap between them is %s, the mean TTFT %s",
		ms(mean), ms(p99), ms(gap), ms(f.ttft.Mean()))
	if min(ratio(p99, gap), ratio(p99, f.ttft.Mean())) > feltLate && p99 > negligible && k.Level == OK {
		k.Level = Noted
	}
	more := c.dueTTFT.Percentile(99) - f.ttft.Percentile(99)
	k.Effect = effect(k, "TTFT p99 from the due time is %s higher than from the sent time", ms(max(more, 0)))
	return k.brief("requests went out %s late on average, the client could not keep up", ms(mean))
}

// turns judges a run that has no pace but conversations: a later turn is due by the
// answer before it. Waiting for a slot is not in it either.
func (c *lateness) turns(f *facts, l limits) Check {
	p99, mean := c.after.Percentile(99), c.after.Mean()
	value := ratio(mean, f.ttft.Mean())
	const negligible = 1e6 // ns
	if mean < negligible {
		value = 0
	}
	k := found(l, value, "mean "+ms(mean), "counted from the answers before them, later turns were ready %s late on average, %s at the p99; the mean TTFT is %s",
		ms(mean), ms(p99), ms(f.ttft.Mean()))
	k.Effect = effect(k, "each turn made its conversation %s longer", ms(mean))
	return k.brief("later turns went out %s late on average", ms(mean))
}
