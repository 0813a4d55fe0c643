package measure

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/bounds"
	"github.com/inferometer/inferometer/internal/judge/hangups"
	"github.com/inferometer/inferometer/internal/judge/job"
	"github.com/inferometer/inferometer/internal/judge/recovery"
	"github.com/inferometer/inferometer/internal/judge/roles"
	"github.com/inferometer/inferometer/internal/judge/row"
	"github.com/inferometer/inferometer/internal/judge/rules"
	"github.com/inferometer/inferometer/internal/judge/sample"
)

// collector takes in requests one by one and keeps what the result needs.
type collector struct {
	run   *journal.Run
	opt   *Options
	rules row.Rules

	expected   int            // requests, or 0
	rows       []row.Row      // as long as they are not too many
	aggregates *aggregates    // then
	series     []series       // durations of requests
	details    []Detail       // parallel to rows
	gaps       *sample.Sample // between token chunks of successes
	tokGaps    *sample.Sample // between tokens of successes
	lag        *sample.Sample // from the kernel to us, all events
	arrivals   tokenTimes     // tokens of successes in time
	gapLog     gapLog         // the first gaps and their times

	outcomes map[journal.Outcome]int
	errors   errorCounts
	tokens   Tokens
	cache    cacheSums
	totals   totals
	goodput  goodput
	tallies  *tallies     // of each server, if there are several
	agents   []agentTally // of each client, if there are several
	lost     int          // requests that may have been sent, and of which no client has a record
	unsent   int          // requests that were not
	paced    row.Paced
	hangUps  hangups.Collector
	turns    *grouper
	adapters *grouper
	jobs     *jobs
	batches  *job.Batches
	thinking thinking

	sources        map[row.TokenSource]int // successes by how the tokens of their events are known
	uncounted      int                     // successes whose tokens nobody counted, in all or by event
	tokenEvents    int64                   // events with tokens, where known
	knownTokens    int64                   // tokens in them
	maxTokens      int
	chunks         int64 // token chunks of successes
	events         int64
	sharedReads    int64
	unstampedReads int64
	bounds         *bounds.Collector
	probes         probes
	served         served
	byRules        rules.Counts
	recovery       *recovery.Collector // nil where no fault was planned
	roles          *roles.Collector
}

func newCollector(run *journal.Run, opt *Options, samples func() []journal.Sample) *collector {
	c := &collector{
		run: run, opt: opt, rules: row.NewRules(&run.Options, *opt.Compat),
		gaps: sample.New(opt.ExactLimit), tokGaps: sample.New(opt.ExactLimit), lag: sample.New(opt.ExactLimit),
		arrivals: tokenTimes{limit: opt.ExactLimit, slots: newCounts(maxCells)}, gapLog: gapLog{limit: min(gapLogLen, opt.ExactLimit)},
		outcomes: map[journal.Outcome]int{}, sources: map[row.TokenSource]int{},
	}
	c.goodput, c.cache = newGoodput(opt.Goodput), newCacheSums()
	c.tallies, c.agents = newTallies(run, opt), newAgentTallies(run)
	c.turns, c.adapters, c.jobs = byTurn(), byAdapter(), newJobs(run, opt)
	c.recovery, c.roles = recovery.NewCollector(run), roles.NewCollector(run)
	c.batches = job.NewBatches(run.Options.Batch)
	c.series, c.served, c.bounds = c.seriesOf(), newServed(run), bounds.NewCollector(run, samples)
	return c
}

// expect makes ready for so many requests. If they are too many to be kept one by one,
// none is from the first on, which takes half of the memory.
func (c *collector) expect(requests int) {
	many := requests > c.opt.RowLimit && !c.opt.Detailed
	if requests <= 0 {
		requests = c.run.Options.NumPrompts
	}
	// Room for what was announced, but not for what a broken file may announce.
	c.expected = min(max(requests, 0), c.opt.RowLimit+1)
	if many {
		c.aggregate()
		return
	}
	c.rows = make([]row.Row, 0, c.expected)
}

// Add takes in a request. Warm-ups are not measured.
func (c *collector) Add(r *row.Request) error {
	if r.Probe {
		c.probes.add(r, c.opt.ExactLimit)
	}
	c.served.add(r.Request)
	if r.Warmup {
		return nil
	}
	if err := c.tallies.add(r); err != nil {
		return err
	}
	if r.Row.OK && c.totals.completed == 0 {
		c.reserve(r)
	}
	c.totals.add(&r.Row)
	c.goodput.add(r.Request, &r.Row)
	if agent := c.agentOf(r.Request); agent != nil {
		agent.add(r)
	}
	c.paced.Add(r.Request)
	c.byRules.Add(r.Request)
	c.turns.add(r)
	c.adapters.add(r)
	c.jobs.add(r)
	c.recovery.Add(r)
	c.batches.Add(r.Index, r.Sent, r.End)
	c.keep(&r.Row)
	c.countTokens(r)
	c.countReads(r.Request)
	c.outcomes[r.Outcome]++
	c.hangUps.Add(r)
	if r.Outcome.Failed() {
		c.errors.add(r.Outcome, r.Error)
	}
	if r.Row.OK {
		c.totals.addMedia(r.Request)
		c.thinking.add(r)
		c.addGaps(r)
		c.roles.Add(r)
		c.addTokens(r)
		c.bounds.Add(r)
	}
	if c.opt.Detailed {
		c.details = append(c.details, detail(r))
	}
	return nil
}

// reserve makes room for a run whose requests are all like this one: growing step
// by step would copy every value some times.
func (c *collector) reserve(r *row.Request) {
	of := func(each int) int { return c.expected * min(each, c.opt.ExactLimit) }
	for _, s := range []*sample.Sample{c.gaps, c.tokGaps} {
		s.Reserve(of(len(r.Chunks)))
		s.ReserveRuns(c.expected)
	}
	c.lag.Reserve(of(len(r.Events.Lag)))
	c.arrivals.reserve(of(len(r.Arrivals())))
	c.gapLog.reserve(of(len(r.Chunks)))
}

func (c *collector) countTokens(r *row.Request) {
	t := &c.tokens
	t.PromptPlanned += int64(r.PromptTokens)
	t.PromptCounted += int64(r.UsagePrompt)
	t.PromptCached += int64(r.UsageCached)
	c.cache.add(r)
	t.OutputAsked += int64(r.OutputTokens)
	if r.Row.Last >= 0 {
		t.OutputGot += int64(r.Row.Got)
	}
	if !r.Row.OK {
		return
	}
	switch r.Row.CountedBy {
	case row.ByUsage:
		t.ByUsage++
	case row.ByTokenizer:
		t.ByTokenizer++
	case row.ByEvents:
		t.ByEvents++
	}
}

func (c *collector) countReads(req *journal.Request) {
	c.events += int64(len(req.Events.At))
	c.sharedReads += int64(req.SharedReads)
	c.unstampedReads += int64(req.UnstampedRead)
	for _, ns := range req.Events.Lag {
		c.lag.Add(seconds(ns))
	}
}

// addGaps adds the times between token chunks.
func (c *collector) addGaps(r *row.Request) {
	c.chunks += int64(len(r.Chunks))
	c.gaps.Begin(r.Index)
	for end, gap := range r.Gaps() {
		c.gaps.Add(seconds(gap))
		c.gapLog.add(end, gap)
	}
}

// addTokens counts the tokens in time, and adds the times between them: the time since
// the last event with tokens, shared equally by the tokens of this one.
func (c *collector) addTokens(r *row.Request) {
	c.sources[r.TokensBy]++
	if r.TokensBy == row.TokensUnknown && r.UsageOutput == 0 && r.TextTokens == 0 {
		c.uncounted++
	}
	for _, a := range r.Arrivals() {
		c.arrivals.add(a.At, a.Tokens)
	}
	if r.TokensBy == row.TokensUnknown {
		return
	}
	c.tokGaps.Begin(r.Index)
	r.EachTokens(func(gap int64, n int, first bool) {
		c.tokenEvents++
		c.knownTokens += int64(n)
		c.maxTokens = max(c.maxTokens, n)
		if !first {
			each := seconds(gap) / float64(n)
			for range n {
				c.tokGaps.Add(each)
			}
		}
	})
}

func detail(r *row.Request) Detail {
	d := Detail{ITL: []float64{}}
	for _, gap := range r.Gaps() {
		d.ITL = append(d.ITL, seconds(gap))
	}
	if r.Text != nil {
		d.Text = *r.Text
	}
	if !r.Row.OK {
		d.Error = message(r.Outcome, r.Error)
	}
	return d
}

// message is never empty: readers of vLLM's errors array take an empty one for a success.
func message(o journal.Outcome, text string) string {
	if text == "" {
		return string(o)
	}
	return text
}

// sortRows puts rows and details in the order of requests.
func (c *collector) sortRows() {
	if slices.IsSortedFunc(c.rows, func(a, b row.Row) int { return cmp.Compare(a.Index, b.Index) }) {
		return
	}
	if c.details == nil {
		slices.SortStableFunc(c.rows, func(a, b row.Row) int { return cmp.Compare(a.Index, b.Index) })
		return
	}
	order := make([]int, len(c.rows))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(c.rows[a].Index, c.rows[b].Index) })
	rows, details := make([]row.Row, len(order)), make([]Detail, len(order))
	for to, from := range order {
		rows[to], details[to] = c.rows[from], c.details[from]
	}
	c.rows, c.details = rows, details
}

// errorCounts counts messages by their kind: those that differ in figures alone
// ("3 of 20 tokens") are one, shown by the first of them. It stops to tell new
// ones apart at some thousand: a server may put an id into each.
type errorCounts struct {
	list  []ErrorCount
	index map[ErrorCount]int // key has Count 0, and # for each figure
}

// kindOf replaces each run of digits by #.
func kindOf(message string) string {
	var b strings.Builder
	in := false
	for _, r := range message {
		digit := r >= '0' && r <= '9'
		switch {
		case !digit:
			b.WriteRune(r)
		case !in:
			b.WriteByte('#')
		}
		in = digit
	}
	return b.String()
}

const maxDistinctErrors = 1000

func (e *errorCounts) add(o journal.Outcome, text string) {
	words := message(o, text)
	key := ErrorCount{Outcome: o, Message: kindOf(words)}
	i, ok := e.index[key]
	if !ok {
		if len(e.list) == maxDistinctErrors {
			return
		}
		if e.index == nil {
			e.index = map[ErrorCount]int{}
		}
		i = len(e.list)
		e.index[key] = i
		e.list = append(e.list, ErrorCount{Outcome: o, Message: words})
	}
	e.list[i].Count++
}

// topErrors are the ten most frequent messages; the earlier first where equal.
func (c *collector) topErrors() []ErrorCount {
	list := slices.Clone(c.errors.list)
	slices.SortStableFunc(list, func(a, b ErrorCount) int { return b.Count - a.Count })
	return list[:min(len(list), 10)]
}

// outcomeCounts lists complete always, and the others that occurred.
func outcomeCounts(counts map[journal.Outcome]int) []OutcomeCount {
	out := []OutcomeCount{}
	for _, o := range journal.Outcomes {
		if n := counts[o]; n > 0 || o == journal.Complete {
			out = append(out, OutcomeCount{o, n})
		}
	}
	var others []journal.Outcome // of a newer version
	for o := range counts {
		if !slices.Contains(journal.Outcomes, o) {
			others = append(others, o)
		}
	}
	slices.Sort(others)
	for _, o := range others {
		out = append(out, OutcomeCount{o, counts[o]})
	}
	return out
}

func (c *collector) interToken(completed int) InterToken {
	unknown := c.sources[row.TokensUnknown]
	t := InterToken{Known: enough(completed-unknown, completed), Requests: completed - unknown, By: []string{}}
	for by := range c.sources {
		if by != row.TokensUnknown {
			t.By = append(t.By, string(by))
		}
	}
	slices.Sort(t.By)
	switch {
	case completed == 0:
		t.Reason = "no request succeeded"
	case c.run.Options.Unstreamed:
		t.Known, t.Reason = false, NotStreamed
	case unknown > 0:
		t.Reason = fmt.Sprintf("the server did not say how many tokens each event carries (%d of %d requests); "+
			"vLLM and SGLang do with --continuous-usage", unknown, completed)
	}
	if t.Known && c.tokGaps.N() > 0 {
		s := summarize(c.tokGaps)
		t.Summary = &s
	}
	return t
}

// tokensInTime says what the counts of tokens in time are worth. vLLM's rules count
// chunks, and always know how many.
func (c *collector) tokensInTime(completed int) TokensInTime {
	t := TokensInTime{Events: c.uncounted}
	t.Spread = max(c.sources[row.TokensUnknown]-t.Events, 0)
	t.Exact = max(completed-t.Spread-t.Events, 0)
	t.Known = c.rules.VLLM || completed == 0 || enough(completed-t.Events, completed)
	if c.rules.Unstreamed {
		t.Known, t.Reason = false, NotStreamed
	} else if !t.Known {
		t.Reason = fmt.Sprintf("nobody counted the tokens of %d of %d answers: neither the server nor a tokenizer", t.Events, completed)
	}
	return t
}

// tokensPerEvent is exact where the tokens of events are known, else the total by the chunks.
func (c *collector) tokensPerEvent(r *Result) TokensPerEvent {
	if c.sources[row.TokensUnknown] == 0 {
		return TokensPerEvent{
			Known: r.Completed > 0, Mean: ratio(c.knownTokens, c.tokenEvents), Max: c.maxTokens, Events: c.tokenEvents,
		}
	}
	return TokensPerEvent{Mean: ratio(r.OutputTokens, c.chunks), Events: c.chunks}
}

func ratio(a, b int64) float64 {
	if b == 0 {
		return 0
	}
	return float64(a) / float64(b)
}
