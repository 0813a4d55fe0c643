package explain

import (
	"math"
	"slices"

	"github.com/inferometer/inferometer/internal/judge/hist"
	"github.com/inferometer/inferometer/internal/judge/serving"
	"github.com/inferometer/inferometer/internal/outside"
	"github.com/inferometer/inferometer/internal/stats"
)

// A server is slower than the others where its median is, clearly, and three quarters of its answers
// are slower than half of the others', or more where it gave few: four standard errors of a coin that is thrown
// for each answer. Then it is not the luck of a few.
const (
	fewAnswers  = 16
	coinErrors  = 4.0
	slowerBy    = 1.4
	leastTTFT   = 2e6 // ns: below that a client can't tell
	leastPause  = 0.5e6
	unevenShare = 1.5 // times its fair share of the requests: then it may be slow for having more to do
)

func slowReplica(f *facts) *finding {
	if !f.several() {
		return nil
	}
	pauses := slowestOf(f.replicas, func(r *answers) *hist.Histogram { return &r.pause })
	firsts := slowestOf(f.replicas, func(r *answers) *hist.Histogram { return &r.ttft })
	worst, name := pauses, "time between chunks of tokens"
	switch {
	case pauses.slow(leastPause + f.slack("tpot")):
	case firsts.slow(leastTTFT+f.slack("ttft")) && !f.onlyQueues(firsts.target):
		worst, name = firsts, "time to the first token"
	default:
		return nil
	}
	sent := int64(0)
	for i := range f.replicas {
		sent += f.replicas[i].sent
	}
	share := float64(f.replicas[worst.target].sent) / float64(sent)
	if share*float64(f.gotRequests()) > unevenShare {
		return nil
	}
	found := &finding{limit: SlowReplica}
	found.add("the server %s had a median %s of %s, and the others %s: %.2g times as long", outside.Word(f.names.Name(worst.target)), name, ms(worst.median), ms(worst.others), worst.median/worst.others)
	found.add("it answered %s of the requests, so it was not slow because it had more to do", percent(share))
	found.next = "Look at that server: its clocks and temperature, who else uses it, its settings; measure it alone, and the others without it."
	return found
}

// slowServer is the server with the largest median, beside the others.
type slowServer struct {
	target                  int // -1: there are too few to compare
	median, quarter, others float64
}

func (s *slowServer) slow(least float64) bool {
	return s.target >= 0 && s.median > slowerBy*s.others && s.median-s.others > least && s.quarter > s.others
}

func slowestOf(replicas []answers, of func(*answers) *hist.Histogram) slowServer {
	worst := slowServer{target: -1}
	for i := range replicas {
		if h := of(&replicas[i]); h.Count() >= fewAnswers && h.Percentile(50) > worst.median {
			most := 100 * (0.5 - coinErrors/2/math.Sqrt(float64(h.Count())))
			worst.target, worst.median, worst.quarter = i, h.Percentile(50), h.Percentile(min(25, max(most, 0)))
		}
	}
	var medians []float64
	for i := range replicas {
		if h := of(&replicas[i]); i != worst.target && h.Count() >= fewAnswers {
			medians = append(medians, h.Percentile(50))
		}
	}
	if len(medians) == 0 {
		return slowServer{target: -1}
	}
	slices.Sort(medians)
	worst.others = stats.Median(medians)
	return worst
}

// onlyQueues says that a replica's requests wait in its queue, and that it computes prompts as quickly as the others: in a closed loop
// those that wait gather at one of several that are alike.
func (f *facts) onlyQueues(number int) bool {
	queues, own := false, math.NaN()
	var others []float64
	for _, s := range f.servers {
		prefill := s.over(serving.Prefill)
		switch {
		case f.number(s) == number:
			queues, own = s.scrapes >= fewScrapes && s.waiting >= 1, prefill
		case !math.IsNaN(prefill):
			others = append(others, prefill)
		}
	}
	if !queues || len(others) == 0 || math.IsNaN(own) {
		return false
	}
	slices.Sort(others)
	return own <= alikePrefill*stats.Median(others)
}

// alikePrefill is how much longer prompts may take at one of several that are alike.
const alikePrefill = 1.2

// gotRequests is how many replicas got any.
func (f *facts) gotRequests() (n int) {
	for i := range f.replicas {
		if f.replicas[i].sent > 0 {
			n++
		}
	}
	return n
}
