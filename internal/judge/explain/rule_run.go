package explain

import (
	"math"
	"strings"

	"github.com/inferometer/inferometer/internal/judge/verdict"
)

// Rules about the run as a whole: what was refused, a server that changed, others who used it. Where one of them holds,
// what the rest of the run looks like says nothing about what the server can do.
const (
	manyRefused = 0.05
	fewRefused  = 5
	// A change is what limited a run where it is so large; below, what limited it before does so after.
	largeChange = 0.2
	// othersShare is that of the requests inside a server that are not ours.
	othersShare = 0.2
)

// refusedByLimit: a good part of the requests was answered with 429, by the server or by what stands before it.
func refusedByLimit(f *facts) *finding {
	share := float64(f.refused) / float64(max(f.requests, 1))
	if f.refused < fewRefused || share < manyRefused {
		return nil
	}
	found := &finding{limit: Refused}
	found.add("%d of %s were answered with 429 (too many requests), the first at %s: %s", f.refused, counted(f.requests, "request"), seconds(float64(f.firstRefused)/1e9), percent(share))
	if took := f.seconds(); took > 0 {
		found.add("%.3g requests a second were sent, and %.3g a second were answered", float64(f.requests)/took, float64(f.done)/took)
	}
	found.next = "Send less at once (--max-concurrency, --request-rate), or raise the limit of the server or of the gateway in front of it; the latencies cover only the requests that were let in."
	return found
}

// serverChanged: the verdict's check drift found that the same requests took another time later in the run. What was
// offered at a rate and served nevertheless was not limited by it.
func serverChanged(f *facts) *finding {
	c := f.drift()
	if c == nil || c.Value == nil || !(math.Abs(*c.Value) >= largeChange) || served(f) != nil {
		return nil
	}
	found := &finding{limit: Changed}
	found.add("%s", strings.TrimSuffix(c.Sentence, "."))
	found.next = "Find out what changed then: clocks and heat (inferometer's hardware table), who else used the server, its log. To learn what limits it, run again while it stays the same."
	return found
}

// drift is the verdict's check of that name, where it found something.
func (f *facts) drift() *verdict.Check {
	if c := f.check("drift"); c != nil && c.Level.Bad() {
		return c
	}
	return nil
}

// faults is the verdict's check of that name, where there were some.
func (f *facts) faults() *verdict.Check {
	if c := f.check("faults"); c != nil && c.Figure != "" {
		return c
	}
	return nil
}

func (f *facts) check(name string) *verdict.Check {
	if f.in.Verdict == nil {
		return nil
	}
	return f.in.Verdict.Check(name)
}

// othersInside: more requests were inside the server than are ours. What its times and its queue say is of all of them.
func othersInside(f *facts) *finding {
	ours, inside, ok := f.inFlight()
	if !ok || inside.low() < ours/(1-othersShare)+1 {
		return nil
	}
	found := &finding{limit: Unclear}
	found.add("%.3g requests were inside the server on average, by its own count, and %.3g were under way at the client: %s of them are not ours", inside.mean(), ours, percent(1-ours/inside.mean()))
	found.add("its queue, its batch and the time between tokens come from all of them: what would limit ours alone can't be told from this run")
	found.next = "Measure while nobody else uses the server."
	return found
}
