package verdict

import (
	"fmt"
	"math"
	"slices"

	"github.com/inferometer/inferometer/internal/judge/slots"
	"github.com/inferometer/inferometer/internal/stats"
)

// drift looks for a server that became slower or faster during the run: by a step (a
// hog, a clock that falls) or bit by bit (a leak, a cache that fills, heat). It looks at
// requests in the order of their sends, TTFT and TPOT each by itself, which do not
// depend on how long answers are; and at the latency where an answer is no stream.
type drift struct{ *slots.Slots[driftCell] }

// driftCell is a short time of the run: how many requests were sent in it, and their values.
type driftCell struct {
	sent int64
	of   [driftKinds]driftSum
}

// driftSum is some values of one kind. TTFT and latency are summed by their logarithms, so that one
// that is far above the others weighs little. Of TPOT, time and tokens are: an answer that was
// read in one piece, as after a stall, has none to speak of, and a logarithm without a bottom.
type driftSum struct{ n, sum, weight float64 }

func (d *driftSum) plus(o driftSum) {
	d.n, d.sum, d.weight = d.n+o.n, d.sum+o.sum, d.weight+o.weight
}

// level is the logarithm of the value.
func (d *driftSum) level(kind int) float64 {
	if kind == driftTPOT {
		return math.Log(max(d.sum, 1) / d.weight)
	}
	return d.sum / d.weight
}

// The values that drift looks at.
const (
	driftTTFT = iota
	driftTPOT
	driftLatency
	driftKinds
)

var driftNames = [driftKinds]string{"TTFT", "TPOT", "latency"}

func newDrift(*facts) check {
	return &drift{slots.New(firstWidth, maxSlots, func(into, from *driftCell) {
		into.sent += from.sent
		for k := range into.of {
			into.of[k].plus(from.of[k])
		}
	})}
}

func (c *drift) add(v *view) {
	if v.Warmup {
		return
	}
	cell := c.At(v.Sent)
	cell.sent++
	if !v.complete || v.follows() {
		return
	}
	logarithm := func(kind int, ns int64) {
		if ns > 0 {
			cell.of[kind].plus(driftSum{1, math.Log(float64(ns)), 1})
		}
	}
	logarithm(driftLatency, v.latency())
	if !v.Row.Whole {
		logarithm(driftTTFT, v.Row.First)
	}
	if tpot, ok := v.Row.TPOT(); ok {
		tokens := float64(v.Row.Output - 1)
		cell.of[driftTPOT].plus(driftSum{1, tpot * tokens * 1e9, tokens})
	}
}

func (c *drift) result(f *facts, l limits) Check {
	switch f.run.Options.Pace {
	case "closed", "", "constant", "poisson", "gamma":
	case "burst":
		return skip("all requests at once: no request was sent later than another")
	default:
		return skip("the rate changes as planned (%s), and latencies with it", f.run.Options.Pace)
	}
	when := ""
	if at, ok := f.firstFault(); ok {
		when = "before the first fault, "
		c.Cells = c.Cells[:min(max(int(at/c.Width), 0), len(c.Cells))]
	}
	kinds := c.kinds(f)
	if kinds == nil && f.complete > 0 {
		return skip("an open loop without times per token: latencies follow the queue, see growing")
	}
	var worst *shift
	for _, kind := range kinds {
		if s := findShift(kind, c.blocks(kind, f)); s != nil && (worst == nil || s.heavier(worst)) {
			worst = s
		}
	}
	switch {
	case worst == nil && when != "":
		return skip("too few requests before the first fault to tell a drift from chance")
	case worst == nil && f.conversing():
		return skip("too few first turns (%d): later ones take longer because of their history, which is no drift", f.paced.n)
	case worst == nil:
		return skip("too few requests (%d) to tell a drift from chance with about %d in flight", f.measured, f.together())
	}
	k := c.say(worst, f, l)
	k.Sentence = when + k.Sentence
	return k
}

// kinds are the values to look at: the latency only where there is no stream, and in an
// open loop those alone that do not follow the queue, which grows and falls by chance.
func (c *drift) kinds(f *facts) (out []int) {
	var n [driftKinds]float64
	for _, cell := range c.Cells {
		for k := range n {
			n[k] += cell.of[k].n
		}
	}
	if n[driftTPOT] > n[driftLatency]/2 {
		out = append(out, driftTPOT)
	}
	switch {
	case !f.closed():
	case n[driftTTFT] > n[driftLatency]/2:
		out = append(out, driftTTFT)
	case out == nil:
		out = append(out, driftLatency)
	}
	return out
}

// together is how many requests were in flight at a time: these share their luck.
func (f *facts) together() int64 {
	if limit := int64(max(f.run.Options.MaxConcurrency, f.run.Options.Batch)); f.closed() && limit > 0 {
		return min(limit, max(f.measured, 1))
	}
	return max(int64(math.Ceil(ratio(f.latencies, f.span()))), 1)
}

// spawned is when all slots of a closed loop could be used.
func (f *facts) spawned() int64 {
	if o := &f.run.Options; f.closed() && o.SpawnRate > 0 {
		return f.firstSent + int64(float64(o.MaxConcurrency)/o.SpawnRate*1e9)
	}
	return f.firstSent
}

// before is how many values lie before a moment.
func (c *drift) before(at int64, kind int) (n float64) {
	for from, cell := range c.All() {
		if from+c.Width > at {
			break
		}
		n += cell.of[kind].n
	}
	return n
}

// block is a number of requests that were sent one after the other.
type block struct {
	end   int // the cell after its last
	value float64
}

const (
	mostBlocks   = 40
	leastInBlock = 5
)

// blocks cuts the requests into parts of equal number, each of at least as many as are in
// flight together. The first of a run are left out, as many as that: they start at once, or meet
// an empty server; and so are the last, beside which ever fewer are in flight.
func (c *drift) blocks(kind int, f *facts) []block {
	total := 0.0
	for i := range c.Cells {
		total += c.Cells[i].of[kind].n
	}
	wave := float64(f.together())
	first := wave + c.before(f.spawned(), kind)
	used := total - first - wave
	want := min(math.Floor(used/max(wave, leastInBlock)), mostBlocks)
	if want < stats.FewestInShift {
		return nil
	}
	var out []block
	now, seen, edge := driftSum{}, 0.0, first+used/want
	for i := range c.Cells {
		cell := c.Cells[i].of[kind]
		seen += cell.n
		if seen <= first {
			continue
		}
		now.plus(cell)
		if seen < edge-0.5 || now.n == 0 {
			continue
		}
		out, now = append(out, block{i + 1, now.level(kind)}), driftSum{}
		for edge <= seen+0.5 {
			edge += used / want
		}
		if edge > first+used+0.5 {
			break
		}
	}
	return out
}

// shift is the change that fits the blocks of a run best.
type shift struct {
	*stats.Shift
	kind   int
	blocks []block
}

// findShift is nil where there are too few blocks.
func findShift(kind int, blocks []block) *shift {
	if found := stats.FindShift(values(blocks)); found != nil {
		return &shift{found, kind, blocks}
	}
	return nil
}

func values(blocks []block) []float64 {
	list := make([]float64, len(blocks))
	for i, b := range blocks {
		list[i] = b.value
	}
	return list
}

// share is the change as a share of what was before.
func (s *shift) share() float64 {
	before, after := s.levels()
	return after/before - 1
}

// heavier says that there is more to say of it than of another.
func (s *shift) heavier(than *shift) bool {
	if a, b := s.Sure >= 1, than.Sure >= 1; a != b || !a {
		return s.Sure > than.Sure
	}
	return math.Abs(s.Change) > math.Abs(than.Change)
}

// levels are the values before and after: those of the block in the middle, or the ends of the line.
func (s *shift) levels() (before, after float64) {
	if s.At > 0 {
		return math.Exp(median(s.blocks[:s.At])), math.Exp(median(s.blocks[s.At+1:]))
	}
	middle := median(s.blocks)
	return math.Exp(middle - s.Change/2), math.Exp(middle + s.Change/2)
}

func median(blocks []block) float64 {
	return stats.Median(slices.Sorted(slices.Values(values(blocks))))
}

// say puts the change that was found into words.
func (c *drift) say(s *shift, f *facts, l limits) Check {
	what := driftNames[s.kind]
	if f.conversing() {
		what += " of first turns"
	}
	before, after := s.levels()
	course := fmt.Sprintf("%s: typically %s at the beginning, %s at the end", what, ms(before), ms(after))
	if s.At > 0 {
		request, at := c.place(s)
		course = fmt.Sprintf("%s: typically %s until request %d of %d (at %.3g s), %s after", what, ms(before), request, f.measured, float64(at-f.firstSent)/1e9, ms(after))
	}
	figure := fmt.Sprintf("%+.0f %%", s.share()*100)
	// What a clock or a scheduler does to a first token is no drift of a server.
	const least = 1e6
	if s.Sure < 1 || s.kind != driftTPOT && math.Abs(after-before) < least {
		return found(l, 0, figure, "%s; within chance", course)
	}
	if s.At == 0 && !f.closed() && f.judge("growing").Level.Bad() {
		return found(l, 0, figure, "%s: because more and more are in flight, see growing", course)
	}
	k := found(l, math.Abs(s.share()), figure, "%s; more than chance explains", course)
	k.Effect = effect(k, "the run's numbers mix both: a longer run, or one started later, would give different numbers")
	word := "rose"
	if s.share() < 0 {
		word = "fell"
	}
	return k.brief("%s %s by %s during the run, from %s to %s", what, word, percent(math.Abs(s.share())), ms(before), ms(after))
}

// place is where a step lies among the cells of its block and of the ones beside it: after
// which request of all, and when.
func (c *drift) place(s *shift) (request, at int64) {
	from, to := s.blocks[s.At-2].end, s.blocks[s.At+1].end
	best, cut := -1.0, s.blocks[s.At].end
	for i := from + 1; i < to; i++ {
		left, right := c.sum(s.kind, from, i), c.sum(s.kind, i, to)
		if left.n == 0 || right.n == 0 || c.Cells[i-1].of[s.kind].n == 0 {
			continue
		}
		apart := left.level(s.kind) - right.level(s.kind)
		if explained := apart * apart * left.n * right.n; explained > best {
			best, cut = explained, i
		}
	}
	for _, cell := range c.Cells[:cut] {
		request += cell.sent
	}
	return request, int64(cut) * c.Width
}

func (c *drift) sum(kind, from, to int) (all driftSum) {
	for i := from; i < to; i++ {
		all.plus(c.Cells[i].of[kind])
	}
	return all
}
