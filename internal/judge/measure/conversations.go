package measure

import (
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/hist"
	"github.com/inferometer/inferometer/internal/judge/row"
	"github.com/inferometer/inferometer/internal/judge/sample"
	"github.com/inferometer/inferometer/internal/stats"
)

// Conversations are what was measured of conversations as a whole. Times and tokens are
// of the complete ones: what was cut off has no time to done.
type Conversations struct {
	Begun     int // = Complete + Failed + Abandoned + Open
	Complete  int // each turn was sent and succeeded
	Failed    int // a turn failed, and no more were sent
	Abandoned int // the run ended before they did
	Open      int // nothing is known of their end: the run was killed, or its journal is not whole
	Turns     ConversationTurns
	Rate      float64 // complete ones per second of the run

	Time  GroupLatency // from when the first turn was due to the last answer
	Busy  GroupLatency // without think time: what the server and the client took
	Think float64      // mean think time in ms

	TurnsEach    Amounts // turns that succeeded, of each that ended, whatever its outcome
	PromptTokens Amounts // prompts of all its turns, as the server counted; of those of which it counted all
	OutputTokens Amounts
	CachedShare  Amounts // share of these prompts that the server had cached, of those of which it said so
}

// ConversationTurns count requests of conversations that ended: Planned = Sent + Skipped.
type ConversationTurns struct {
	Planned  int64 `json:"planned"`
	Sent     int64 `json:"sent"`
	Skipped  int64 `json:"skipped"` // never sent, since an earlier one failed or the run ended
	Complete int64 `json:"complete"`
}

// Amounts is a distribution of what is no duration.
type Amounts struct {
	Count int // of how many it is known
	Mean  float64
	P50   float64
	P90   float64
	P99   float64
	Max   float64
}

// amounts collects one. Values are counted as whole numbers of a unit.
type amounts struct {
	hist hist.Histogram
	unit float64
}

func (a *amounts) add(v float64) { a.hist.Add(int64(v/a.unit + 0.5)) }

func (a *amounts) result() Amounts {
	if a.hist.Count() == 0 {
		return Amounts{}
	}
	m := a.hist.Moments()
	at := func(p float64) float64 { return a.hist.Percentile(p) * a.unit }
	return Amounts{Count: a.hist.Count(), Mean: m.Mean * a.unit, P50: at(50), P90: at(90), P99: at(99), Max: m.Max * a.unit}
}

// mostOpen is how many conversations may be open at once: 64 MB. Of those beyond it
// only their own line is read.
const mostOpen = 1 << 20

// talks takes in conversations. Of one that is open it keeps a few numbers, of one that
// has ended nothing: they end in any order, and there may be millions.
type talks struct {
	out  Conversations
	open map[int]*talk

	time, busy           *sample.Sample
	think                stats.Moments
	turns, prompt, given amounts
	share                amounts
	times, busies        gapLog // the first ones in the order in which they ended
	thinks               bool   // a turn had a delay
}

// talk is what is kept of an open conversation.
type talk struct {
	requests, counted int32 // that succeeded; of which the server counted the prompt
	prompt, output    int64
	cached            Cached
}

func newTalks(limit int) *talks {
	return &talks{
		open: map[int]*talk{}, time: sample.New(limit), busy: sample.New(limit),
		turns: amounts{unit: 1}, prompt: amounts{unit: 1}, given: amounts{unit: 1}, share: amounts{unit: 1e-6},
		times: gapLog{limit: earlyLen}, busies: gapLog{limit: earlyLen},
	}
}

// add takes in a measured request.
func (t *talks) add(r *row.Request) {
	if r.Conversation <= 0 {
		return
	}
	t.thinks = t.thinks || r.Delay > 0
	one := t.open[r.Conversation]
	if one == nil {
		if len(t.open) >= mostOpen {
			return
		}
		one = &talk{}
		t.open[r.Conversation] = one
	}
	if !r.Row.OK {
		return
	}
	one.requests++
	one.output += int64(r.Row.Output)
	if r.Row.Counted >= 0 {
		one.counted++
		one.prompt += int64(r.Row.Counted)
	}
	one.cached.add(&r.Row)
}

// ended takes in the line of a conversation, which comes after those of its requests.
func (t *talks) ended(c *journal.Conversation) {
	one := t.open[c.Number]
	delete(t.open, c.Number)
	t.out.Begun++
	n := &t.out.Turns
	n.Planned += int64(c.Turns)
	n.Sent += int64(c.Sent)
	n.Skipped += int64(c.Skipped)
	n.Complete += int64(c.Complete)
	t.turns.add(float64(c.Complete))
	switch c.Outcome {
	case journal.ConversationComplete:
		t.out.Complete++
		t.done(c, one)
	case journal.ConversationAbandoned:
		t.out.Abandoned++
	default:
		t.out.Failed++
	}
}

func (t *talks) done(c *journal.Conversation, one *talk) {
	took, busy := c.End-c.Begin, max(c.End-c.Begin-c.Think, 0)
	t.time.Add(seconds(took))
	t.busy.Add(seconds(busy))
	t.times.add(c.End, took)
	t.busies.add(c.End, busy)
	t.think.Add(float64(c.Think) / 1e6)
	if one == nil { // more were open than are kept
		return
	}
	all := int32(c.Sent)
	if one.requests == all {
		t.given.add(float64(one.output))
	}
	if one.counted == all {
		t.prompt.add(float64(one.prompt))
	}
	if v, ok := one.cached.Share(); ok && one.cached.Known == int(all) {
		t.share.add(v)
	}
}

// seen says that the run had conversations.
func (t *talks) seen() bool { return t.out.Begun > 0 || len(t.open) > 0 }

// result is nil in a run without conversations.
func (t *talks) result(r *Result, percentiles []float64) *Conversations {
	if !t.seen() {
		return nil
	}
	out := t.out
	out.Open = len(t.open)
	out.Begun += out.Open
	out.Rate = perSecond(out.Complete, r.Duration)
	out.Time = GroupLatency{summarize(t.time), askedBeyond(t.time, percentiles)}
	out.Busy = GroupLatency{summarize(t.busy), askedBeyond(t.busy, percentiles)}
	out.Think = t.think.Mean
	out.TurnsEach, out.PromptTokens, out.OutputTokens, out.CachedShare = t.turns.result(), t.prompt.result(), t.given.result(), t.share.result()
	return &out
}

// sample is the values of a metric per conversation, and what its intervals are made of.
func (t *talks) sample(name string) (*sample.Sample, stats.Chain) {
	if name == "conversation_busy_time" {
		return t.busy, t.busies.chain()
	}
	return t.time, t.times.chain()
}
