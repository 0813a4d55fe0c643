package cli

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/inferometer/inferometer/internal/check/selftest"
)

// stepDone is the progress in a pipe: one line a step.
func (r *selftestRun) stepDone(s *selftest.Step) {
	if isTerminal(r.err) {
		return
	}
	word := "proven"
	if s.Fails != "" {
		word = "fails: " + s.Fails
	}
	fmt.Fprintf(r.err, "%d streams, a token each %g ms: %s\n", s.Streams, s.ITLMS, word)
}

// progress says on a terminal what is going on, over itself.
func (r *selftestRun) progress(format string, args ...any) {
	if isTerminal(r.err) {
		fmt.Fprintf(r.err, "\r\x1b[K%s", fit(fmt.Sprintf(format, args...), terminalWidth(r.err)-1))
	}
}

// note is a line of its own.
func (r *selftestRun) note(format string, args ...any) {
	r.clear()
	fmt.Fprintf(r.err, "note: "+format+"\n", args...)
}

func (r *selftestRun) clear() {
	if isTerminal(r.err) {
		fmt.Fprint(r.err, "\r\x1b[K")
	}
}

// show prints the table and the claim.
func (r *selftestRun) show(path string) error {
	r.clear()
	if r.asJSON {
		e := json.NewEncoder(r.out)
		e.SetIndent("", "  ")
		return e.Encode(r.result)
	}
	kept := "\n\nkept in " + path + "\n"
	if r.result.Claim == nil {
		kept = "\n"
	}
	_, err := fmt.Fprint(r.out, selftestTable(&r.result), "\n", r.result.Sentence, kept)
	return err
}

// selftestTable shows the steps. Errors are without their signs; a p99 is that of
// the worst round, and the rest is the mean over the rounds.
func selftestTable(res *selftest.Result) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, %d × %s; engine %s, %s times\n\n", res.Machine.Host, res.Machine.CPUs, orUnknown(res.Machine.CPU), res.Engine, orUnknown(res.Stamps))
	b.WriteString("             tokens/s          TTFT error, ms   inter-token, ms   lag, ms   client\n")
	b.WriteString("streams    asked  reached    median      p99   median      p99       p99      CPU\n")
	for i := range res.Steps {
		s := &res.Steps[i]
		fmt.Fprintf(&b, "%7d%9.0f%9.0f%10s%9s%9s%9s%10s%8.0f%%\n", s.Streams, s.Asked,
			s.Mean(func(r *selftest.Round) float64 { return r.TokensPerS }),
			digits(s.Mean(func(r *selftest.Round) float64 { return r.TTFTMedian })), digits(s.Worst(func(r *selftest.Round) float64 { return r.TTFTP99 })),
			digits(s.Mean(func(r *selftest.Round) float64 { return r.ITLMedian })), digits(s.Worst(func(r *selftest.Round) float64 { return r.ITLP99 })),
			digits(s.Worst(func(r *selftest.Round) float64 { return r.LagP99 })), 100*s.Mean(func(r *selftest.Round) float64 { return r.CPU }))
		if s.Fails != "" {
			fmt.Fprintf(&b, "        ✗ the client fails here: %s\n", s.Fails)
		}
	}
	return b.String()
}

// digits are about three of them.
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

func orUnknown(s string) string {
	if s == "" {
		return "unknown"
	}
	return s
}
