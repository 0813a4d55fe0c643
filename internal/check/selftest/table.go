package selftest

import (
	"cmp"
	"fmt"
	"strings"
)

// Table shows the steps. Errors are without their signs; a p99 is that of the worst
// round, and the rest is the mean over the rounds.
func (r *Result) Table() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, %d × %s; engine %s, %s times\n\n", r.Machine.Host, r.Machine.CPUs, cmp.Or(r.Machine.CPU, "unknown"), r.Engine, cmp.Or(r.Stamps, "unknown"))
	b.WriteString("             tokens/s          TTFT error, ms   inter-token, ms   lag, ms   client\n")
	b.WriteString("streams    asked  reached    median      p99   median      p99       p99      CPU\n")
	for i := range r.Steps {
		s := &r.Steps[i]
		fmt.Fprintf(&b, "%7d%9.0f%9.0f%10s%9s%9s%9s%10s%8.0f%%\n", s.Streams, s.Asked,
			s.Mean(func(r *Round) float64 { return r.TokensPerS }),
			digits(s.Mean(func(r *Round) float64 { return r.TTFTMedian })), digits(s.Worst(func(r *Round) float64 { return r.TTFTP99 })),
			digits(s.Mean(func(r *Round) float64 { return r.ITLMedian })), digits(s.Worst(func(r *Round) float64 { return r.ITLP99 })),
			digits(s.Worst(func(r *Round) float64 { return r.LagP99 })), 100*s.Mean(func(r *Round) float64 { return r.CPU }))
		if s.Fails != "" {
			fmt.Fprintf(&b, "        ✗ the client fails here: %s\n", s.Fails)
		}
	}
	return b.String()
}

// digits writes about three significant digits.
func digits(v float64) string {
	switch {
	case v >= 100:
		return fmt.Sprintf("%.0f", v)
	case v >= 10:
		return fmt.Sprintf("%.1f", v)
	case v >= 1:
		return fmt.Sprintf("%.2f", v)
	}
	return fmt.Sprintf("%.3f", v)
}
