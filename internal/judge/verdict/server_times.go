package verdict

import (
	"fmt"
	"math"

	"github.com/inferometer/inferometer/internal/judge/hardware"
)

const (
	serverTTFTName  = "vllm:time_to_first_token_seconds"
	serverE2ELName  = "vllm:e2e_request_latency_seconds"
	serverQueueName = "vllm:request_queue_time_seconds"
)

// means are sums over the requests that the server's histograms have, warm-ups too.
type means struct{ n, ttft, e2el float64 }

func (m *means) add(v *view) {
	// A chunk with a role alone may come before the first token: the server counts to the token.
	first := v.Row.FirstToken
	if first < 0 {
		first = v.Row.First
	}
	if first < 0 || !v.reached() {
		return
	}
	m.n++
	m.ttft += float64(first)
	m.e2el += float64(v.Row.Last)
}

// same says whether the server's histogram is about our requests: within a hundredth.
func (m *means) same(n float64) bool { return m.n > 0 && math.Abs(n-m.n) <= m.n/100 }

// rest grades what our mean has beyond the server's own.
func rest(l limits, ours, theirs, small, large float64) (share float64, level Level) {
	share = ratio(math.Abs(ours-theirs), theirs)
	level = l.grade(share)
	switch diff := math.Abs(ours - theirs); {
	case diff < small:
		level = OK
	case diff < large && level == Invalid:
		level = Suspect
	}
	return share, level
}

// serverTTFT is what lies between the server's first token and ours.
type serverTTFT struct{ means }

func (c *serverTTFT) result(f *facts, l limits) Check {
	if k := f.unusable(); k != nil {
		return *k
	}
	theirs, n, ok := f.server.histMean(serverTTFTName)
	switch {
	case f.server.prefill != nil:
		return skip("prefill and decode are apart: to the server that answers a request begins when its prompt is computed")
	case !ok:
		return skip("the server has no histogram of TTFT")
	case !c.same(n):
		return skip("the server's histogram has %.0f requests, we have %.0f", n, c.n)
	}
	mine := c.ttft / c.n
	share, level := rest(l, mine, theirs, 5e6, 50e6)
	k := found(l, share, ms(mine-theirs), "mean TTFT is %s by our times and %s by the server's", ms(mine), ms(theirs))
	k.Level = level
	if queue, _, ok := f.server.histMean(serverQueueName); ok {
		k.Sentence += fmt.Sprintf(", of which %s in its queue", ms(queue))
	}
	if mine >= theirs && f.routed() {
		return k.ofRouter("between its servers and us the router and the network add %s to mean TTFT", ms(mine-theirs))
	}
	if mine < theirs {
		k.Sentence += ": ours can't be shorter, so one of the two is wrong"
		k = k.brief("mean TTFT is %s shorter than the server's own, one of the two is wrong", ms(theirs-mine))
	} else {
		k = k.brief("mean TTFT is %s longer than the server's own: network or proxy", ms(mine-theirs))
		k.Effect = effect(k, "mean TTFT would be %s lower without network, proxy and client", ms(mine-theirs))
	}
	return k
}

// serverE2EL is the same from the first to the last token, so that what delays the
// first one counts once.
type serverE2EL struct{ means }

func (c *serverE2EL) result(f *facts, l limits) Check {
	if k := f.unusable(); k != nil {
		return *k
	}
	ttft, n1, ok1 := f.server.histMean(serverTTFTName)
	e2el, n2, ok2 := f.server.histMean(serverE2ELName)
	switch {
	case !ok1 || !ok2:
		return skip("the server has no histograms of TTFT and end-to-end latency")
	case !c.same(n1) || !c.same(n2):
		return skip("the server's histograms have %.0f and %.0f requests, we have %.0f", n1, n2, c.n)
	}
	mine, theirs := (c.e2el-c.ttft)/c.n, e2el-ttft
	if theirs <= 0 {
		return skip("answers have no time between first and last token")
	}
	share, level := rest(l, mine, theirs, 10e6, 100e6)
	k := found(l, share, ms(mine-theirs), "the time from first to last token is %s by our clock and %s by the server's (means)", ms(mine), ms(theirs))
	k.Level = level
	if mine >= theirs && f.routed() {
		return k.ofRouter("between its servers and us the router and the network add %s from first to last token", ms(mine-theirs))
	}
	k.Effect = effect(k, "mean E2EL would be %s lower without network, proxy and client", ms(mine-theirs))
	return k.brief("answers take %s from first to last token, %s by the server's own times", ms(mine), ms(theirs))
}

// routed says that a router was measured with the servers behind it: what it takes is no error of ours.
func (f *facts) routed() bool { return len(f.run.Routers) > 0 || len(f.run.Replicas) > 0 }

// ofRouter is for what a router adds to the times of its servers: it is measured with them, and worth a note.
func (k Check) ofRouter(format string, args ...any) Check {
	if k.Level.Bad() {
		k.Level, k.Effect, k.Hint = Noted, fmt.Sprintf(format, args...), "this is the router's own time, its queue included: measure one of its servers by itself to see them apart"
	}
	return k
}

// leastReadings are needed for a share of time to say anything.
const leastReadings = 5

// throttled looks for a GPU that worked and was slowed down for heat, or by its machine's power
// supply. A GPU at its own power limit is none: that is how they run under load, and the limit
// is the same tomorrow. Processors are none either: their counters tell of moments, not of time.
func throttled(f *facts, l limits) Check {
	const untold = "no GPU reported whether it was slowed down"
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
				worst, words = share, fmt.Sprintf("%s %s was slowed down by %s for %.0f %% of the measured time", d.Source, d.ID, reasonWords[why], 100*share)
			}
		}
	}
	switch {
	case !looked:
		return skip(untold)
	case worst == 0:
		return Check{Level: OK, Figure: "0 %", Sentence: "no busy GPU was slowed down by heat or by its machine's power supply"}
	}
	k := Check{Level: l.grade(worst), Figure: fmt.Sprintf("%.0f %%", 100*worst), Sentence: words}
	if k.Level.Bad() {
		k.Effect = "the numbers are for a machine that was too hot: on another day, or in a longer run, they would differ"
	}
	return k.brief("a GPU was slowed down for %.0f %% of the time (heat or power supply)", 100*worst)
}

var reasonWords = map[string]string{"thermal": "heat", "power_brake": "its machine's power supply"}
