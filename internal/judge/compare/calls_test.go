package compare

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/inferometer/inferometer/internal/foreign"
	"github.com/inferometer/inferometer/internal/judge/result"
	"github.com/inferometer/inferometer/internal/stats"
)

// repeats are runs of one metric, as values.
func repeats(name string, values ...float64) Side {
	s := Side{Name: name}
	for _, v := range values {
		s.Runs = append(s.Runs, result.Result{Tool: result.VLLM, Values: map[string]float64{"mean_ttft_ms": v}})
	}
	return s
}

// Few runs need Student's tail, with Welch's degrees of freedom.
func TestStudentsTail(t *testing.T) {
	a, b := []float64{100.123, 104.321, 101.777}, []float64{110.456, 118.765}
	var ma, mb stats.Moments
	for _, v := range a {
		ma.Add(math.Log(v))
	}
	for _, v := range b {
		mb.Add(math.Log(v))
	}
	va, vb := ma.StdError()*ma.StdError(), mb.StdError()*mb.StdError()
	degrees := (va + vb) * (va + vb) / (va*va/2 + vb*vb/1)
	want := stats.StudentTail((mb.Mean-ma.Mean)/math.Sqrt(va+vb), degrees)
	ch := mustCompare(t, []Side{repeats("a", a...), repeats("b", b...)}).Rows[0].Cells[1].Change
	if math.Abs(ch.P-want) > 1e-9 {
		t.Errorf("p is %g, Student's with %.2f degrees of freedom is %g", ch.P, degrees, want)
	}
	half := stats.StudentQuantile(0.975, degrees) * math.Sqrt(va+vb)
	if want := math.Expm1(mb.Mean - ma.Mean - half); math.Abs(ch.Low-want) > 1e-9 {
		t.Errorf("the interval begins at %g, not %g", ch.Low, want)
	}
}

// known are three runs whose files give the interval of their value: ± half, relative. They differ by little.
func known(name string, value, half float64, metrics ...string) Side {
	out := Side{Name: name}
	for i := range 3 {
		r := result.Result{Name: name, Tool: result.Inferometer, Values: map[string]float64{}, Intervals: map[string]result.Interval{}}
		for _, key := range metrics {
			v := value * (1 + 0.001*float64(i-1))
			r.Values[key] = v
			r.Intervals[key] = result.Interval{Low: v * math.Exp(-half), High: v * math.Exp(half), Level: 0.95}
		}
		out.Runs = append(out.Runs, r)
	}
	return out
}

// The correction is over all metrics: what is beyond noise by itself may not be so as the largest of many.
func TestTheWholeTableIsCorrected(t *testing.T) {
	of := func(metrics ...string) *Change {
		return mustCompare(t, []Side{known("a", 100, 0.02, metrics...), known("b", 102, 0.02, metrics...)}).Row(metrics[0]).Cells[1].Change
	}
	if one, many := of(sixteen[0]), of(sixteen...); one.Call != Real || many.Call == Real || math.Abs(many.P-16*one.P) > 1e-9 {
		t.Errorf("one metric: %s, p %.4f; sixteen: %s, p %.4f", one.Call, one.P, many.Call, many.P)
	}
}

// Within noise is said at the level of the calls: an interval that lies within ±5 % at
// 95 % need not do so where it is one of many.
func TestWithinNoiseIsCorrected(t *testing.T) {
	const half = 0.05
	one := mustCompare(t, []Side{known("a", 100, half, "mean_ttft_ms"), known("b", 100, half, "mean_ttft_ms")})
	many := mustCompare(t, []Side{known("a", 100, half, sixteen...), known("b", 100, half, sixteen...)})
	a, b := one.Rows[0].Cells[1].Change, many.Rows[0].Cells[1].Change
	if a.Low != b.Low || b.Smallest <= a.Smallest {
		t.Errorf("one metric: %+v, sixteen: %+v", *a, *b)
	}
}

// One run per side is never called real, however sure each run is of itself: what drifts between runs is not in it.
// The files are those of a change of half.
func TestOneRunIsNeverReal(t *testing.T) {
	a, b := known("a", 100, 0.001, sixteen...), known("b", 150, 0.001, sixteen...)
	a.Runs, b.Runs = a.Runs[:1], b.Runs[:1]
	for _, s := range [][]Side{{a, b}, {a, known("b", 150, 0.001, sixteen...)}, {known("a", 100, 0.001, sixteen...), b}} {
		c := mustCompare(t, s)
		for i := range c.Rows {
			ch := c.Rows[i].Cells[1].Change
			if ch.Call != Differs || c.Rows[i].Cells[0].Best || c.Rows[i].Cells[1].Best || ch.Needs == nil || ch.Needs.Runs < 2 {
				t.Fatalf("%d and %d runs: %s: %+v", len(s[0].Runs), len(s[1].Runs), c.Rows[i].Metric.Key, *ch)
			}
		}
		if n := c.Rows[0].Cells[1].Change.Needs; n.Runs != 2 || math.Round(100*n.Change) != 50 {
			t.Errorf("%+v", n)
		}
	}
}

// A second repeat says more than one run, and does not take the finding away: the runs' own errors count beside how much they differ.
func TestSecondRepeatKeepsTheFinding(t *testing.T) {
	of := func(runs int, value, other float64) *Change {
		a, b := known("a", value, 0.01, sixteen...), known("b", other, 0.01, sixteen...)
		a.Runs, b.Runs = a.Runs[:runs], b.Runs[:runs]
		return mustCompare(t, []Side{a, b}).Row("mean_tpot_ms").Cells[1].Change
	}
	before := 1.0
	for runs, want := range map[int]Call{1: Differs, 2: Real, 3: Real} {
		if ch := of(runs, 100, 110); ch.Call != want {
			t.Errorf("%d runs per side, +10 %%: %+v", runs, *ch)
		}
	}
	for runs := 1; runs <= 3; runs++ {
		ch := of(runs, 100, 110)
		if ch.P >= before {
			t.Errorf("%d runs per side: p is %g, and was %g", runs, ch.P, before)
		}
		before = ch.P
	}
}

// What a value may be off by is no noise: it stays however many the repeats, and a change within it is not real.
func TestBoundsStay(t *testing.T) {
	within := func(s Side, below, above float64) Side {
		for i := range s.Runs {
			v := s.Runs[i].Values["mean_ttft_ms"]
			s.Runs[i].Bounds = map[string]result.Bounds{"mean_ttft_ms": {Low: v * (1 - below), High: v * (1 + above)}}
		}
		return s
	}
	gate, err := ParseGate("mean_ttft<+5%")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		what         string
		below, above float64
		want         Call
		gate         Outcome
	}{
		{"exact", 0, 0, Real, Broken},
		{"narrow bounds", 0.01, 0.01, Real, Broken},
		{"wide bounds", 0.12, 0, Unclear, Undecided},
		{"no lower bound", 1, 0, Unclear, Undecided},
		{"bounds away from the limit", 0, 0.08, Real, Broken},
	} {
		a, b := known("a", 100, 0.005, "mean_ttft_ms"), within(known("b", 112, 0.005, "mean_ttft_ms"), tt.below, tt.above)
		c := mustCompare(t, []Side{a, b})
		ch := c.Rows[0].Cells[1].Change
		outcome, found, err := gate.Judge(c)
		if err != nil || ch.Call != tt.want || outcome != tt.gate {
			t.Errorf("%s: %s, gate %s: %+v", tt.what, ch.Call, outcome, found)
		}
	}
	c := mustCompare(t, []Side{known("a", 100, 0.005, "mean_ttft_ms"), within(known("b", 104, 0.005, "mean_ttft_ms"), 0.3, 0.3)})
	if n := c.Rows[0].Cells[1].Change.Needs; n == nil || n.Off <= 0 {
		t.Errorf("more runs would decide it: %+v", n)
	}
}

// A run of ours says why it has no error, and what to do; it never has an unknown one.
func TestOwnRunsSayWhy(t *testing.T) {
	text := `{"num_prompts": 48, "completed": 48, "request_throughput": 4, "mean_ttft_ms": 20, "p99_ttft_ms": 21, "mean_tpot_ms": 2,
		"inferometer": {"confidence": {"level": 0.95, "intervals": {
			"mean_ttft_ms": {"low": null, "high": null, "reason": "too few independent waves; send about 480 requests"},
			"p99_ttft_ms": {"low": 20.9, "high": null, "reason": "no upper end: 48 values are too few for p99; send about 370 requests\u001b[31m"}}}}}`
	runs, err := foreign.Read("a.json", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	c := mustCompare(t, sides(runs[0], runs[0]))
	for key, want := range map[string]string{
		"mean_ttft_ms": "too few independent waves; send about 480 requests",
		"p99_ttft_ms":  "no upper end: 48 values are too few for p99; send about 370 requests",
		"mean_tpot_ms": "repeat each side",
	} {
		if got := c.Row(key).Cells[1].Change.Why; !strings.HasPrefix(got, want) || strings.ContainsRune(got, 0x1b) {
			t.Errorf("%s: %q", key, got)
		}
	}
}

// A single run beside repeats has at least the spread of those: its own interval knows
// nothing of what changes from run to run.
func TestOneRunBesideRepeats(t *testing.T) {
	alone := known("b", 104.7, 0.001, "mean_ttft_ms")
	alone.Runs = alone.Runs[:1]
	ch := mustCompare(t, []Side{repeats("a", 97.31, 103.42, 99.93), alone}).Rows[0].Cells[1].Change
	if ch.Call == Real || !ch.Bounded || ch.Low > 0 {
		t.Errorf("%+v", *ch)
	}
	alone.Runs[0].Intervals = nil // a printed number, which tells nothing of its error
	if ch := mustCompare(t, []Side{repeats("a", 97.31, 103.42, 99.93), alone}).Rows[0].Cells[1].Change; !ch.Bounded {
		t.Errorf("beside repeats the error of a single run is known: %+v", *ch)
	}
}

// Printed repeats that agree to the last digit still have a rounding error.
func TestRoundedRepeats(t *testing.T) {
	ch := mustCompare(t, []Side{repeats("a", 0.15, 0.15), repeats("b", 0.16, 0.16)}).Rows[0].Cells[1].Change
	if ch.Call == Real || !ch.Bounded {
		t.Errorf("%+v", *ch)
	}
}

// Runs without a success have no latencies, whatever their files print.
func TestNoSuccess(t *testing.T) {
	good, err := foreign.Read("good.json", []byte(`{"num_prompts": 10, "completed": 10, "request_throughput": 4, "mean_ttft_ms": 100}`))
	if err != nil {
		t.Fatal(err)
	}
	none, err := foreign.Read("none.json", []byte(`{"num_prompts": 10, "completed": 0, "request_throughput": 0, "mean_ttft_ms": 0, "p99_tpot_ms": 0}`))
	if err != nil {
		t.Fatal(err)
	}
	c := mustCompare(t, sides(good[0], none[0]))
	cell := c.Row("mean_ttft_ms").Cells[1]
	if cell.Known || cell.Best || cell.Change != nil {
		t.Errorf("%+v", cell)
	}
	if d := c.severe(1); d == nil || !strings.Contains(d.Sentence, "no request completed") {
		t.Errorf("%+v", c.Doubts)
	}
}

// A score within the standard error of another is not the best, in a comparison and in a list.
func TestScoresWithinTheirError(t *testing.T) {
	score := func(name string, v float64) result.Result {
		return result.Result{Name: name, Tool: result.LMEval, Values: map[string]float64{"biology_exact_match": v, "stderr_biology_exact_match": 0.0135}}
	}
	for _, tt := range []struct {
		b    float64
		best bool
	}{{0.848, false}, {0.95, true}} {
		runs := []result.Result{score("fp16", 0.8466), score("fp8", tt.b)}
		c := mustCompare(t, sides(runs...))
		if got := c.Rows[0].Cells[1].Best; got != tt.best || c.Rows[0].Cells[0].Best {
			t.Errorf("0.8466 and %g: best is %v", tt.b, got)
		}
		l := Lists(runs, nil)
		if got := l[0].Best(1, "biology_exact_match"); got != tt.best {
			t.Errorf("listed, 0.8466 and %g: best is %v", tt.b, got)
		}
	}
}

// Only runs under the same load are held against each other for the best value.
func TestBestUnderTheSameLoad(t *testing.T) {
	served := func(name string, ttft float64, f result.Facts) result.Result {
		return result.Result{Name: name, Tool: result.VLLMConsole, Values: map[string]float64{"mean_ttft_ms": ttft}, Facts: f}
	}
	runs := []result.Result{
		served("full", 560, result.Facts{Concurrency: 128}),
		served("quarter", 420, result.Facts{Concurrency: 32}),
		served("slow", 900, result.Facts{Concurrency: 128}),
		served("one a second", 50, result.Facts{Rate: 1}),
		served("untold", 10, result.Facts{}),
		served("untold too", 20, result.Facts{}),
	}
	l := Lists(runs, nil)[0]
	var best []string
	for i := range l.Runs {
		if l.Best(i, "mean_ttft_ms") {
			best = append(best, l.Runs[i].Name)
		}
	}
	if !slices.Equal(best, []string{"full"}) {
		t.Errorf("best are %v", best)
	}
	if l.Runs[1].Name != "slow" {
		t.Errorf("runs under the same load are apart: %v", l.Runs[1].Name)
	}
	notes := strings.Join(l.Notes, "\n")
	for _, want := range []string{"different loads", "the load of 2 of 6 runs is not told"} {
		if !strings.Contains(notes, want) {
			t.Errorf("nothing says %q:\n%s", want, notes)
		}
	}
	c := mustCompare(t, sides(runs[0], runs[1]))
	if c.Rows[0].Cells[1].Best {
		t.Error("a quarter of the load wins")
	}
}

// What is asked for is shown, or told to be absent; what is no metric is refused.
func TestAskedMetrics(t *testing.T) {
	a := result.Result{Name: "a", Tool: result.VLLM, Values: map[string]float64{"mean_ttft_ms": 1, "depth_score": 2, "pp512_tps": 3}}
	s := sides(a, a)
	for word, ok := range map[string]bool{
		"mean_ttft": true, "p95_ttft": true, "p99.9-e2el": true, "depth_score": true, "output_throughput": true, "pp512": true,
		"ttft": false, "p_ttft": false, "p200_ttft": false, "p99_tfft": false, "speed": false,
	} {
		if err := CheckMetrics([]string{word}, s); (err == nil) != ok {
			t.Errorf("%s: %v", word, err)
		}
	}
	c, err := Compare(s, Options{Metrics: []string{"p95_ttft", "mean_ttft"}})
	if err != nil || len(c.Rows) != 2 || c.Rows[0].Cells[0].Known || !slices.Contains(c.Footnotes, "no side has p95_ttft_ms") {
		t.Errorf("%+v, %v", c, err)
	}
	l := Lists([]result.Result{a}, []string{"p95_ttft", "mean_ttft"})[0]
	if len(l.Metrics) != 1 || !slices.Contains(l.Notes, "note: none of these runs has p95_ttft_ms") {
		t.Errorf("%v: %v", l.Metrics, l.Notes)
	}
}

// Nobody knows which way of an unknown metric is better.
func TestDirections(t *testing.T) {
	for key, want := range map[string]string{
		"biology_exact_match": "higher", "gsm8k_acc_norm": "higher", "wikitext_word_perplexity": "lower", "mean_ttft_ms": "lower",
		"pp512_tps": "higher", "depth": "unknown", "asr_wer": "lower", "told_up": "higher", "told_down": "lower",
	} {
		m := metricOf(key, map[string]bool{"told_up": true, "told_down": false})
		got := map[bool]string{true: "higher", false: "lower"}[m.Higher]
		if m.Unsure {
			got = "unknown"
		}
		if got != want {
			t.Errorf("%s: %s, want %s", key, got, want)
		}
	}
	a := result.Result{Name: "a", Tool: result.VLLM, Values: map[string]float64{"depth": 1}}
	b := result.Result{Name: "b", Tool: result.VLLM, Values: map[string]float64{"depth": 2}}
	if c := mustCompare(t, sides(a, b)); c.Rows[0].Cells[1].Best || c.Rows[0].Cells[0].Best {
		t.Error("one of two unknown numbers is the best")
	}
}

// A gate of many limits does not break by chance more often than a gate of one.
func TestGateOfManyLimits(t *testing.T) {
	a, b := known("a", 100, 0.02, sixteen...), known("b", 100*1.08, 0.02, sixteen...)
	low := mustCompare(t, []Side{a, b}).Row("mean_ttft_ms").Cells[1].Change.Low
	limits := fmt.Sprintf("mean_ttft<%+.3f%%", 100*low-0.1)
	for n, want := range map[int]Outcome{1: Broken, 8: Undecided} {
		g, err := ParseGate(strings.TrimSuffix(strings.Repeat(limits+" and ", n), " and "))
		if err != nil {
			t.Fatal(err)
		}
		if got, _, err := g.Judge(mustCompare(t, []Side{a, b})); err != nil || got != want {
			t.Errorf("%d limits: %s, %v", n, got, err)
		}
	}
}

// stalled is a detailed file of vLLM's: streams whose gaps wait for the same engine, which
// stalls now and then for all of them.
func stalled(random *rand.Rand, name string, told bool) string {
	const streams, rounds, tokens = 32, 2, 100
	const step = 0.010
	var stalls [rounds*tokens + 1]float64 // of the engine's steps
	for i := range stalls {
		if random.Float64() < 0.1 {
			stalls[i] = 0.05 * random.ExpFloat64()
		}
	}
	var starts, ttfts, itls []string
	now, sum, n := 0.0, 0.0, 0.0
	for round := range rounds {
		at := now
		for s := range streams {
			var gaps []string
			now = at
			for k := range tokens {
				gap := step*(1+0.1*random.NormFloat64()) + stalls[round*tokens+k]
				gaps = append(gaps, fmt.Sprintf("%.6f", gap))
				now += gap
				sum, n = sum+gap, n+1
			}
			starts = append(starts, fmt.Sprintf("%.6f", at+float64(s)*1e-4))
			ttfts = append(ttfts, "0.050000")
			itls = append(itls, "["+strings.Join(gaps, ",")+"]")
		}
		now += 0.05
	}
	startTimes := ""
	if told {
		startTimes = `"start_times": [` + strings.Join(starts, ",") + `],`
	}
	return fmt.Sprintf(`{"label": %q, "request_throughput": 1, "completed": %d, "mean_itl_ms": %.6f, %s "ttfts": [%s], "itls": [%s]}`,
		name, streams*rounds, sum/n*1000, startTimes, strings.Join(ttfts, ","), strings.Join(itls, ","))
}

// Gaps of all streams wait for the same step of the engine: a stall that hits them all is
// one event. Without the moments of the gaps nobody can see that, and no error is given.
func TestStallsOfAllStreams(t *testing.T) {
	random := rand.New(rand.NewPCG(11, 2026))
	read := func(told bool) result.Result {
		runs, err := foreign.Read("x.json", []byte(stalled(random, "x", told)))
		if err != nil {
			t.Fatal(err)
		}
		return runs[0]
	}
	const pairs = 60
	alarms := 0
	for range pairs {
		c, err := Compare(sides(read(true), read(true)), Options{Metrics: []string{"mean_itl"}})
		if err != nil {
			t.Fatal(err)
		}
		if c.Rows[0].Cells[1].Change.Call == Real {
			alarms++
		}
	}
	t.Logf("%d of %d pairs of runs of one server are called different", alarms, pairs)
	if alarms > 9 { // 3 of 60, and what chance adds; laid end to end they gave 42
		t.Errorf("%d of %d pairs of runs of one server are called different", alarms, pairs)
	}
	if ch := mustCompare(t, sides(read(false), read(false))).Row("mean_itl_ms").Cells[1].Change; ch.Call != Unknown {
		t.Errorf("without the moments of the gaps: %+v", *ch)
	}
}

// Two models that answered the same in the same time are probably one; repeats of one
// model, other settings of it, and answers of a fixed length are no reason for doubt.
func TestSameServer(t *testing.T) {
	base := func() result.Result {
		return result.Result{Tool: result.VLLMConsole, Values: map[string]float64{"mean_ttft_ms": 146.13, "mean_tpot_ms": 39.16}, Facts: result.Facts{
			Model: "/models/gguf/llama-2-7b.Q8_0.gguf", Concurrency: 1, Asked: 64, Completed: 36, InputTokens: 1339, OutputTokens: 5870, Duration: 237.27,
		}}
	}
	other := base()
	other.Values = map[string]float64{"mean_ttft_ms": 145.18, "mean_tpot_ms": 39.09}
	other.Facts.Model, other.Facts.Duration = "/models/gguf/llama-2-7b.Q4_K_M.gguf", 237.19
	a := base()
	if got := sameServer(&a, &other); !strings.Contains(got, "5870 output tokens in both, in 237.27 and 237.19 s") {
		t.Errorf("%q", got)
	}
	for what, change := range map[string]func(a, b *result.Result){
		"a repeat":              func(a, b *result.Result) { b.Facts.Model = "llama-2-7b.Q8_0.gguf" },
		"no model told":         func(a, b *result.Result) { b.Facts.Model = "" },
		"other answers":         func(a, b *result.Result) { b.Facts.OutputTokens++ },
		"another time":          func(a, b *result.Result) { b.Facts.Duration = 200 },
		"another latency":       func(a, b *result.Result) { b.Values["mean_tpot_ms"] = 33 },
		"another load":          func(a, b *result.Result) { b.Facts.Concurrency = 16 },
		"a load that is untold": func(a, b *result.Result) { a.Facts.Concurrency, b.Facts.Concurrency = 0, 0 },
		"answers of 128 tokens": func(a, b *result.Result) { a.Facts.OutputTokens, b.Facts.OutputTokens = 36*128, 36*128 },
		"few tokens":            func(a, b *result.Result) { a.Facts.OutputTokens, b.Facts.OutputTokens = 37, 37 },
	} {
		a, b := base(), base()
		b.Facts.Model = other.Facts.Model
		change(&a, &b)
		if got := sameServer(&a, &b); got != "" {
			t.Errorf("%s: %s", what, got)
		}
	}
}
