package summary_test

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/explain"
	"github.com/inferometer/inferometer/internal/judge/measure"
	"github.com/inferometer/inferometer/internal/judge/slo"
	"github.com/inferometer/inferometer/internal/judge/verdict"
	"github.com/inferometer/inferometer/internal/show/fakerun"
	"github.com/inferometer/inferometer/internal/show/section"
	"github.com/inferometer/inferometer/internal/show/summary"
)

// judged measures a made-up run and judges it.
func judged(t *testing.T, j *fakerun.Journal) *section.Run {
	t.Helper()
	v, e := verdict.NewCollector(j.Run(), verdict.Options{}), explain.NewCollector()
	r, err := measure.Measure(j, measure.Options{}, v, e)
	if err != nil {
		t.Fatal(err)
	}
	v.Bounds(r.Bounds)
	run := &section.Run{Folder: "runs/x", Result: r, Verdict: v.Verdict(r.End, nil, nil)}
	run.Explain = e.Explain(explain.Input{Run: r.Run, End: r.End, Verdict: run.Verdict, Bounds: r.Bounds})
	return run
}

func TestOfARunWithFailures(t *testing.T) {
	got := strings.Join(summary.Of(judged(t, &fakerun.Journal{N: 400, Words: "one"}), nil), "\n")
	want := `INVALID: 40 of 400 requests failed (+1 more)
  also: it is unknown how late the client took its times
Requests     360 of 400 completed in 4.11 s; 40 stream_error
Throughput       87.6 req/s [83.9, 91.2]      350 output tok/s [336, 365]
TTFT         p50   23 ms [23, 23]         p99  26 ms [26, n/a]
Inter-token  p50   25 ms [25, 25]         p99  29 ms [29, 29]
             in brackets: 95 % confidence intervals
Next         Read the error messages; docs/outcomes.md says what each outcome
             means`
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s\n%s", d, got)
	}
}

// Whatever the run is, and whatever a server wrote, a summary fits a screen.
func TestOfFits(t *testing.T) {
	long := strings.Repeat("Wörter ", 80) + strings.Repeat("x", 300)
	objective, err := slo.Parse("p99_ttft<=200ms and mean_e2el<1ms and failed<1%")
	if err != nil {
		t.Fatal(err)
	}
	for _, words := range []string{"one", long, "\x1b[31mred\x1b[0m\u202e\r\n" + long} {
		for _, j := range []*fakerun.Journal{
			{N: 1}, {N: 2}, {N: 40}, {N: 400}, {N: 40, Turns: 4}, {N: 40, Agents: 3}, {N: 40, Categories: 3}, {N: 40, Turns: 2, Agents: 2},
		} {
			j.Words = words
			t.Run(fmt.Sprintf("%d %d %d %d %.4q", j.N, j.Turns, j.Agents, j.Categories, words), func(t *testing.T) {
				run := judged(t, j)
				run.Result.Warnings = append(run.Result.Warnings, words, words)
				for i := range run.Verdict.Checks {
					run.Verdict.Checks[i].Effect += words
				}
				held := objective.Judge(run.Result.Value)
				lines := summary.Of(run, &held)
				t.Log("\n" + strings.Join(lines, "\n"))
				if len(lines) > summary.MaxLines || len(lines) < 3 {
					t.Errorf("%d lines", len(lines))
				}
				for _, line := range lines {
					if n := utf8.RuneCountInString(line); n > summary.Width {
						t.Errorf("%d columns: %s", n, line)
					}
					if strings.ContainsFunc(line, func(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) }) {
						t.Errorf("what steers a terminal: %q", line)
					}
				}
			})
		}
	}
}

// Numbers of any size keep to the width: then intervals give way.
func TestLargeNumbersFit(t *testing.T) {
	for _, by := range []float64{1, 1e3, 1e6, 1e12, math.Inf(1)} {
		run := judged(t, &fakerun.Journal{N: 400, Words: "one"})
		r := run.Result
		r.OutputThroughput, r.RequestThroughput, r.Latency.Sent.TTFT.P50, r.Latency.Sent.TTFT.P99 = by*353, by*88, by*23, by*26
		for i := range r.Confidence.Intervals {
			if in := &r.Confidence.Intervals[i]; in.High != nil {
				*in.High *= by
			}
		}
		for _, line := range summary.Of(run, nil) {
			if n := utf8.RuneCountInString(line); n > summary.Width {
				t.Errorf("%g: %d columns: %s", by, n, line)
			}
		}
	}
}

// A run without a single success has no figures, and says how its requests ended.
func TestOfNothing(t *testing.T) {
	run := judged(t, &fakerun.Journal{N: 1, Words: "one"})
	run.Result.Completed, run.Result.Outcomes = 0, []measure.OutcomeCount{{Outcome: journal.Refused, Count: 1}}
	text := strings.Join(summary.Of(run, nil), "\n")
	if strings.Contains(text, "Throughput") || !strings.Contains(text, "Requests     0 of 1 completed in 0.121 s; 1 refused") {
		t.Error(text)
	}
}

// A valid run on a busy machine is not reproached: what was seen is a note.
func TestABusyMachineIsANote(t *testing.T) {
	run := judged(t, &fakerun.Journal{N: 40, Words: "one"})
	run.Verdict = &verdict.Verdict{Level: verdict.TrustValid, Requests: 40, Made: 2, Checks: []verdict.Check{
		{Name: "bounds", Level: verdict.Noted, Sentence: "mean TTFT can be off", Brief: "every number within 6 %"},
		{Name: "cpu_wait", Level: verdict.Noted, Sentence: "the client's threads waited for a processor for 15.1 % of the time", Hint: "stop what else runs"},
	}}
	lines := summary.Of(run, nil)
	if lines[0] != "VALID: 2 of 2 checks made, every number within 6 %" || lines[1] != "  note: the client's threads waited for a processor for 15.1 % of the time" {
		t.Errorf("%q", lines[:2])
	}
	if text := strings.Join(lines, "\n"); strings.Contains(text, "stop what else runs") {
		t.Error("a note asks for nothing")
	}
}
