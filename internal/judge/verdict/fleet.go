package verdict

import (
	"fmt"
	"slices"
	"strings"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/row"
)

// fleetGroup are checks that only a run of several clients has.
const fleetGroup = "fleet"

// mostJudged is how many clients are judged by themselves. A journal may list more, and then
// its size is no measure of the memory that they would take.
const mostJudged = 1000

// fleet is what is known of the clients of a run; nil where it was one.
type fleet struct {
	*journal.Fleet
	titles       []string
	lost, unsent []int64 // by agent
	clients      []*facts
}

func newFleet(run *journal.Run, opt Options) *fleet {
	if run.Fleet == nil {
		return nil
	}
	n := len(run.Fleet.Agents)
	f := &fleet{Fleet: run.Fleet, titles: run.Fleet.Titles(), lost: make([]int64, n), unsent: make([]int64, n)}
	for i := range min(n, mostJudged) {
		a := &run.Fleet.Agents[i]
		own := *run
		own.Environment, own.Proven, own.Clock = a.Environment, a.Proven, a.Clock
		f.clients = append(f.clients, &facts{run: &own, opt: opt, open: newTrack(maxClientSlots)})
	}
	return f
}

// maxClientSlots is the resolution in time of one of many clients.
const maxClientSlots = 512

// missing counts a request of which nothing is known but that it was planned.
func (f *fleet) missing(r *journal.Request) {
	into := f.unsent
	if r.Outcome == journal.Lost {
		into = f.lost
	}
	if r.Agent >= 0 && r.Agent < len(into) {
		into[r.Agent]++
	}
}

// ended gives each client its own samples.
func (f *fleet) ended(end *journal.End, samples []journal.Sample, judge func(string) *Check) {
	for _, c := range f.clients {
		c.end, c.judge, c.server = end, judge, &server{}
	}
	for i := range samples {
		if a := samples[i].Agent; a < len(f.clients) {
			f.clients[a].samples = append(f.clients[a].samples, samples[i])
		}
	}
}

// worst names those of a list of counts that have any, the largest first.
func (f *fleet) worst(counts ...[]int64) string {
	type one struct {
		title string
		n     int64
	}
	var list []one
	for i, title := range f.titles {
		n := int64(0)
		for _, c := range counts {
			n += c[i]
		}
		if n > 0 {
			list = append(list, one{title, n})
		}
	}
	slices.SortStableFunc(list, func(a, b one) int { return int(b.n - a.n) })
	words := []string{}
	const few = 5
	for _, o := range list[:min(few, len(list))] {
		words = append(words, fmt.Sprintf("%s %d", o.title, o.n))
	}
	if len(list) > few {
		words = append(words, fmt.Sprintf("%d more", len(list)-few))
	}
	return strings.Join(words, ", ")
}

// Missing takes a request of a fleet that is lost or was not sent. The server may have had
// one that is lost.
func (c *Collector) Missing(r *journal.Request) error {
	if c.facts.fleet == nil {
		return nil
	}
	c.facts.fleet.missing(r)
	if r.Outcome != journal.Lost {
		return nil
	}
	v := view{Request: &row.Request{Request: r}}
	for _, k := range c.checks {
		switch k.(type) {
		case *serverRequests, *serverTokens:
			k.add(&v)
		}
	}
	return nil
}

// byClient makes a check of a client's own machine for each client of a fleet by itself,
// and shows the worst of them. Of a run of one client it is the check.
func byClient(make func(f *facts) check) func(f *facts) check {
	return func(f *facts) check {
		if f.fleet == nil {
			return make(f)
		}
		c := &eachClient{}
		for _, own := range f.fleet.clients {
			c.checks = append(c.checks, make(own))
		}
		return c
	}
}

type eachClient struct{ checks []check }

func (c *eachClient) add(v *view) {
	if v.Agent < len(c.checks) {
		c.checks[v.Agent].add(v)
	}
}

func (c *eachClient) result(f *facts, l limits) Check {
	worst, of, unknown := Check{}, -1, 0
	for i, k := range c.checks {
		own := f.fleet.clients[i]
		if own.measured == 0 {
			continue // it has sent nothing: it can't have spoiled anything
		}
		one := k.result(own, l)
		if one.Level == NotChecked {
			unknown++
		}
		if of < 0 || one.worse(&worst) {
			worst, of = one, i
		}
	}
	if of < 0 {
		return skip("no agent sent a request")
	}
	worst.Sentence = f.fleet.titles[of] + ": " + worst.Sentence
	if worst.Effect != "" {
		worst.Effect = "of its requests: " + worst.Effect
	}
	if unknown > 0 && worst.Level != NotChecked {
		worst.Sentence += fmt.Sprintf(" (not known for %d agents)", unknown)
	}
	return worst
}

// worse orders checks of several clients.
func (k *Check) worse(than *Check) bool {
	rank := func(c *Check) int {
		if c.Level == NotChecked {
			return -1
		}
		return c.Level.weight()
	}
	if a, b := rank(k), rank(than); a != b {
		return a > b
	}
	return k.Value != nil && (than.Value == nil || *k.Value > *than.Value)
}

// fleetLost is what is missing of the list.
func fleetLost(f *facts, l limits) Check {
	lost, unsent := sumOf(f.fleet.lost), sumOf(f.fleet.unsent)
	planned := int64(f.fleet.Planned)
	if planned == 0 {
		planned = f.measured + lost + unsent
	}
	missing := lost + unsent
	switch {
	case planned == 0:
		return skip("the number of planned requests is not known, and none was sent")
	case missing == 0:
		return found(l, 0, percent(0), "every request of the agents has a record")
	case lost == 0 && f.stoppedTogether():
		return found(l, 0, percent(0), "all agents were stopped (%s): %d requests were not sent, and every request that was sent has a record", f.end.Interrupted, unsent)
	}
	share := float64(missing) / float64(max(planned, missing))
	var words []string
	if lost > 0 {
		words = append(words, counted(int(lost), "request")+" may have been sent and have no record (lost)")
	}
	if unsent > 0 {
		words = append(words, counted(int(unsent), "request")+" were not sent")
	}
	k := found(l, share, percent(share), "%s, of %d: %s", strings.Join(words, ", "), planned, f.fleet.worst(f.fleet.lost, f.fleet.unsent))
	for i := range f.fleet.Agents {
		if gone := f.fleet.Agents[i].Gone; gone != "" && f.fleet.lost[i]+f.fleet.unsent[i] > 0 {
			k.Sentence += fmt.Sprintf("; %s: %.160s", f.fleet.titles[i], gone)
			break
		}
	}
	k.Effect = "the server had less load than planned from then on"
	if words := survivors(f, lost); lost > 0 && words != "" {
		k.Effect += "; " + words
	}
	return k.brief("%d of %d requests were lost or not sent, an agent is gone", missing, planned)
}

// stoppedTogether says that the run was stopped as a whole by who led it, and each agent ended
// in good order: that is for drained to say. One that stopped by itself, because it was cut
// off or its own user stopped it, is not excused.
func (f *facts) stoppedTogether() bool {
	if f.end == nil || f.end.Fleet == nil {
		return false
	}
	for i := range f.end.Fleet.Agents {
		a := &f.end.Fleet.Agents[i]
		if asked := a.Interrupted == journal.Signal || a.Interrupted == journal.Deadline; !a.Ended || !asked {
			return false
		}
	}
	return f.end.Interrupted != ""
}

func sumOf(list []int64) (sum int64) {
	for _, n := range list {
		sum += n
	}
	return sum
}

// fleetClock holds how well clocks are known against what compares them: which requests were
// open at one moment. A latency is of one clock.
func fleetClock(f *facts, l limits) Check {
	worst, of, read := int64(-1), 0, 0
	for i := range f.fleet.Agents {
		a := &f.fleet.Agents[i]
		if !a.Read {
			continue
		}
		read++
		if a.OffsetErrorNs < 0 {
			return skip("how far the clock of %s is from the leader's is not known", f.fleet.titles[i])
		}
		if a.OffsetErrorNs > worst {
			worst, of = a.OffsetErrorNs, i
		}
	}
	switch {
	case read < 2:
		return skip("fewer than two agents sent requests: there is nothing to compare")
	case f.measured == 0:
		return skip("no request was sent")
	}
	const negligible = 1e6 // ns
	open := f.latencies / float64(f.measured)
	value := ratio(float64(worst), open)
	if worst < negligible {
		value = 0
	}
	k := found(l, value, "±"+ms(float64(worst)), "the agents' clocks are known to ±%s (%s), and a request is open for %s; each latency comes from one clock and is not affected", ms(float64(worst)), f.fleet.titles[of], ms(open))
	k.Effect = effect(k, "the number of open requests and the load over time may be shifted by %s", ms(float64(worst)))
	return k.brief("the load over time may be shifted by %s, the agents' clocks differ", ms(float64(worst)))
}

// fleetStart is how far apart the agents began.
func fleetStart(f *facts, l limits) Check {
	first, last := -1, -1
	for i := range f.fleet.Agents {
		a := &f.fleet.Agents[i]
		if !a.Read {
			continue
		}
		if first < 0 || a.SkewNs < f.fleet.Agents[first].SkewNs {
			first = i
		}
		if last < 0 || a.SkewNs > f.fleet.Agents[last].SkewNs {
			last = i
		}
	}
	if first < 0 || first == last {
		return skip("fewer than two agents started")
	}
	a, b := &f.fleet.Agents[first], &f.fleet.Agents[last]
	apart := float64(b.SkewNs - a.SkewNs)
	k := found(l, apart/1e6, ms(apart), "the agents started within %s of each other, by clocks known to ±%s: %s first, %s last", ms(apart), ms(float64(max(a.OffsetErrorNs, 0)+max(b.OffsetErrorNs, 0))), f.fleet.titles[first], f.fleet.titles[last])
	k.Effect = effect(k, "the load began in steps: for the first %s, only some agents sent", ms(apart))
	return k.brief("the agents started %s apart", ms(apart))
}

// fleetDuplicates is what agents said of requests that were not theirs to send, or said twice.
func fleetDuplicates(f *facts, l limits) Check {
	if f.end == nil || f.end.Fleet == nil {
		return skip("the journal does not say what was left out")
	}
	twice, foreign := make([]int64, len(f.fleet.titles)), make([]int64, len(f.fleet.titles))
	for i := range f.end.Fleet.Agents[:min(len(f.end.Fleet.Agents), len(twice))] {
		twice[i], foreign[i] = int64(f.end.Fleet.Agents[i].Duplicates), int64(f.end.Fleet.Agents[i].Foreign)
	}
	n := sumOf(twice) + sumOf(foreign)
	if n == 0 {
		return found(l, 0, percent(0), "each request has one record, from the agent that it was assigned to")
	}
	share := ratio(float64(n), float64(max(f.measured, 1)))
	return found(l, share, percent(share), "%s left out: %d for requests that already had one, %d for requests of another agent: %s", counted(int(n), "record"), sumOf(twice), sumOf(foreign), f.fleet.worst(twice, foreign)).
		brief("%s came twice or from the wrong agent", counted(int(n), "record"))
}
