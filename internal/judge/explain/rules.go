package explain

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
	tooLittle,
	clientBound,
	slowReplica,
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

const (
	notableQueue  = 0.12
	mostOfTheTime = 0.6 // of the scrapes: a queue at the beginning of a run is none
)
