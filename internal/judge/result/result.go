// Package result is one measured run as a value: our own, with all that its journal knows, or what another tool
// has reported. Comparisons, scenarios, the history of a folder and pages take it; JSON is written and read at the edge.
//
// Metrics are called by vLLM's JSON keys (mean_ttft_ms, output_throughput…): the names that most people know. A tool
// that means something else by the word says so in [Result].Notes. Nothing is guessed: what is not told is absent.
package result

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/inferometer/inferometer/internal/eval/score"
)

// Result is one measured run.
type Result struct {
	Name string // what people would call it: a label, a heading, or the file's name
	Tool Tool
	Path string // the file
	Line int    // where the block begins in a text; 0 for a file that is a result as a whole

	Facts    Facts
	Metadata map[string]string  // what the user has said of it with --metadata
	Values   map[string]float64 // by metric
	Numbers  map[string]float64 // every number of a result file of ours or of vLLM, by its key; nil of others
	Outcomes map[string]int     // requests by how they ended; nil: not told
	Replicas *Replicas          // the servers that were loaded as one; nil: it was one, or it is not told

	// Samples are the values behind a metric in seconds, one per request in the order of
	// sending. Those of itl, one per gap, are stream by stream; where the file tells when
	// each gap was, "itl"+EndsOf has that. Empty where the file has only summaries.
	Samples map[string][]float64

	// Intervals are those that the file itself gives, by metric.
	Intervals map[string]Interval

	// Lacking says of metrics without an interval why there is none, where the file tells.
	Lacking map[string]string

	// Bounds are between which a value lies in any case, where the file says so: its times are not all known exactly.
	Bounds map[string]Bounds

	// Higher says of metrics whether more is better, where the file says it.
	Higher map[string]bool

	Eval *score.Result // what its answers are worth; nil: it asked no questions, or does not say

	Notes []string // where this tool's words mean something else than ours

	Section int // of the text, by its headings
}

// Replicas are the servers that were loaded as one.
type Replicas struct {
	Balance string // the rule by which requests were spread; empty: a router did
	Each    []Replica
	Skew    *float64 // of output tokens per second, the highest over the lowest; nil: not known
}

// Replica is one of them.
type Replica struct {
	Name             string
	Requests, Failed int
	OutputThroughput float64
	TTFT, TPOT       *float64 // ms: medians; nil: there is none
	Cached           *float64 // share of the prompt tokens, 0 to 1; nil: not known
}

// ErrNothing says that a file holds no result that we know.
var ErrNothing = errors.New("no result of a known tool in it: inferometer, vllm bench serve (JSON, JSONL, or its console block in any text), " +
	"sglang, guidellm, aiperf, genai-perf, inference-perf, inferencex, llama-bench, locust")

// ShapeMetric is the metric of a shape's speed, in tokens per second.
func ShapeMetric(shape string) string { return shape + "_tps" }

// EndsOf follows the name of a sample that is not in the order of time: under both names
// together are the moments at which each of its values ended, in seconds.
const EndsOf = " ends"

// Interval lies around a value with a probability.
type Interval struct {
	Low, High, Level float64
	Degrees          float64 // of freedom with which its width is known; 0: as good as exactly
}

// Bounds are at least and at most. Low ≤ the value ≤ High.
type Bounds struct{ Low, High float64 }

// Tool is the program that wrote a result.
type Tool string

// The tools whose results can be read.
const (
	Inferometer   Tool = "inferometer"
	VLLM          Tool = "vllm bench serve"
	VLLMRust      Tool = "vllm-bench"
	VLLMConsole   Tool = "vllm console"
	SGLang        Tool = "sglang"
	GuideLLM      Tool = "guidellm"
	AIPerf        Tool = "aiperf"
	GenAIPerf     Tool = "genai-perf"
	InferencePerf Tool = "inference-perf"
	InferenceX    Tool = "inferencex"
	LlamaBench    Tool = "llama-bench"
	Locust        Tool = "fw-ai/benchmark"
	Offline       Tool = "offline script"
	LMEval        Tool = "lm-eval"
	BatchLatency  Tool = "bench latency"
	Throughput    Tool = "bench throughput"
	HandMade      Tool = "table"
)

// Facts are what a file says about how its numbers came about. Zero means that it does not say.
type Facts struct {
	Model, Backend, Server, Dataset string
	Hardware                        string
	Environment                     string // variables that were set for the command, as NAME=value
	Date                            string
	Concurrency                     int
	Rate                            float64 // requests per second; 0: none or not told
	AtOnce                          bool    // it is told that neither bounded the load
	Asked                           int     // requests that were to be sent
	Completed                       int
	Nothing                         bool // it is told that no request completed
	Failed                          *int // nil: the tool does not count failures
	HungUp                          int  // ended by their client on purpose: neither
	Lost                            int  // of the failed: by faults that were made on purpose
	InputTokens, OutputTokens       int64
	Duration                        float64 // seconds
	Workload                        Workload
	Verdict                         string // VALID, SUSPECT or INVALID; empty if nobody judged
	Reasons                         []string
	Unsupported                     []string // percentiles that rest on too few values, as p99_ttft
	ToDo                            string   // against the first of them
	RunDir                          string
}

// Workload is what a run of ours says of what it sent.
type Workload struct {
	SHA       string // over bodies and times; empty: not told
	Recipe    int    // of SHA: hashes of two recipes say nothing about each other
	Named     bool   // SHA counts the model's name
	Sent      int    // requests
	Tokenizer string
	Told      map[string]string // what results of all versions tell of it
	Keys      map[string]string // what it is made of, by the names of a Spec, with values as JSON; nil: an older version
}

// Missing is how many of the requests that were asked for did not complete, as far as it is told.
func (f *Facts) Missing() int {
	switch {
	case f.Failed != nil && *f.Failed > 0:
		return *f.Failed
	case f.Nothing:
		return max(f.Asked, 1)
	case f.Asked > f.Completed+f.HungUp && f.Completed > 0:
		return f.Asked - f.Completed - f.HungUp
	}
	return 0
}

// done keeps a number of completed requests that a file tells; nil: it does not.
func (f *Facts) Done(completed *int) {
	if completed != nil {
		f.Completed, f.Nothing = *completed, *completed == 0
	}
}

// Load is how hard the server was pressed, in words. Empty: it is not told.
func (f *Facts) Load() string {
	switch {
	case f.Concurrency > 0 && f.Rate > 0:
		return fmt.Sprintf("c=%d, %g/s", f.Concurrency, f.Rate)
	case f.Concurrency > 0:
		return fmt.Sprintf("c=%d", f.Concurrency)
	case f.Rate > 0:
		return fmt.Sprintf("%g/s", f.Rate)
	case f.AtOnce && max(f.Asked, f.Completed) > 0:
		return fmt.Sprintf("%d at once", max(f.Asked, f.Completed))
	}
	return ""
}

// ErrorOf is the deviation or standard error that the tool itself gives beside a value.
func (r *Result) ErrorOf(key string) (float64, bool) {
	if err, ok := r.Values["stderr_"+key]; ok {
		return err, true
	}
	err, ok := r.Values["std_"+key]
	return err, ok && strings.HasSuffix(key, "_tps")
}

// Metrics lists the run's metrics, sorted by name.
func (r *Result) Metrics() []string { return slices.Sorted(maps.Keys(r.Values)) }

// setKnown sets a value that is NaN where nobody tells it.
func (r *Result) SetKnown(metric string, value float64) {
	if !math.IsNaN(value) {
		r.Set(metric, &value)
	}
}

// set keeps a value, unless the tool gave none.
func (r *Result) Set(metric string, value *float64) {
	if value == nil {
		return
	}
	if r.Values == nil {
		r.Values = map[string]float64{}
	}
	r.Values[metric] = *value
}

// keep keeps the values behind a metric.
func (r *Result) Keep(metric string, values []float64) {
	if len(values) == 0 {
		return
	}
	if r.Samples == nil {
		r.Samples = map[string][]float64{}
	}
	r.Samples[metric] = values
}

// direct keeps which way of a metric is better.
func (r *Result) Direct(metric string, higher bool) {
	if r.Higher == nil {
		r.Higher = map[string]bool{}
	}
	r.Higher[metric] = higher
}
