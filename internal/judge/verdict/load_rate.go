package verdict

import (
	"fmt"
	"math"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/row"
	"github.com/inferometer/inferometer/internal/stats"
)

// rate compares how long the sends took with how long they should have.
type rate struct {
	released, waited float64 // sums: the client's own lateness, and the wait for a slot
}

func (c *rate) add(v *view) {
	if !v.Warmup && !v.follows() {
		c.released += float64(max(v.Released-v.Due, 0))
		c.waited += float64(max(v.Sent-max(v.Released, v.Due), 0))
	}
}

func (c *rate) result(f *facts, l limits) Check {
	const (
		fewest, few             = 5, 20       // requests
		negligible, shortestLag = 20e6, 100e6 // ns; the second where requests are few
	)
	p := &f.paced
	due, sent := float64(p.lastDue-p.firstDue), float64(p.lastSent-p.firstSent)
	switch {
	case f.closed():
		return skip("a closed loop asks for no rate")
	case f.burst():
		return skip("all requests at once: no rate was asked for")
	case p.n < fewest || due <= 0 || sent <= 0:
		return skip("too few requests (%d) for a rate", p.n)
	}
	n := float64(p.n-1) * 1e9
	drawn, got := n/due, n/sent
	less := max(1-got/drawn, 0)
	if late := sent - due; late < negligible || p.n < few && late < shortestLag { // one late send is a large share of a short time
		less = 0
	}
	what := "requests"
	if f.conversing() {
		what = "conversations" // later turns are due by the answers before them
	}
	asked, off := drawn, 0.0
	if a, d, ok := f.asked(); ok { // over all of the time, not from the first request to the last
		off = row.Paced{N: p.n}.OffBy(a, d)
		if off <= row.OffNoticed {
			d = a
		}
		asked, drawn, got = a, d, got*d/drawn
	}
	k := found(l, less, fmt.Sprintf("%.4g of %.4g req/s", got, asked), "%s were due at %.4g a second and went out at %.4g", what, drawn, got)
	if off > row.OffNoticed {
		k.Sentence = fmt.Sprintf("%.4g %s a second were asked for; the random arrival times came to %.4g, and %.4g went out", asked, what, drawn, got)
		k.Effect = fmt.Sprintf("these numbers are for %.4g %s a second, not for %.4g", got, what, asked)
		if off > l.invalid && p.n >= few && k.Level == OK {
			k.Level = Suspect // what was measured is right, and of another load
		}
		k = k.brief("the load was %.4g req/s, not the %.4g asked for", got, asked)
	}
	if less > l.suspect {
		switch o := &f.run.Options; {
		case c.waited > c.released && o.MaxConversations > 0:
			k.Sentence += fmt.Sprintf(": the limit of %d open ones held them back, so the server saw a closed loop", o.MaxConversations)
			k = k.brief("%.4g of %.4g conversations/s, the limit of %d held them back", got, asked, o.MaxConversations)
		case c.waited > c.released && o.MaxConcurrency > 0:
			k.Sentence += fmt.Sprintf(": the limit of %d in flight held them back, so the server saw a closed loop", o.MaxConcurrency)
			k = k.brief("%.4g of %.4g req/s went out, the limit of %d in flight held them back", got, asked, o.MaxConcurrency)
		default:
			k.Sentence += ": the client could not keep up"
			k = k.brief("%.4g of %.4g req/s went out, the client could not keep up", got, asked)
		}
		k.Effect = fmt.Sprintf("the server had %s less load than was due; latencies from the sent time do not show the wait", percent(less))
	}
	return k
}

// asked is the rate that was asked for, and the one that was drawn. Not ok: none was, or not
// all requests are known.
func (f *facts) asked() (asked, drawn float64, ok bool) {
	if f.end != nil && int64(f.end.Sent) != f.measured {
		return 0, 0, false
	}
	return row.Paced{N: f.paced.n, Last: f.paced.lastDue}.Rates(f.run, f.end)
}

// little is Little's law: requests in flight = throughput × time. From the journal's
// lines alone it would hold by construction; so the left side is the client's own
// count, once a second, and the right side what the lines say of the same moments.
func little(f *facts, l limits) Check {
	if f.fleet != nil {
		return skip("each agent counts its own requests in flight, and not at the same moments")
	}
	series := f.open.series()
	var off, open, counted stats.Moments
	for i := range f.samples {
		s := &f.samples[i]
		if s.At <= f.firstSent || s.At >= f.lastEnd || int(s.At/f.open.Width) >= len(series) {
			continue
		}
		shown := series[s.At/f.open.Width]
		off.Add(float64(s.InFlight) - shown)
		open.Add(shown)
		counted.Add(float64(s.InFlight))
	}
	const fewest = 5
	if off.N < fewest || open.Mean == 0 {
		return skip("too few samples (%d) while requests were in flight", off.N)
	}
	err := off.Std() / math.Sqrt(float64(off.N))
	// One request more or less is no finding: a steady pace may meet each sample at the same point of it.
	beyond := max(math.Abs(off.Mean)-2*err-1, 0) / open.Mean
	throughput, latency := float64(f.measured)/f.span()*1e9, f.latencies/float64(f.measured)
	return found(l, beyond, percent(beyond), "the client counted %.4g requests in flight on average, its journal shows %.4g (over the whole run %.4g req/s × %s = %.4g)",
		counted.Mean, open.Mean, throughput, ms(latency), throughput*latency/1e9).
		brief("counts of requests in flight differ by %s, please report it", percent(beyond))
}

// lines compares what was sent with what is in the journal.
func lines(f *facts, l limits) Check {
	if f.end == nil {
		return skip("the journal has no last line, so the number of requests is not known")
	}
	missing := math.Abs(float64(f.end.Sent) - float64(f.measured))
	share := ratio(missing, float64(max(f.end.Sent, 1)))
	return found(l, share, percent(share), "%d requests were sent, %d are in the journal", f.end.Sent, f.measured).
		brief("%d of %d requests are missing from the journal", int64(missing), f.end.Sent)
}

// drained looks for a run that was stopped: what was in flight then is the slow part.
type drained struct {
	cancelled int64
	cut       int64 // of these by the end of a run that ended as planned
}

func (c *drained) add(v *view) {
	if v.Warmup || v.Outcome != journal.Cancelled {
		return
	}
	c.cancelled++
	if v.CutByGrace() {
		c.cut++
	}
}

func (c *drained) result(f *facts, l limits) Check {
	if f.measured == 0 {
		return skip("no request was sent")
	}
	lost, how := c.cancelled, ""
	switch {
	case f.end == nil:
		how = "the run was killed"
		if n := len(f.samples); n > 0 {
			lost += int64(f.samples[n-1].InFlight)
		}
	case f.end.Interrupted != "":
		how = "the run was stopped (" + f.end.Interrupted + ")"
	}
	share := float64(lost) / float64(f.measured+lost-c.cancelled)
	k := found(l, share, percent(share), "we gave up no request")
	switch {
	case how != "":
		k.Sentence = fmt.Sprintf("%s with %s in flight, of %d sent", how, counted(int(lost), "request"), f.measured+lost-c.cancelled)
		if k.Level == OK && f.end == nil { // nobody says what else was under way
			k.Level = Suspect
		}
		k = k.brief("%s", how)
		if lost > 0 {
			k = k.brief("%s with %s in flight", how, counted(int(lost), "request"))
		}
	case c.cut > 0 && c.cut == lost: // as planned: the numbers lack the slowest, and the rest of them is right
		if k.Level == Invalid {
			k.Level = Suspect
		}
		k.Sentence = fmt.Sprintf("%s of %d had not ended when the grace after the end of the run was over (--trace-grace)", counted(int(lost), "request"), f.measured)
		k = k.brief("the end of the run cut %d of %d requests", lost, f.measured)
		k.Hint = "give answers more time after the end with a longer --trace-grace, or let the run last longer, so that those that it cuts are fewer"
	case lost > 0:
		k.Sentence = fmt.Sprintf("we gave up %d requests of %d", lost, f.measured)
		k = k.brief("%d of %d requests were given up", lost, f.measured)
	}
	if lost > 0 {
		k.Effect = survivors(f, lost)
	}
	return k
}

// survivors says what TTFT p99 would be if those that have none had been the slowest.
func survivors(f *facts, missing int64) string {
	n := float64(f.ttft.Count())
	if n == 0 {
		return ""
	}
	rank := 0.99 * (n + float64(missing))
	if rank > n {
		return "TTFT p99 leaves these out: if they were the slowest, it would be above every measured value"
	}
	more := f.ttft.Percentile(100*rank/n) - f.ttft.Percentile(99)
	return fmt.Sprintf("TTFT p99 would be up to %s higher if these had been the slowest", ms(max(more, 0)))
}

// paused looks for a run whose pace a user has stopped for a while. The pace went on where
// it was, but the server had time to empty its queue, and what is counted per second is
// counted over the pauses too.
func paused(f *facts, l limits) Check {
	if f.end == nil {
		return skip("the journal has no last line, so it is not known whether the run was paused")
	}
	still := int64(0)
	for _, p := range f.end.Pauses {
		still += p.To - p.From
	}
	seconds := float64(still) / 1e9
	figure := fmt.Sprintf("%.3g s", seconds)
	if len(f.end.Pauses) == 0 {
		return found(l, 0, figure, "the run was never paused")
	}
	k := found(l, seconds, figure, "a user paused the run %s, for %.3g s of its %.3g s", times(len(f.end.Pauses)), seconds, float64(f.end.At)/1e9)
	low := ratio(float64(still), float64(max(f.end.At, still)))
	k.Effect = fmt.Sprintf("throughput and rates cover the whole time and may be up to %s too low; the first requests after a pause met an idle server", percent(low))
	return k.brief("throughput may be up to %s too low, the run was paused for %.3g s", upTo(low), seconds)
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}
