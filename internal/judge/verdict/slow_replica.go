package verdict

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/inferometer/inferometer/internal/judge/hist"
	"github.com/inferometer/inferometer/internal/judge/replica"
	"github.com/inferometer/inferometer/internal/stats"
)

// slowReplica looks for one of several servers that is slower than the others. The
// numbers are then right, but of a set with a bad member: a median hides it, and a
// p99 is its alone.
type slowReplica struct {
	names *replica.Names
	each  []answered
}

// answered is what one server's successes took.
type answered struct{ ttft, tpot pacedHist }

// pacedHist is a distribution, and how far its mean can be relied on.
type pacedHist struct {
	hist.Histogram
	batches
}

func (p *pacedHist) add(ns int64) {
	p.Histogram.Add(ns)
	p.batches.add(float64(ns))
}

func newSlowReplica(f *facts) *slowReplica {
	return &slowReplica{names: replica.NewNames(f.run)}
}

func (c *slowReplica) add(v *view) {
	if v.Warmup || !v.complete || v.Row.First < 0 {
		return
	}
	number := c.names.Of(v.Request.Request)
	if number < 0 {
		return
	}
	for len(c.each) <= number {
		c.each = append(c.each, answered{})
	}
	r := &c.each[number]
	r.ttft.add(v.Row.First)
	if n, ok := v.got(); ok && n > 1 {
		r.tpot.add((v.Row.Last - v.Row.First) / int64(n-1))
	}
}

// A server is judged by 20 answers at least. Differences that a client can't tell
// from its own noise are none.
const (
	leastAnswers = 20
	leastTTFT    = 1e6 // ns
	leastTPOT    = 0.2e6
)

func (c *slowReplica) result(f *facts, l limits) Check {
	if c.names.Len() < 2 {
		return skip("the run had one server, or nobody said which of several answered")
	}
	ttft, tpot := c.slowest(ttftOf), c.slowest(tpotOf)
	if ttft.server < 0 {
		return skip("fewer than two servers have the %d answers that a comparison needs", leastAnswers)
	}
	worst, name := ttft, "TTFT"
	ttftSlow, tpotSlow := ttft.slow(leastTTFT), tpot.slow(leastTPOT)
	if tpotSlow && (!ttftSlow || tpot.ratio() > ttft.ratio()) {
		worst, name = tpot, "TPOT"
	}
	share := ratio(float64(c.each[worst.server].ttft.Count()), float64(f.complete))
	k := found(l, worst.ratio(), fmt.Sprintf("%.2f ×", worst.ratio()), "%s has a median %s of %s, the others have %s; it gave %s of the answers",
		c.names.Name(worst.server), name, ms(worst.median), ms(worst.others), percent(share))
	if !ttftSlow && !tpotSlow {
		k.Level = OK
	}
	var gains []string
	if ttftSlow {
		gains = append(gains, c.gain("TTFT", ttftOf, worst.server))
	}
	if tpotSlow {
		gains = append(gains, c.gain("TPOT", tpotOf, worst.server))
	}
	k.Effect = effect(k, "%s", strings.Join(gains, ", "))
	return k.brief("one of %d servers is slower: its median %s is %.2g times that of the others", c.answering(), name, worst.ratio())
}

// answering is how many servers gave an answer.
func (c *slowReplica) answering() (n int) {
	for i := range c.each {
		if c.each[i].ttft.Count() > 0 {
			n++
		}
	}
	return n
}

// gain is what a p99 would be without a server.
func (c *slowReplica) gain(name string, of func(*answered) *pacedHist, without int) string {
	return fmt.Sprintf("%s p99 without it would be %s instead of %s", name, ms(c.p99(of, without)), ms(c.p99(of, -1)))
}

func ttftOf(r *answered) *pacedHist { return &r.ttft }
func tpotOf(r *answered) *pacedHist { return &r.tpot }

// slowest is the server with the largest median, beside the others.
type slowest struct {
	server         int     // -1: there are too few to compare
	median, others float64 // of the others: the median of their medians
	noise          float64 // standard error of the difference
	among          int     // servers that were compared
}

// errors is how many standard errors are more than noise: the slowest of several is always slower than the rest, and the more so
// the more there are.
func (s *slowest) errors() float64 {
	const alarms = 0.02 // in so many runs over servers alike, at most
	return max(3, stats.StudentQuantile(1-alarms/float64(max(s.among, 1)), mostBatches/2-1))
}

func (s *slowest) ratio() float64 { return ratio(s.median, s.others) }

// slow says whether the difference is more than noise. How much it is, the limits say.
func (s *slowest) slow(least float64) bool {
	difference := s.median - s.others
	return s.server >= 0 && difference > least && difference > s.errors()*s.noise
}

func (c *slowReplica) slowest(of func(*answered) *pacedHist) slowest {
	worst := slowest{server: -1}
	for i := range c.each {
		if p := of(&c.each[i]); p.Count() >= leastAnswers && p.Percentile(50) > worst.median {
			worst.server, worst.median = i, p.Percentile(50)
		}
	}
	var medians []float64
	otherError := 0.0 // relative: that of the least certain one, less where they are many
	for i := range c.each {
		if p := of(&c.each[i]); i != worst.server && p.Count() >= leastAnswers {
			medians = append(medians, p.Percentile(50))
			otherError = max(otherError, p.relativeError())
		}
	}
	if worst.server < 0 || len(medians) == 0 {
		return slowest{server: -1}
	}
	slices.Sort(medians)
	worst.others, worst.among = stats.Median(medians), len(medians)+1
	// The error of a mean stands for that of a median: with a tail it is the larger one.
	otherError *= min(1, 2/math.Sqrt(float64(len(medians))))
	worst.noise = math.Hypot(worst.median*of(&c.each[worst.server]).relativeError(), worst.others*otherError)
	return worst
}

// p99 is over all servers but one.
func (c *slowReplica) p99(of func(*answered) *pacedHist, without int) float64 {
	var all hist.Histogram
	for i := range c.each {
		if i != without {
			all.Merge(&of(&c.each[i]).Histogram)
		}
	}
	return all.Percentile(99)
}

// batches are the means of values that came one after the other, 16 to 32 of them
// whatever the number of values. Neighbours in time share a queue and resemble each
// other, so that the error of a mean, taken from single values, would look too
// small; means of long batches hardly do.
type batches struct {
	size  int // values in a batch
	n     int // values in the batch under way
	sum   float64
	means []float64
}

const mostBatches = 32

func (b *batches) add(v float64) {
	b.size = max(b.size, 1)
	b.sum += v
	b.n++
	if b.n < b.size {
		return
	}
	b.means = append(b.means, b.sum/float64(b.n))
	b.n, b.sum = 0, 0
	if len(b.means) < mostBatches {
		return
	}
	for i := range mostBatches / 2 {
		b.means[i] = (b.means[2*i] + b.means[2*i+1]) / 2
	}
	b.means = b.means[:mostBatches/2]
	b.size *= 2
}

// relativeError is the standard error of the mean, as a share of it.
func (b *batches) relativeError() float64 {
	m := stats.MomentsOf(b.means)
	return ratio(m.StdError(), m.Mean)
}
