package measure

import (
	"errors"
	"io"
	"slices"

	"github.com/inferometer/inferometer/internal/judge/row"
	"github.com/inferometer/inferometer/internal/judge/stats"
)

// LoadTestPercentiles are those that fw-ai/benchmark reports.
var LoadTestPercentiles = []float64{50, 90, 95, 99, 99.9}

// LoadTest is a run in the numbers of fw-ai/benchmark: means over requests, in
// milliseconds and tokens, of the successes that ended after all users were there.
type LoadTest struct {
	Requests int
	QPS      float64 // Requests a second of the time that counts

	TTFT, LatencyPerToken, OverallLatencyPerToken, TotalLatency float64
	OutputTokens, PromptTokens, CachedTokens                    float64

	TTFTPercentiles, TotalPercentiles []float64 // one for each of LoadTestPercentiles
}

// MeasureLoadTest measures what ended after from, in nanoseconds on the run's clock.
//
//	latency per token          (last token − first token) / output tokens
//	overall latency per token  (last token − sent) / output tokens
func MeasureLoadTest(j Journal, from int64) (*LoadTest, error) {
	u := row.NewRules(&j.Run().Options, "")
	var l LoadTest
	var first, total []float64
	end := from
	for {
		req, err := j.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		r, err := u.Read(req)
		if err != nil {
			return nil, err
		}
		if req.Warmup || !r.OK || req.End <= from {
			continue
		}
		end = max(end, req.End)
		first, total = append(first, r.TTFT()*1e3), append(total, r.Latency()*1e3)
		l.OutputTokens += float64(r.Output)
		l.PromptTokens += float64(r.Prompt)
		l.CachedTokens += float64(req.UsageCached)
		if r.Output > 0 {
			l.LatencyPerToken += (r.Latency() - r.TTFT()) * 1e3 / float64(r.Output)
			l.OverallLatencyPerToken += r.Latency() * 1e3 / float64(r.Output)
		}
	}
	l.Requests = len(first)
	if l.Requests == 0 {
		return &l, nil
	}
	for _, sum := range []*float64{&l.OutputTokens, &l.PromptTokens, &l.CachedTokens, &l.LatencyPerToken, &l.OverallLatencyPerToken} {
		*sum /= float64(l.Requests)
	}
	l.QPS = float64(l.Requests) / seconds(end-from)
	l.TTFT, l.TotalLatency = stats.Mean(first), stats.Mean(total)
	slices.Sort(first)
	slices.Sort(total)
	for _, p := range LoadTestPercentiles {
		l.TTFTPercentiles = append(l.TTFTPercentiles, stats.Percentile(first, p))
		l.TotalPercentiles = append(l.TotalPercentiles, stats.Percentile(total, p))
	}
	return &l, nil
}
