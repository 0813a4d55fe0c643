package verdict

import (
	"fmt"
	"math"
	"strings"

	"github.com/inferometer/inferometer/internal/judge/hist"
)

// counted is a number with its noun.
func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// connections looks for connections that were opened again: more than were ever
// needed at once. Those of the first wave must be opened, and their requests
// differ from the others in more than that, so they are not compared.
type connections struct {
	firstEnd  int64
	begun     bool
	made, old pacedHist      // TTFT after the first wave, with a new connection and a kept one
	rtt       hist.Histogram // of the new ones
}

func (c *connections) add(v *view) {
	if v.Warmup {
		return
	}
	if !c.begun { // lines come in the order of ends
		c.firstEnd, c.begun = v.End, true
	}
	if !v.complete || v.Row.First < 0 || v.Sent < c.firstEnd {
		return
	}
	if v.NewConn {
		if v.RTT > 0 {
			c.rtt.Add(v.RTT)
		}
		c.made.add(v.Row.First)
	} else {
		c.old.add(v.Row.First)
	}
}

func (c *connections) result(f *facts, l limits) Check {
	if f.measured == 0 {
		return skip("no request was sent")
	}
	_, needed := f.open.peak()
	again := max(f.connections-needed, 0)
	share := float64(again) / float64(f.measured)
	figure := percent(share)
	if share <= 0.05 || again < 2 {
		return found(l, 0, figure, "%d connections were opened during measured requests, %d of them not for the first time", f.connections, again)
	}
	if more, sure := c.dearer(); sure {
		k := found(l, ratio(more*share, f.ttft.Percentile(50)), figure,
			"%d connections were reopened during measured requests; their TTFT is %s longer at the median", again, ms(more))
		k.Effect = effect(k, "mean TTFT would be %s lower", ms(more*share))
		return k.brief("mean TTFT is %s too high, connections were reopened", ms(more*share))
	}
	// Too few answers to compare, or no difference beyond chance: then the kernel's
	// round trip says what a connection costs at least. One is measurement enough.
	if c.rtt.Count() > 0 {
		cost := c.rtt.Percentile(50) * f.trips()
		k := found(l, ratio(cost*share, f.ttft.Percentile(50)), figure,
			"%d of %d requests opened a connection: a round trip takes %s, and the TTFT of each includes at least one", f.connections, f.measured, ms(c.rtt.Percentile(50)))
		k.Effect = effect(k, "mean TTFT would be %s lower", ms(cost*share))
		return k.brief("mean TTFT is %s too high, connections were reopened", ms(cost*share))
	}
	switch {
	case c.made.Count() < enoughAnswers:
		return skip("%d connections were reopened during measured requests; there are too few to tell what that cost, and the round-trip time is not known", again)
	case c.old.Count() >= enoughAnswers:
		return found(l, 0, figure, "%d connections were reopened during measured requests; their TTFT is not longer by more than chance", again)
	}
	k := found(l, 0, figure, "nearly all requests opened a connection (%d of %d): every TTFT includes that cost", f.connections, f.measured)
	k.Level = Suspect
	k.Value = &share
	return k.brief("%d of %d requests opened a connection, and TTFT includes that", f.connections, f.measured)
}

// enoughAnswers are those that medians are compared of.
const enoughAnswers = 10

// dearer is by how much TTFT with a new connection is longer at the median than with
// a kept one; sure: there are enough of both, and it is more than chance.
func (c *connections) dearer() (more float64, sure bool) {
	made, old := c.made.Percentile(50), c.old.Percentile(50)
	noise := math.Hypot(made*c.made.relativeError(), old*c.old.relativeError())
	return made - old, c.made.Count() >= enoughAnswers && c.old.Count() >= enoughAnswers && made-old > 3*noise
}

// trips is how many round trips it takes to open a connection.
func (f *facts) trips() float64 {
	if strings.HasPrefix(f.run.Options.BaseURL, "https:") {
		return 2 // with TLS 1.3
	}
	return 1
}

// sharedReads are chunks with text whose time is that of a later one: there is nothing
// between them. A role, a finish reason or usage in one read with a token is the
// server's own way, and nobody asks for its time.
type sharedReads struct{ n, gaps int64 }

func (c *sharedReads) add(v *view) {
	if v.Warmup {
		return
	}
	for gap := range v.TextGaps() {
		c.gaps++
		if gap == 0 {
			c.n++
		}
	}
}

func (c *sharedReads) result(f *facts, l limits) Check {
	switch {
	case c.gaps == 0:
		return skip("no answer had two chunks with text")
	case f.inBursts():
		return skip("tokens come in bursts from the server or a proxy (see bursts), and so do reads")
	}
	share := float64(c.n) / float64(c.gaps)
	k := found(l, share, percent(share), "%s of the chunks arrived in one read with the chunk before and have its time", percent(share))
	k.Level = surely(l, c.n, c.gaps)
	k.Effect = noted(k, "ITL: %s of the gaps are lost, and the gaps before them are too long; don't trust small gaps or the tail", percent(share))
	return k
}

// unstamped are reads whose events carry our time instead of the kernel's.
type unstamped struct{ n int64 }

func (c *unstamped) add(v *view) {
	if !v.Warmup {
		c.n += int64(v.UnstampedRead)
	}
}

func (c *unstamped) result(f *facts, l limits) Check {
	switch {
	case !f.kernel():
		return skip("all times are the client's own")
	case f.events == 0:
		return skip("no event was received")
	}
	share := float64(c.n) / float64(f.events)
	k := found(l, share, percent(share), "%d reads had no kernel timestamp; there were %d events", c.n, f.events)
	k.Level = surely(l, c.n, f.events)
	k.Effect = noted(k, "their times are late by the client's lag, %s at the p99", ms(f.lag.Percentile(99)))
	return k
}
