// Package fireworks measures a run as Fireworks AI's load test does.
package fireworks

import (
	"slices"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/row"
	"github.com/inferometer/inferometer/internal/stats"
)

// Journal is what is read.
type Journal interface {
	Run() *journal.Run
	Next() (*journal.Request, error)
}

// Percentiles are those that Fireworks AI's load test (fw-ai/benchmark) reports.
var Percentiles = []float64{50, 90, 95, 99, 99.9}

// Fireworks is a run in the numbers of fw-ai/benchmark: means over requests, in
// milliseconds and tokens, of the successes that ended after all users were there.
type Fireworks struct {
	Requests int
	QPS      float64 // Requests per second of the time that counts

	TTFT, LatencyPerToken, OverallLatencyPerToken, TotalLatency float64
	OutputTokens, PromptTokens, CachedTokens                    float64

	TTFTPercentiles, TotalPercentiles []float64 // one for each of Percentiles
}

// Measure measures what ended after from, in nanoseconds on the run's clock.
//
//	latency per token          (last token − first token) / output tokens
//	overall latency per token  (last token − sent) / output tokens
func Measure(j Journal, from int64) (*Fireworks, error) {
	c := &fireworks{from: from, end: from}
	if err := row.Pass(j.Next, row.NewRules(&j.Run().Options, ""), c); err != nil {
		return nil, err
	}
	l, first, total := &c.sums, c.first, c.total
	l.Requests = len(first)
	if l.Requests == 0 {
		return l, nil
	}
	for _, sum := range []*float64{&l.OutputTokens, &l.PromptTokens, &l.CachedTokens, &l.LatencyPerToken, &l.OverallLatencyPerToken} {
		*sum /= float64(l.Requests)
	}
	l.QPS = float64(l.Requests) / row.Seconds(c.end-from)
	l.TTFT, l.TotalLatency = stats.Mean(first), stats.Mean(total)
	slices.Sort(first)
	slices.Sort(total)
	for _, p := range Percentiles {
		l.TTFTPercentiles = append(l.TTFTPercentiles, stats.Percentile(first, p))
		l.TotalPercentiles = append(l.TotalPercentiles, stats.Percentile(total, p))
	}
	return l, nil
}

// fireworks collects the requests that count.
type fireworks struct {
	from, end    int64
	first, total []float64 // milliseconds
	sums         Fireworks
}

// Add takes in a request.
func (c *fireworks) Add(r *row.Request) error {
	if r.Warmup || !r.Row.OK || r.End <= c.from {
		return nil
	}
	c.end = max(c.end, r.End)
	ttft, latency := r.Row.TTFT()*1e3, r.Row.Latency()*1e3
	c.first, c.total = append(c.first, ttft), append(c.total, latency)
	c.sums.OutputTokens += float64(r.Row.Output)
	c.sums.PromptTokens += float64(r.Row.Prompt)
	c.sums.CachedTokens += float64(r.UsageCached)
	if n := float64(r.Row.Output); n > 0 {
		c.sums.LatencyPerToken += (r.Row.Latency() - r.Row.TTFT()) * 1e3 / n
		c.sums.OverallLatencyPerToken += latency / n
	}
	return nil
}
