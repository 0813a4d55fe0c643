package measure

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/metric"

	"github.com/inferometer/inferometer/internal/testfiles"
)

// detailed is a result file with --save-detailed, as far as a journal can be made of it.
type detailed struct {
	Duration    float64
	Concurrency int         `json:"max_concurrency"`
	InputLens   []int       `json:"input_lens"`
	OutputLens  []int       `json:"output_lens"`
	TTFTs       []float64   `json:"ttfts"`
	ITLs        [][]float64 `json:"itls"`
	Latencies   []float64   `json:"latencies"`
	StartTimes  []float64   `json:"start_times"`
	QueueTimes  []float64   `json:"queue_times"`
}

func ns(seconds float64) int64 { return int64(math.Round(seconds * 1e9)) }

// journalOf makes the journal of a run that took these times. The run's start is
// not in the file; zero is a time from which the last request ended after Duration.
func journalOf(d *detailed, run journal.Run) *memory {
	m := &memory{run: run, end: &journal.End{}}
	last := 0.0
	for i, s := range d.StartTimes {
		last = math.Max(last, s+d.Latencies[i])
	}
	zero := last - d.Duration
	for i := range d.StartTimes {
		sent := ns(d.StartTimes[i] - zero)
		r := journal.Request{
			Index: i, Due: sent, Sent: sent, Outcome: journal.Complete, Status: 200,
			PromptTokens: d.InputLens[i], UsagePrompt: d.InputLens[i],
			OutputTokens: d.OutputLens[i], UsageOutput: d.OutputLens[i],
		}
		if d.QueueTimes != nil {
			r.Due = sent - ns(d.QueueTimes[i])
		}
		r.Events.At = []int64{ns(d.TTFTs[i])}
		r.Events.Kind = []journal.EventKind{text}
		for _, g := range d.ITLs[i] {
			r.Events.At = append(r.Events.At, ns(g))
			r.Events.Kind = append(r.Events.Kind, text)
		}
		r.Events.At = append(r.Events.At, 0)
		r.Events.Kind = append(r.Events.Kind, journal.EventUsage)
		r.End = sent + ns(d.Latencies[i])
		m.requests = append(m.requests, r)
	}
	return m
}

// TestVLLMsOwnNumbers takes a detailed result of vLLM 0.32, makes the journal of
// it, and measures that under vLLM's rules: every number must come out again.
func TestVLLMsOwnNumbers(t *testing.T) {
	var raw map[string]json.RawMessage
	testfiles.JSON(t, &raw, "results", "vllm_bench", "vllm_0.32_bench_serve_detailed.json")
	var d detailed
	testfiles.JSON(t, &d, "results", "vllm_bench", "vllm_0.32_bench_serve_detailed.json")

	run := closedRun(d.Concurrency)
	run.Options.Compat = "vllm"
	run.Options.MetricPercentiles = []float64{99}
	// vLLM's queue times count from the moment that each task was made; as due
	// times of an open loop they can be given exactly.
	run.Options.Pace = "trace"
	r := measured(t, journalOf(&d, run), Options{})

	got := map[string]float64{}
	for _, m := range metric.All() {
		if v, ok := r.Number(&m); ok {
			got[m.Name] = v
		}
	}
	for _, m := range r.Metrics {
		got["mean_"+m.Metric.Name+"_ms"] = m.Stats.Mean
		got["median_"+m.Metric.Name+"_ms"] = m.Stats.Median
		got["std_"+m.Metric.Name+"_ms"] = m.Stats.Std
		got["p99_"+m.Metric.Name+"_ms"] = m.Stats.Percentiles[0].Value
	}
	if len(got) != 10+16 {
		t.Errorf("%d numbers to compare, want 26", len(got))
	}
	for name, v := range got {
		var want float64
		if err := json.Unmarshal(raw[name], &want); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if math.Abs(v-want) > 1e-9*math.Abs(want) {
			t.Errorf("%s = %v, vLLM has %v", name, v, want)
		}
		if want == math.Trunc(want) && v != want {
			t.Errorf("%s = %v, vLLM has exactly %v", name, v, want)
		}
	}
	for i := range r.Rows {
		near(t, "latency", r.Rows[i].Latency(), d.Latencies[i])
		near(t, "queue time", r.Rows[i].QueueTime(), d.QueueTimes[i])
	}

	// The limit was 8, and 8 it was: vLLM's 16 is its way of counting.
	if r.PeakConcurrent != 16 || r.PeakConcurrency != 8 {
		t.Errorf("peak %d by seconds and %d in truth, want 16 and 8", r.PeakConcurrent, r.PeakConcurrency)
	}
}

// TestSteadyStateOfTheRustClient does the same for the one client that has a steady state.
func TestSteadyStateOfTheRustClient(t *testing.T) {
	var file struct {
		detailed
		Steady SteadyState `json:"steady_state"`
	}
	testfiles.JSON(t, &file, "results", "vllm_bench", "vllm_bench_rust_detailed.json")
	run := closedRun(file.Concurrency)
	run.Options.MetricPercentiles = []float64{99, 90}
	// Sends count from the first one here, so the journal's zero does not matter. That
	// client counts whole requests; ours counts those at the edges by their parts.
	vllm := "vllm"
	r := measured(t, journalOf(&file.detailed, run), Options{Compat: &vllm})
	if r.SteadyState == nil {
		t.Fatal("no steady state")
	}
	got, want := *r.SteadyState, file.Steady
	if (got.Window.Warning == nil) != (want.Window.Warning == nil) {
		t.Error("one of the two warns of a short window")
	}
	got.Window.Warning, want.Window.Warning, got.Window.Requests = nil, nil, 0
	compareJSON(t, got, want)
}

// compareJSON compares two values number by number, as JSON, to nine digits.
func compareJSON(t *testing.T, got, want any) {
	t.Helper()
	flat := func(v any) map[string]float64 {
		b, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		var tree any
		if err := json.Unmarshal(b, &tree); err != nil {
			t.Fatal(err)
		}
		out := map[string]float64{}
		flatten(tree, "", out)
		return out
	}
	g, w := flat(got), flat(want)
	if len(g) != len(w) || len(w) == 0 {
		t.Errorf("%d numbers, want %d", len(g), len(w))
	}
	for k, v := range w {
		near(t, k, g[k], v)
	}
}

func flatten(v any, path string, out map[string]float64) {
	switch v := v.(type) {
	case map[string]any:
		for k, x := range v {
			flatten(x, path+"."+k, out)
		}
	case []any:
		for i, x := range v {
			flatten(x, path+"."+string(rune('0'+i)), out)
		}
	case float64:
		out[path] = v
	}
}

func TestSteadyStateIsNotAlwaysThere(t *testing.T) {
	never := &memory{run: closedRun(4), end: &journal.End{}, requests: []journal.Request{stream(0, 0, 50, 60), stream(1, 60, 40, 50)}}
	if measured(t, never, Options{}).SteadyState != nil {
		t.Error("a run that never had four requests open has no steady state at four")
	}
	open := &memory{run: closedRun(1), end: &journal.End{}, requests: never.requests}
	open.run.Options.Pace, open.run.Options.RequestRate = "poisson", 5
	if measured(t, open, Options{}).SteadyState != nil {
		t.Error("an open loop has no steady state")
	}
	dip := &memory{run: closedRun(1), end: &journal.End{}, requests: []journal.Request{stream(0, 100, 50, 100), stream(1, 300, 50, 100)}}
	s := measured(t, dip, Options{SteadyMinWindow: 0.1}).SteadyState
	if s == nil || s.Window.Warning != nil {
		t.Fatalf("%+v", s)
	}
	near(t, "start", s.Window.Start, 0)
	near(t, "end: the dip between the two is part of it", s.Window.End, 0.3)
	if s.Window.Started != 2 || s.Window.Completed != 1 {
		t.Errorf("%d started, %d completed, want 2 and 1: the window does not hold its own end", s.Window.Started, s.Window.Completed)
	}
}
