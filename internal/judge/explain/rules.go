package explain

import (
	"math"

	"github.com/inferometer/inferometer/internal/judge/serving"
)

// finding is what a rule found.
type finding struct {
	limit Limit
	why   []string
	next  string
}

// rule looks at the facts; nil: it does not fit.
type rule func(f *facts) *finding

// rules in the order in which they are asked; the first that fits is the answer. What spoils the
// measurement itself comes first, then what explains most: a preemption is also a full cache, and
// a full cache also a queue. A name follows only from evidence for it, and not from want of evidence
// for others.
var rules = []rule{
	refusedByLimit,
	tooLittle,
	clientBound,
	serverChanged,
	othersInside,
	buffered,
	retried,
	staleIndex,
	hotReplica,
	routerQueues,
	slowReplica,
	transferBound,
	wayBound,
	preempting,
	cacheFull,
	prefillBound,
	draftsRejected,
	batchFull,
	decodeBound,
	concurrencyBound,
	served,
}

// tooLittle is a run that says nothing.
func tooLittle(f *facts) *finding {
	if f.requests >= fewRequests && f.done > 0 && f.seconds() >= shortest {
		return nil
	}
	why := sentence("the run had %s, %d of them answered, in %s: too little to say what limited it", counted(f.requests, "request"), f.done, seconds(f.seconds()))
	return &finding{limit: Unclear, why: []string{why}, next: "Send more requests, for a minute or more."}
}

// shortest run that can be explained, in seconds: in less there are neither two samples of the client nor
// enough scrapes.
const shortest = 1.0

// waitsInServer says that requests spend a notable share of their time in the server's queue. Below
// it is what any batch has: who comes while a step is computed waits for the next one.
func (f *facts) waitsInServer() *server {
	s := f.busiest()
	if s == nil || !(s.queueShare() >= notableQueue) || !(s.queued >= mostOfTheTime) || s.scrapes < fewScrapes {
		return nil
	}
	return s
}

// noQueue says that requests hardly wait in the server, by evidence: its histogram of waits over the run, scrapes at
// which its queue was seen, or else that they have their first tokens so soon that no wait can be in it.
func (f *facts) noQueue() bool {
	if f.waitsInServer() != nil {
		return false
	}
	known := false
	for _, s := range f.servers {
		inHistograms := s.over(serving.Queue) / (s.over(serving.Queue) + s.over(serving.Prefill) + s.over(serving.Decode))
		if s.grown(serving.Queue.Count()) >= fewRequests && !math.IsNaN(inHistograms) {
			if known = true; inHistograms >= notableQueue {
				return false
			}
		}
		if s.scrapes >= fewScrapes {
			if known = true; s.queueShare() >= notableQueue {
				return false
			}
		}
	}
	return known || f.toFirst.mean()+f.slack("ttft") <= f.toLast.mean()/4
}

const (
	notableQueue  = 0.12
	mostOfTheTime = 0.6 // of the scrapes: a queue at the beginning of a run is none
)
