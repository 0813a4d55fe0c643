package page

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"strings"
	"testing"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/chartdata"
	"github.com/inferometer/inferometer/internal/judge/measure"
	"github.com/inferometer/inferometer/internal/judge/replica"
	"github.com/inferometer/inferometer/internal/judge/slo"
	"github.com/inferometer/inferometer/internal/judge/verdict"
	"github.com/inferometer/inferometer/internal/show/fakerun"
	"github.com/inferometer/inferometer/internal/show/section"
)

// shown is a run with these words in every place that comes from outside.
func shown(t *testing.T, n int, words string) section.Run { return shownTurns(t, n, 0, words) }

// shownTurns is one whose requests are turns of conversations, so many each.
func shownTurns(t *testing.T, n, turns int, words string) section.Run {
	return shownRun(t, fakerun.Journal{N: n, Words: words, Turns: turns})
}

func shownRun(t *testing.T, one fakerun.Journal) section.Run {
	t.Helper()
	c := chartdata.NewCollector(0)
	again := one
	r, err := measure.Measure(&one, measure.Options{}, c)
	if err != nil {
		t.Fatal(err)
	}
	v, err := verdict.Judge(&again, verdict.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return section.Run{Name: section.Name(r, "/runs/x"), Folder: "/runs/x", Result: r, Verdict: v, Drawn: c.Run(nil, nil)}
}

func written(t *testing.T, opt Options, runs ...section.Run) string {
	t.Helper()
	section.NameApart(runs)
	var b bytes.Buffer
	if err := Write(&b, runs, opt); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// The agents of a fleet have a table, and a run of one client has none.
func TestAgents(t *testing.T) {
	got := written(t, Options{}, shownRun(t, fakerun.Journal{N: 40, Words: "x", Agents: 3}))
	for _, want := range []string{"<h3>Fleet of 3 agents</h3>", "node x (agent-2)", "region=x", "no word for 10 s: x", "clock offset, ms", ">lost<", ">unsent<", "fleet_lost"} {
		if !strings.Contains(got, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	if got := written(t, Options{}, shown(t, 40, "x")); strings.Contains(got, "agents</h3>") || strings.Contains(got, "fleet_") {
		t.Error("a page of one client has agents")
	}
}

// TestHostileWords: whatever a server, a label or a machine is called stays text.
func TestHostileWords(t *testing.T) {
	for _, words := range []string{
		`<script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, `</script><script>alert(2)//`, `<!--<script>`,
		`'};alert(3);//`, `{{.Policy}}`, "\u2028</style><b>", `&lt;i&gt;`, `javascript:alert(4)`,
	} {
		got := written(t, Options{Version: words}, shown(t, 40, words), shownTurns(t, 40, 4, words), shownRun(t, fakerun.Journal{N: 40, Words: words, Agents: 3}), shownRun(t, fakerun.Journal{N: 600, Words: words, Faulty: true}))
		if n := strings.Count(got, "<script"); n != 4 { // two of data, the charts' library and our own
			t.Errorf("%q: %d elements <script", words, n)
		}
		for _, bad := range []string{"<img", "<b>\u2028", "<!--<script", "<i>", "alert(1)</script>"} {
			if strings.Contains(got, bad) {
				t.Errorf("%q: the page holds %s", words, bad)
			}
		}
		if m := regexp.MustCompile(`(?s)<script type="application/json" id="data">(.*?)</script>`).FindStringSubmatch(got); m == nil {
			t.Errorf("%q: no data", words)
		} else if err := json.Unmarshal([]byte(m[1]), &[]columns{}); err != nil {
			t.Errorf("%q: the data is no JSON: %v", words, err)
		}
	}
}

// TestNothingFromOutside: the page names no address that a browser would load.
func TestNothingFromOutside(t *testing.T) {
	got := written(t, Options{}, shown(t, 40, "a run"))
	for _, m := range regexp.MustCompile(`(?:src|href|url)\s*[=(]\s*["']?([^"'\s)>]+)`).FindAllStringSubmatch(got[:strings.Index(got, "<script type")], -1) {
		if !strings.HasPrefix(m[1], "#") && !strings.HasPrefix(m[1], "data:") {
			t.Errorf("the page loads %s", m[1])
		}
	}
	if !strings.Contains(got, `default-src &#39;none&#39;`) {
		t.Error("the policy is not in the page")
	}
	if !strings.HasPrefix(strings.TrimSpace(got), "<!doctype html>") {
		t.Errorf("the page begins with %.40q", got)
	}
}

// TestSize: ten thousand requests fit in a page for a mail.
func TestSize(t *testing.T) {
	got := written(t, Options{}, shown(t, 10_000, "big"))
	if len(got) > 3<<20 {
		t.Errorf("%d bytes", len(got))
	}
	t.Logf("%d bytes", len(got))
}

// TestWhatIsShown: the figures of the result stand in the page.
func TestWhatIsShown(t *testing.T) {
	run := shown(t, 100, "my run")
	limits, err := slo.Parse("p99_ttft<1s and p99_e2el<20ms")
	if err != nil {
		t.Fatal(err)
	}
	got := written(t, Options{SLO: limits}, run)
	for _, want := range []string{
		"<title>Inferometer: my run</title>", `<dd class="big bad">not kept</dd>`, "p99_ttft&lt;1s and p99_e2el&lt;20ms", "<b>" + string(run.Verdict.Level) + "</b>",
		short(run.Result.OutputThroughput) + ` <span class="unit">tok/s</span>`, "95\u00a0% interval: ", "stream_error", "inferometer bench serve --model org/sim --num-prompts 40 --label &#39;my run&#39;", "b5bb9d80",
		`id="run1-gaps"`, `aria-sort="none"`, `<caption>`, `scope="row"`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	two := written(t, Options{}, run, shown(t, 50, "other"))
	for _, want := range []string{"Pareto front", "Highest throughput", `<table id="runs"`, "Inferometer: 2 runs"} {
		if !strings.Contains(two, want) {
			t.Errorf("the page of two runs lacks %q", want)
		}
	}
}

// TestChartsBeforeTables: a reader meets the answer, then pictures, then tables; a run by itself has no front.
func TestChartsBeforeTables(t *testing.T) {
	for _, run := range []section.Run{shown(t, 100, "x"), shownTurns(t, 40, 4, "x"), shownRun(t, fakerun.Journal{N: 40, Words: "x", Categories: 3}), shown(t, 0, "none"), shown(t, 1, "one")} {
		got := written(t, Options{}, run)
		last, first := strings.LastIndex(got, "<figure"), strings.Index(got, "<table")
		if cards := strings.Index(got, `class="cards"`); cards < 0 || cards > strings.Index(got, "<figure") || last > first {
			t.Errorf("%s: cards at %d, the last chart at %d, the first table at %d", run.Name, cards, last, first)
		}
		if strings.Contains(got, "Pareto") {
			t.Errorf("%s: a single run has a Pareto front", run.Name)
		}
	}
	runs := []section.Run{shown(t, 200, "x")}
	runs[0].Verdict.Level = verdict.TrustValid
	if c := tradeoff(runs, "p99", "ttft"); len(c.Series) != 1 || c.Series[0].Name != "runs" {
		t.Errorf("the chart of one run: %+v", c.Series)
	}
}

// TestNothingSucceeded: what was not measured is a dash, not a zero, and keeps no limit.
func TestNothingSucceeded(t *testing.T) {
	run := shown(t, 0, "none")
	limits, err := slo.Parse("p99_ttft<100ms")
	if err != nil {
		t.Fatal(err)
	}
	got := written(t, Options{SLO: limits}, run, shown(t, 40, "some"))
	for _, want := range []string{`<dd class="big ">– <span class="unit">ms</span></dd><dd class="muted">not measured</dd>`, `<td class="num" data-head="TTFT p50">–</td>`} {
		if !strings.Contains(got, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if section.Keeps(limits, run.Result) || section.Keeps(nil, run.Result) {
		t.Error("a run without a success keeps limits")
	}
}

func TestPareto(t *testing.T) {
	for _, tt := range []struct {
		throughput, latency []float64
		want                string
	}{
		{[]float64{30, 10, 20, 15}, []float64{300, 100, 150, 200}, "[1 2 0]"},
		{[]float64{10, 10}, []float64{5, 5}, "[0 1]"},
		{[]float64{10, 20}, []float64{5, 5}, "[1]"},
		{nil, nil, "[]"},
	} {
		if got := fmt.Sprint(Pareto(tt.throughput, tt.latency)); got != tt.want {
			t.Errorf("%v %v: %s, want %s", tt.throughput, tt.latency, got, tt.want)
		}
	}
}

// The front has no run that the table has no percentile of, and none that is INVALID.
func TestTheFrontLeavesOutWhatTheTableDoes(t *testing.T) {
	run := func(n int, name string, level verdict.Trust) section.Run {
		r := shown(t, n, name)
		r.Verdict.Level = level
		return r
	}
	runs := []section.Run{run(200, "good", verdict.TrustValid), run(300, "doubtful", verdict.TrustSuspect), run(24, "few", verdict.TrustValid), run(400, "bad", verdict.TrustInvalid)}
	c := tradeoff(runs, "p99", "ttft")
	if len(c.Series) != 2 || len(c.Series[0].X) != 2 || c.Note != "Runs left out: 1 INVALID, 1 with too few requests for a p99" {
		t.Errorf("%+v, %q", c.Series, c.Note)
	}
	if c := tradeoff(runs, "p50", "itl"); len(c.Series) != 2 || len(c.Series[0].X) != 3 || c.Note != "Runs left out: 1 INVALID" {
		t.Errorf("%+v, %q", c.Series, c.Note)
	}
	if c := tradeoff(runs[2:], "p99", "ttft"); len(c.Series) != 0 || c.Empty != "Runs left out: 1 INVALID, 1 with too few requests for a p99" {
		t.Errorf("%+v, %q", c.Series, c.Empty)
	}
	if c := tradeoff(runs[:1], "p99", "ttft"); c.Note != "" {
		t.Error(c.Note)
	}
}

func TestNumber(t *testing.T) {
	for v, want := range map[float64]string{
		0: "0", 5: "5", 0.1234: "0.123", 0.9996: "1.00", 1.234: "1.23", 9.996: "10.0", 12.34: "12.3", 99.96: "100", 1234.5: "1,234", 1234567: "1,234,567", -1234: "-1,234", math.Inf(1): "–",
	} {
		if got := short(v); got != want {
			t.Errorf("%v: %s, want %s", v, got, want)
		}
	}
}

func TestNamesApart(t *testing.T) {
	runs := []section.Run{shown(t, 10, "a"), shown(t, 10, "a"), shown(t, 10, "b")}
	section.NameApart(runs)
	if runs[0].Name != "a, 100 req/s (1)" || runs[1].Name != "a, 100 req/s (2)" || runs[2].Name != "b" {
		t.Errorf("%q %q %q", runs[0].Name, runs[1].Name, runs[2].Name)
	}
}

// TestCharts: every chart can be drawn by its name; others are refused.
func TestCharts(t *testing.T) {
	asked := func(words string) section.Run {
		r := shownRun(t, fakerun.Journal{N: 200, Words: words, Categories: 3})
		r.Verdict.Level = verdict.TrustValid
		return r
	}
	runs := []section.Run{asked("a"), asked("b")}
	for _, name := range Charts() {
		some := runs
		if name == "gaps" || name == "categories" {
			some = runs[:1]
		}
		c, err := Chart(name, some)
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := c.SVG(&b); err != nil || !strings.Contains(b.String(), "<polyline") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Chart("gaps", runs); err == nil {
		t.Error("gaps of two runs")
	}
	if _, err := Chart("pie", runs); err == nil || !strings.Contains(err.Error(), "known are throughput") {
		t.Error(err)
	}
}

func TestCommand(t *testing.T) {
	if got := section.Command([]string{"a", "--b", "x y", "it's", "", "k=v"}); got != `a --b 'x y' 'it'\''s' '' k=v` {
		t.Error(got)
	}
}

// killed is a run that has no end.
type killed struct{ *fakerun.Journal }

func (killed) End() *journal.End { return nil }

// TestKilled: a run that was killed is shown, and its page says so.
func TestKilled(t *testing.T) {
	c := chartdata.NewCollector(0)
	r, err := measure.Measure(killed{&fakerun.Journal{N: 20, Words: "x"}}, measure.Options{}, c)
	if err != nil {
		t.Fatal(err)
	}
	got := written(t, Options{}, section.Run{Name: "x", Result: r, Drawn: c.Run(nil, nil)})
	if !strings.Contains(got, "the run stopped early (killed)") || !strings.Contains(got, "Not judged") {
		t.Error("the page does not say that the run was killed")
	}
}

// TestServersByThemselves: several servers are a table of their own.
func TestServersByThemselves(t *testing.T) {
	run := shown(t, 40, "two servers")
	if got := written(t, Options{}, run); strings.Contains(got, "run1-replicas") {
		t.Error("one server has a table of servers")
	}
	run.Result.Replicas = &measure.Replicas{Each: []measure.ReplicaResult{{Replica: replica.Replica{Name: "http://a<b"}, Requests: 20}, {Replica: replica.Replica{Name: "http://c"}, Requests: 21}}}
	got := written(t, Options{}, run)
	for _, want := range []string{`id="run1-replicas"`, ">a&lt;b<", ">c<"} {
		if !strings.Contains(got, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}

// TestSpeculative: acceptance is shown of the runs that know it, and of no other.
func TestSpeculative(t *testing.T) {
	plain, spec, old := shown(t, 40, "plain"), shown(t, 40, "spec"), shown(t, 40, "old")
	if got := written(t, Options{}, plain, plain); strings.Contains(got, "accepted") {
		t.Error("a column that no run has")
	}
	length := 3.42
	spec.Result.SpecDecode = &measure.SpecDecode{AcceptanceRate: 80.8, AcceptanceLength: &length}
	old.Result.SpecDecode = &measure.SpecDecode{AcceptanceRate: 79.7}
	got := written(t, Options{}, plain, spec, old)
	for _, want := range []string{"accepted %", "accepted length", ">80.80<", ">3.42<", ">79.70<", "accepted length 3.42", "accepted length –"} {
		if !strings.Contains(got, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
}

// TestUnknownTokens: a rate that nobody can know is called so, in tiles, charts and plots.
func TestUnknownTokens(t *testing.T) {
	run := shown(t, 40, "uncounted")
	run.Result.PeakTokensPerSecond, run.Drawn.TokensUnknown = nil, "nobody counted"
	got := written(t, Options{}, run)
	for _, want := range []string{"peak unknown", "unknown: nobody counted"} {
		if !strings.Contains(got, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	var b bytes.Buffer
	if err := Plots(&b, run.Drawn, 60); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(b.String(), "output tokens per second: unknown, nobody counted\n") {
		t.Errorf("the plots say %s", b.String())
	}
}

// TestSaturation: the highest of several runs is the most measured, and the most that the
// server can do only where more load gave no more.
func TestSaturation(t *testing.T) {
	at := func(rate, tokens float64) section.Run {
		r := shown(t, 40, "a run")
		run := *r.Result.Run
		run.Options.RequestRate = rate
		r.Result.Run, r.Result.OutputThroughput = &run, tokens
		return r
	}
	if got := written(t, Options{}, at(10, 100), at(20, 195)); !strings.Contains(got, "The most measured; not saturated: from rate 10 to 20 throughput still grew by 95 %.") {
		t.Error("the page does not say that more load gives more")
	}
	if got := written(t, Options{}, at(10, 100), at(20, 104)); !strings.Contains(got, "The most it can do; saturated: from rate 10 to 20 throughput grew by 4 % only.") {
		t.Error("the page does not say that more load gives no more")
	}
}

// A run of conversations over adapters has its sections, and another one has none.
func TestGroupSections(t *testing.T) {
	got := written(t, Options{}, shownTurns(t, 40, 4, "x"))
	for _, want := range []string{
		"<h3>10 jobs</h3>", "<h3>By adapter</h3>", `id="run1-turns"`, `id="run1-adapters"`, `id="run1-turn-ttft"`, `id="run1-jobs"`,
		"TTFT by turn", "Complete jobs", "law x",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the page does not hold %s", want)
		}
	}
	got = written(t, Options{}, shown(t, 40, "x"))
	for _, not := range []string{"conversations</h3>", "<h3>By adapter</h3>", "TTFT by turn"} {
		if strings.Contains(got, not) {
			t.Errorf("the page holds %s", not)
		}
	}
}
