// Package measure turns a journal into numbers. It is a pure function: no files,
// no clocks, no sockets. Run it again a year later with other targets,
// percentiles or rules, and the same journal gives the new answer.
//
//	journal ─▶ rules: row ─▶ rows (one a request) ─▶ metrics, goodput, peaks, steady state
//	              └▶ events ─▶ samples (gaps, lag), timeline (tokens in time)
//
// What a metric is stands once, in [Metrics] and [Numbers]; docs/metrics.md holds
// the same with its formula. The statistics are NumPy's, to the last digit
// (numpy.go), because vLLM's are.
//
// Memory: some 100 bytes a request, and what is kept of events is bounded (see
// [Sample] and timeline). Only with [Options].Detailed does it grow with events.
//
// Two sets of rules exist: ours, and vLLM's for --compat vllm. They differ in
// what a success is, how tokens are counted where nobody said, and what a peak
// is; docs/vllm.md lists each difference.
package measure

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/inferometer/inferometer/internal/journal"
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

	SteadyThreshold float64 // share of the concurrency limit; 0: 0.95
	SteadyMinWindow float64 // seconds; 0: ten seconds or a tenth of the run
	ExactLimit      int     // values that a Sample keeps; 0: ExactLimit

	Warnings []string // come first among the result's: doubts about the journal itself
}

// withDefaults fills what is not set from the run, and then from vLLM's defaults.
func (o Options) withDefaults(run *journal.Options) Options {
	if o.Percentiles == nil {
		o.Percentiles = run.MetricPercentiles
	}
	if len(o.Percentiles) == 0 {
		o.Percentiles = []float64{99}
	}
	if o.PercentileMetrics == nil {
		o.PercentileMetrics = run.PercentileMetrics
	}
	if len(o.PercentileMetrics) == 0 {
		o.PercentileMetrics = []string{"ttft", "tpot", "itl"}
	}
	if o.Goodput == nil {
		o.Goodput = run.Goodput
	}
	if o.Compat == nil {
		o.Compat = &run.Compat
	}
	if o.SteadyThreshold == 0 {
		o.SteadyThreshold = 0.95
	}
	if o.ExactLimit == 0 {
		o.ExactLimit = ExactLimit
	}
	return o
}

// check refuses names and percentiles that do not exist.
func (o *Options) check() error {
	known := map[string]Metric{}
	for _, m := range Metrics() {
		known[m.Name] = m
	}
	for _, name := range o.PercentileMetrics {
		if _, ok := known[name]; !ok {
			return fmt.Errorf("unknown metric %q in --percentile-metrics", name)
		}
	}
	for _, p := range o.Percentiles {
		if !(p >= 0 && p <= 100) {
			return fmt.Errorf("percentile %v is not between 0 and 100", p)
		}
	}
	for name := range o.Goodput {
		if m, ok := known[name]; !ok || m.Value == nil {
			return fmt.Errorf("metric %q cannot be a --goodput target: it has no single value a request", name)
		}
	}
	switch *o.Compat {
	case "", "vllm":
		return nil
	}
	return fmt.Errorf("unknown --compat %q: vllm is the only one", *o.Compat)
}

// Measure reads the journal to its end and returns what it says.
func Measure(j Journal, opt Options) (*Result, error) {
	run := j.Run()
	if run == nil {
		return nil, errors.New("the journal has no run line: it was cut off before its first second")
	}
	opt = opt.withDefaults(&run.Options)
	if err := opt.check(); err != nil {
		return nil, err
	}
	c := newCollector(run, &opt)
	for {
		req, err := j.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("reading the journal: %w", err)
		}
		if req.Warmup {
			continue
		}
		if err := c.add(req); err != nil {
			return nil, err
		}
	}
	return c.result(j.End()), nil
}

// result computes everything that needs all requests.
func (c *collector) result(end *journal.End) *Result {
	r := &Result{Run: c.run, End: end, Compat: *c.opt.Compat}
	c.sortRows()
	r.Rows, r.Details = c.rows, c.details
	r.Partial, r.Interrupted = end == nil, "killed"
	if end != nil {
		r.Partial, r.Interrupted = end.Interrupted != "", end.Interrupted
		r.SpecDecode = specDecode(end.SpecDecode)
	}
	c.totals(r)
	c.peaks(r)
	r.Metrics = c.metrics()
	if len(c.opt.Goodput) > 0 {
		g := perSecond(c.good(), r.Duration)
		r.Goodput = &g
	}
	r.Outcomes, r.Errors = c.outcomeCounts(), c.topErrors()
	r.Latency = c.latency()
	r.InterChunk = summarize(c.gaps)
	r.InterToken, r.TokensPerEvent = c.interToken(r.Completed), c.tokensPerEvent(r)
	r.Tokens = c.tokens
	r.Client = c.client(r, end)
	if c.rules.closed && c.run.Options.MaxConcurrency > 0 && c.run.Options.RequestRate == 0 {
		r.SteadyState = steadyState(r.Rows, &c.timeline, r, c.opt)
	}
	r.Warnings = c.warnings(r)
	return r
}

func (c *collector) totals(r *Result) {
	last := int64(0)
	if len(c.rows) == 0 && r.End != nil {
		last = r.End.At
	}
	for i := range c.rows {
		row := &c.rows[i]
		last = max(last, row.End)
		if !row.OK {
			r.Failed++
			continue
		}
		r.Completed++
		r.InputTokens += int64(row.Prompt)
		r.OutputTokens += int64(row.Output)
	}
	r.Duration = seconds(last)
	r.RequestThroughput = perSecond(r.Completed, r.Duration)
	r.OutputThroughput = perSecond(r.OutputTokens, r.Duration)
	r.TotalTokenThroughput = perSecond(r.InputTokens+r.OutputTokens, r.Duration)
}

// perSecond is n/s, and 0 where no time passed.
func perSecond[N int | int64](n N, s float64) float64 {
	if s <= 0 {
		return 0
	}
	return float64(n) / s
}

func (c *collector) peaks(r *Result) {
	origin := firstStart(c.rows)
	r.PeakTokensPerSecond = float64(c.timeline.peakPerSecond(origin))
	r.PeakConcurrency = peakConcurrency(c.rows)
	r.PeakConcurrent = r.PeakConcurrency
	if c.rules.vllm {
		r.PeakConcurrent = peakConcurrencyBySecond(c.rows, origin)
	}
}

// sample collects a value of each success, in the order of requests.
func (c *collector) sample(value func(*Row) (float64, bool)) *Sample {
	s := NewSample(c.opt.ExactLimit)
	for i := range c.rows {
		if !c.rows[i].OK {
			continue
		}
		if v, ok := value(&c.rows[i]); ok {
			s.Add(v)
		}
	}
	return s
}

// metrics are the statistics of the metrics that were asked for and apply.
func (c *collector) metrics() []MetricStats {
	var out []MetricStats
	for _, m := range Metrics() {
		if !slices.Contains(c.opt.PercentileMetrics, m.Name) || !c.applies(&m) {
			continue
		}
		s := c.gaps
		if m.Value != nil {
			s = c.sample(m.Value)
		}
		out = append(out, MetricStats{m, s.Stats(c.opt.Percentiles)})
	}
	return out
}

func (c *collector) applies(m *Metric) bool {
	o := &c.run.Options
	switch m.Name {
	case "client_queue_time":
		return o.MaxConcurrency > 0
	case "e2el_including_client_queue":
		// vLLM looks at --request-rate alone, so a ramp has none.
		return o.MaxConcurrency > 0 && !c.rules.closed && (o.RequestRate > 0 || !c.rules.vllm)
	}
	return !m.NeedsTokenizer || !c.rules.vllm || c.rules.hasTokenizer
}

// good counts the successes that met every target. A metric that a request has
// no value of is met.
func (c *collector) good() int {
	values := map[string]func(*Row) (float64, bool){}
	for _, m := range Metrics() {
		values[m.Name] = m.Value
	}
	n := 0
	for i := range c.rows {
		if !c.rows[i].OK {
			continue
		}
		met := true
		for name, ms := range c.opt.Goodput {
			v, _ := values[name](&c.rows[i])
			met = met && v <= ms/1000
		}
		if met {
			n++
		}
	}
	return n
}

// latency is the same three latencies from sent and from due.
func (c *collector) latency() Latency {
	from := func(extra func(*Row) int64) LatencyFrom {
		at := func(event func(*Row) int64) Summary {
			return summarize(c.sample(func(r *Row) (float64, bool) {
				return seconds(event(r) + extra(r)), event(r) >= 0
			}))
		}
		return LatencyFrom{
			TTFT:       at(func(r *Row) int64 { return r.First }),
			FirstToken: at(func(r *Row) int64 { return r.FirstToken }),
			E2EL:       at(func(r *Row) int64 { return r.Last }),
		}
	}
	return Latency{
		Sent: from(func(*Row) int64 { return 0 }),
		Due:  from(func(r *Row) int64 { return r.Sent - r.Due }),
	}
}
