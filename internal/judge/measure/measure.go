// Package measure turns a journal into numbers. It is a pure function: no files,
// no clocks, no sockets. Run it again a year later with other targets,
// percentiles or rules, and the same journal gives the new answer.
//
//	row.Pass ─▶ row.Request ─▶ totals, rows (one per request) ─▶ metrics, peaks, steady state
//	              │             └ if too many ─▶ aggregates (histograms, counts in time) ─┘
//	              └▶ events ─▶ samples (gaps, lag), tokenTimes (tokens in time)
//
// What a metric is stands once, in package metric. The statistics are NumPy's, to the last digit
// (package stats), because vLLM's are.
//
// Memory is bounded: some 100 bytes a request up to [RowLimit] requests, then
// what aggregates hold; and of events what [Sample] and tokenTimes keep. Only with
// [Options].Detailed does it grow with requests and events.
//
// Two sets of rules exist: ours, and vLLM's for --compat vllm. They differ in
// what a success is, how tokens are counted where nobody said, and what a peak
// is; docs/vllm.md lists each difference.
package measure

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/metric"
	"github.com/inferometer/inferometer/internal/judge/price"
	"github.com/inferometer/inferometer/internal/judge/roles"
	"github.com/inferometer/inferometer/internal/judge/row"
	"github.com/inferometer/inferometer/internal/judge/rules"
	"github.com/inferometer/inferometer/internal/judge/sample"
)

// Journal is a journal to measure. Next returns io.EOF after the last request;
// what it returns may be reused by the next call. End is valid after that, and
// nil when the run was killed.
type Journal interface {
	Run() *journal.Run
	Next() (*journal.Request, error)
	End() *journal.End
}

// Options change what is measured. The zero value is what the run asked for.
type Options struct {
	Detailed bool // keep gaps, texts and errors of every request

	// These replace what the run was started with, where set.
	Percentiles       []float64
	PercentileMetrics []string
	Goodput           map[string]float64 // metric: milliseconds
	Compat            *string
	Rules             string // of others, to judge the run by

	SteadyThreshold float64 // share of the concurrency limit; 0: 0.95
	SteadyMinWindow float64 // seconds; 0: ten seconds or a tenth of the run
	ExactLimit      int     // values that a Sample keeps; 0: ExactLimit
	RowLimit        int     // requests that are kept one by one; 0: RowLimit. Detailed keeps all

	Warnings []string // come first among the result's: doubts about the journal itself
}

// withDefaults fills what is not set from the run, and then from vLLM's defaults.
func (o Options) withDefaults(run *journal.Options) Options {
	if len(o.Percentiles) == 0 {
		o.Percentiles = run.ReportedPercentiles()
	}
	if len(o.PercentileMetrics) == 0 {
		o.PercentileMetrics = run.ReportedMetrics()
	}
	if o.Goodput == nil {
		o.Goodput = run.Goodput
	}
	if o.Compat == nil {
		o.Compat = &run.Compat
	}
	if o.Rules == "" {
		o.Rules = run.Rules
	}
	if o.SteadyThreshold == 0 {
		o.SteadyThreshold = 0.95
	}
	if o.ExactLimit == 0 {
		o.ExactLimit = sample.ExactLimit
	}
	if o.RowLimit == 0 {
		o.RowLimit = RowLimit
	}
	return o
}

// check refuses names and percentiles that do not exist.
func (o *Options) check() error {
	for _, name := range o.PercentileMetrics {
		if m := metric.Lookup(name); m == nil || !m.Reported() {
			return fmt.Errorf("unknown metric %q in --percentile-metrics", name)
		}
	}
	for _, p := range o.Percentiles {
		if !(p >= 0 && p <= 100) {
			return fmt.Errorf("percentile %v is not between 0 and 100", p)
		}
	}
	for name := range o.Goodput {
		if _, ok := metric.ParseLimit(name); !ok {
			return fmt.Errorf("metric %q cannot be a --goodput target: known are %s", name, strings.Join(metric.LimitNames(), ", "))
		}
	}
	switch *o.Compat {
	case "", "vllm":
		return nil
	}
	return fmt.Errorf("unknown --compat %q: vllm is the only one", *o.Compat)
}

// Measure reads the journal to its end and returns what it says. Others may look at
// the same requests in the same pass: each after measure, which sets Row.Good.
func Measure(j Journal, opt Options, also ...row.Collector) (*Result, error) {
	run := j.Run()
	if run == nil {
		return nil, errors.New("the journal has no run line: it was cut off before its first second")
	}
	opt = opt.withDefaults(&run.Options)
	if err := opt.check(); err != nil {
		return nil, err
	}
	samples := func() []journal.Sample { return nil }
	if lines, ok := j.(interface{ Samples() []journal.Sample }); ok {
		samples = lines.Samples
	}
	c := newCollector(run, &opt, samples)
	if end, ok := j.(interface{ Announced() int }); ok {
		c.expect(end.Announced())
	} else {
		c.expect(0)
	}
	if lines, ok := j.(interface {
		OnConversation(see func(*journal.Conversation))
	}); ok {
		lines.OnConversation(func(end *journal.Conversation) {
			c.jobs.ended(end)
			c.tallies.followed.Ended(end)
			for _, other := range also {
				if o, ok := other.(row.Conversations); ok {
					o.Conversation(end)
				}
			}
		})
	}
	for _, other := range also {
		if o, ok := other.(row.Runs); ok {
			o.Begin(run)
		}
	}
	answers := answersOf(j)
	if err := row.Pass(j.Next, c.rules, append([]row.Collector{c}, also...)...); err != nil {
		return nil, err
	}
	r := c.result(j.End())
	r.Server = c.server(j, r)
	r.Replicas.told(r.Server)
	r.HangUps = c.hangUps.Result(generated(r.Server))
	r.Hardware = devices(j, r)
	r.Roles = c.roles.Result(r.Server, roles.Work{
		GPUs: run.Options.GPUs, Input: r.TotalTokenThroughput - r.OutputThroughput, Output: r.OutputThroughput, Total: r.TotalTokenThroughput,
		Hardware: r.Hardware,
	})
	if lines, ok := j.(interface{ Faults() []journal.Fault }); ok {
		r.Recovery = c.recovery.Result(lines.Faults(), run.Options.RecoveryWithin/100)
	}
	if answers != nil {
		r.Eval = answers.Result()
		r.Confidence.accuracy(r.Eval)
	}
	return r, nil
}

// journalNotWhole is why a result is partial whose run came to its end.
const journalNotWhole = "the journal could not be written"

// result computes everything that needs all requests.
func (c *collector) result(end *journal.End) *Result {
	r := &Result{Run: c.run, End: end, Compat: *c.opt.Compat}
	c.sortRows()
	r.Rows, r.Details = c.rows, c.details
	r.Partial, r.Interrupted = end == nil, "killed"
	if end != nil {
		r.Partial, r.Interrupted = end.Interrupted != "", end.Interrupted
		if end.Unwritten > 0 && !r.Partial {
			r.Partial, r.Interrupted = true, journalNotWhole
		}
		r.SpecDecode = specDecode(end.SpecDecode)
	}
	c.totals.result(r)
	c.missing(r)
	c.goodput.result(r)
	r.TokensInTime = c.tokensInTime(r.Completed)
	c.peaks(r)
	r.Thinking = c.thinking.result()
	r.ByTurn, r.ByAdapter = c.turns.result(r, c.opt.Percentiles), c.adapters.result(r, c.opt.Percentiles)
	r.Jobs = c.jobs.result(r, c.opt.Percentiles)
	r.Rollouts = c.batches.Result()
	r.Metrics = c.metrics()
	r.Outcomes, r.Errors = outcomeCounts(c.outcomes), c.topErrors()
	r.Latency = c.latency()
	r.InterChunk, r.TPOT = summarize(c.gaps), summarize(c.sample("each.tpot"))
	for _, m := range metric.Always() {
		if r.Summary(m.Name) == nil && m.Of != nil {
			r.More = append(r.More, MetricSummary{m, summarize(c.sample("each." + m.Name))})
		}
	}
	r.Stalls = c.stalls(r.Completed)
	r.InterToken, r.TokensPerEvent = c.interToken(r.Completed), c.tokensPerEvent(r)
	r.Bounds = c.boundsOf(r)
	r.Tokens, r.Cached = c.tokens, c.cache.shares()
	r.Replicas = c.replicas(r)
	work := price.Work{Seconds: r.Duration, Input: r.InputTokens, Output: r.OutputTokens}
	if r.Jobs != nil {
		work.Jobs = r.Jobs.Complete
	}
	r.Economy = price.Of(r.Run.Options.Price, r.End, work)
	r.Client = c.client(r, end)
	r.Agents = c.fleet(r, end)
	// Who thinks has nothing in flight: then the concurrency asked for is never the load.
	thinks := c.jobs.pauses || c.run.Options.MaxConversations > 0
	if c.rules.Closed && c.run.Options.MaxConcurrency > 0 && c.run.Options.RequestRate == 0 && !thinks {
		r.SteadyState = c.steadyState(r)
	}
	r.Confidence, r.Until = c.confidence(r), c.until(r)
	r.Probe = c.probes.result(c.run.Options.ProbeRate)
	r.Rules = c.judge(r)
	r.Warnings = c.warnings(r)
	return r
}

// judge holds the run against the rules that were asked for; nil: there are none.
func (c *collector) judge(r *Result) *rules.Judgement {
	f := c.byRules.Facts(r.Run, r.Requests, r.Completed)
	f.Output, f.Interrupted, f.Drafts = r.OutputTokens, r.Interrupted, r.SpecDecode != nil
	return rules.Judge(c.opt.Rules, f)
}

func (c *collector) peaks(r *Result) {
	origin := c.totals.firstSent
	if r.TokensInTime.Known {
		peak := float64(c.arrivals.peakPerSecond(origin))
		r.PeakTokensPerSecond = &peak
	}
	if c.aggregates != nil {
		c.aggregates.peaks(r, c.rules.VLLM, origin)
		return
	}
	r.PeakConcurrency = peakConcurrency(c.rows)
	r.PeakConcurrent = r.PeakConcurrency
	if c.rules.VLLM {
		r.PeakConcurrent = peakConcurrencyBySecond(c.rows, origin)
	}
}

// metrics are the statistics of the metrics that were asked for and apply.
func (c *collector) metrics() []MetricStats {
	var out []MetricStats
	for _, m := range metric.All() {
		if !c.wants(&m) || m.OfJobs && !c.jobs.begun() {
			continue
		}
		s := c.gaps
		switch {
		case m.Scope == metric.PerJob:
			s, _ = c.jobs.sample(m.Name)
		case m.Of != nil:
			s = c.sample(m.Name)
		}
		out = append(out, MetricStats{m, s.Stats(c.opt.Percentiles)})
	}
	return out
}

// wants says whether a metric was asked for and applies.
func (c *collector) wants(m *metric.Metric) bool {
	if m.Scope == metric.PerJob {
		return true
	}
	if !slices.Contains(c.opt.PercentileMetrics, m.Name) {
		return false
	}
	o := &c.run.Options
	switch m.Name {
	case "client_queue_time":
		return o.MaxConcurrency > 0
	case "e2el_including_client_queue":
		// vLLM looks at --request-rate alone, so a ramp has none.
		return o.MaxConcurrency > 0 && !c.rules.Closed && (o.RequestRate > 0 || !c.rules.VLLM)
	}
	if o.Whole() && m.OfStream {
		return false
	}
	return !m.NeedsTokenizer || !c.rules.VLLM || c.rules.HasTokenizer
}

// latency is the same latencies from sent and from due.
func (c *collector) latency() Latency {
	from := func(prefix string) LatencyFrom {
		return LatencyFrom{
			TTFT:       summarize(c.sample(prefix + "ttft")),
			FirstToken: summarize(c.sample(prefix + "first_token")),
			E2EL:       summarize(c.sample(prefix + "e2el")),

			FirstVisible: summarize(c.sample(prefix + "first_visible")),
		}
	}
	return Latency{Sent: from("sent."), Due: from("due.")}
}
