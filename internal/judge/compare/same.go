package compare

import (
	"fmt"
	"math"

	"github.com/inferometer/inferometer/internal/judge/result"
)

// Two runs that are said to be of different models, but that answered the same requests
// with the same number of tokens in the same time, were probably answered by one server:
// it was not restarted, or the name went to another port.
const (
	sameTime    = 0.005 // of the durations and throughputs, as a share
	sameLatency = 0.01  // of mean latencies
	fewTokens   = 100   // fewer may be the same by chance
)

// sameServer gives the evidence that two runs of differently named models came from one
// server; empty: there is none. Repeats and other settings of one model are no evidence
// of anything, and neither are answers of a fixed length. So it needs all of these:
// different names, the same tool and load, as many requests and prompt tokens, as many
// output tokens to the last one, which are not the same for each request, durations
// within 0.5 %, and mean TTFT and TPOT, as far as both are known, within 1 %.
func sameServer(a, b *result.Result) string {
	fa, fb := &a.Facts, &b.Facts
	switch {
	case base(fa.Model) == "" || base(fb.Model) == "" || base(fa.Model) == base(fb.Model):
		return ""
	case a.Tool != b.Tool || fa.Load() == "" || fa.Load() != fb.Load():
		return ""
	case fa.Completed == 0 || fa.Completed != fb.Completed || fa.InputTokens != fb.InputTokens:
		return ""
	case fa.OutputTokens != fb.OutputTokens || fa.OutputTokens < fewTokens || fa.OutputTokens%int64(fa.Completed) == 0:
		return ""
	case !near(fa.Duration, fb.Duration, sameTime):
		return ""
	}
	for _, key := range []string{"mean_ttft_ms", "mean_tpot_ms"} {
		va, oka := a.Values[key]
		vb, okb := b.Values[key]
		if oka && okb && !near(va, vb, sameLatency) {
			return ""
		}
	}
	return fmt.Sprintf("%d output tokens in both, in %.2f and %.2f s, though the models are called %s and %s",
		fa.OutputTokens, fa.Duration, fb.Duration, base(fa.Model), base(fb.Model))
}

func near(a, b, share float64) bool {
	return a > 0 && b > 0 && math.Abs(a-b) <= share*min(a, b)
}
