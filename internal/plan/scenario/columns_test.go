package scenario

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"
)

// text is the fabricated table, with keys set, at a width.
func fabricatedText(t *testing.T, width int, set ...string) string {
	t.Helper()
	plan := planOf(t, fabricated, set...)
	folder := Folder{t.TempDir()}
	var b strings.Builder
	if err := Summarize(plan, fabricate(t, plan, folder), folder).Text(&b, width, nil); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestColumnsCanBeChosen(t *testing.T) {
	got := fabricatedText(t, 0, "columns=[verdict, p99_ttft, request_throughput, measured, why]")
	if want := "| target | concurrency | verdict         | TTFT p99     | req/s            | measured | why "; !strings.Contains(got, want) {
		t.Errorf("%q is not in\n%s", want, got)
	}
	if got := fabricatedText(t, 0, "columns=p95_itl, mean_e2el"); !strings.Contains(got, "| target | concurrency | ITL p95 | E2EL mean |") {
		t.Error(got)
	}
	for set, want := range map[string]string{
		"columns=[p99_tttf]":        `there is no column "p99_tttf"; there are requests, request_throughput, `,
		"columns=[ttft]":            `there is no column "ttft"`,
		"columns=[verdict,verdict]": "verdict is there twice",
		"columns=[]":                "leave it out for the usual columns",
		"columns=[{a: b}]":          "must be a list of columns",
	} {
		if _, err := tryPlan(t, fabricated, PlanOptions{}, set); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", set, err, want)
		}
	}
	// A percentile that is to be shown must be measured.
	if args := strings.Join(planOf(t, fabricated, "columns=[p75_client_queue_time]").Points[0].Load.Words(), " "); !strings.Contains(args, "e2el,client_queue_time --metric-percentiles 50,75,90,95,99") {
		t.Error(args)
	}
}

// A matrix of one value keeps its column: the table says what it is of.
func TestAMatrixOfOneValueKeepsItsColumn(t *testing.T) {
	if got := fabricatedText(t, 0, "matrix.concurrency=[8]"); !strings.Contains(got, "| target | concurrency |") || !strings.Contains(got, "(four, concurrency 8)") {
		t.Error(got)
	}
}

// An answer that rests on a doubtful number says so.
func TestAnAnswerHasItsVerdict(t *testing.T) {
	plan := planOf(t, steps)
	r := &Row{Values: plan.Points[0].Values, Verdict: "SUSPECT", Reasons: []string{"lag", "steal"}}
	if got := plan.describe(r); !strings.HasSuffix(got, "(a, concurrency 1; SUSPECT because of lag, steal)") {
		t.Error(got)
	}
	r.Verdict = "VALID"
	if got := plan.describe(r); !strings.HasSuffix(got, "(a, concurrency 1)") {
		t.Error(got)
	}
}

// On a screen of 80 columns nothing wraps, and nothing is missing.
func TestTheTableFitsAScreen(t *testing.T) {
	for _, width := range []int{60, 80, 100} {
		got := fabricatedText(t, width)
		for line := range strings.Lines(got) {
			if n := utf8.RuneCountInString(strings.TrimRight(line, "\n")); n > width {
				t.Errorf("width %d, a line of %d: %s", width, n, line)
			}
		}
		for _, want := range []string{"| ok/total", "| TTFT p99", "| ITL p99", "| verdict", "| SLO", "| why", "it is no good", "## Replicas", "p99_ttft<=300ms"} {
			if !strings.Contains(got, want) {
				t.Errorf("width %d lacks %q:\n%s", width, want, got)
			}
		}
	}
}

// A percentile of too few requests is not shown, and the rest is.
func TestATooThinPercentileIsNotShown(t *testing.T) {
	w := newWorld(t)
	var b strings.Builder
	if err := w.run(planOf(t, steps)).Markdown(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"| **10.00** | n/a      |", "n/a: too few requests for that percentile.", "| a      | 1           | met, 15ms      |", "| a      | 4           | broken, 45ms   |"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is not in\n%s", want, b.String())
		}
	}
}

// On a screen the best numbers are bold, and not in stars; columns stay under each other.
func TestTheBestIsBoldOnAScreen(t *testing.T) {
	plan := planOf(t, fabricated)
	folder := Folder{t.TempDir()}
	sum := Summarize(plan, fabricate(t, plan, folder), folder)
	var screen, file strings.Builder
	bold := func(s string) string { return "\x1b[1m" + s + "\x1b[0m" }
	if err := errors.Join(sum.Text(&screen, 0, bold), sum.Markdown(&file)); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string][]string{screen.String(): {"\x1b[1m3054 ± 6.72\x1b[0m", "Best of each column in bold."}, file.String(): {"**3054 ± 6.72**"}} {
		for _, w := range want {
			if !strings.Contains(text, w) {
				t.Errorf("%q is not in\n%s", w, text)
			}
		}
	}
	if strings.Contains(screen.String(), "**") || strings.Contains(file.String(), "\x1b") {
		t.Errorf("stars on a screen, or its codes in a file:\n%s\n%s", screen.String(), file.String())
	}
	widths := map[int]bool{}
	for line := range strings.Lines(screen.String()) {
		if strings.HasPrefix(line, "| ") && strings.Contains(line, "VALID") {
			widths[utf8.RuneCountInString(strings.NewReplacer("\x1b[1m", "", "\x1b[0m", "").Replace(line))] = true
		}
	}
	if len(widths) != 1 {
		t.Errorf("lines of %d widths:\n%s", len(widths), screen.String())
	}
}
