// Package metric is the one table of metrics. A metric is one row: its name, its
// labels, its unit, which direction is better, its definition and its formula.
// Console, JSON, CSV, HTML, SLO, gate, goodput, --until, compare, the columns of
// run and docs/reference/metrics.md read that row.
//
//	table.go      the rows: latencies per request and per gap
//	numbers.go    the rows: numbers of the whole run, from Totals; of faults in faults.go
//	statistic.go  mean, median, std, pNN
//	name.go       p99_ttft ↔ (p99, ttft); keys, labels and column titles
//
// A condition on a metric, such as p99_ttft<=500ms, is read by package condition.
package metric

import (
	"slices"

	"github.com/inferometer/inferometer/internal/judge/row"
)

// Better says which direction of a number is an improvement.
type Better string

// The directions. The empty one: neither is better.
const (
	Lower  Better = "lower"
	Higher Better = "higher"
)

// Scope is what has a value of a metric.
type Scope string

// The scopes. All but PerRun are latencies, of which a run has statistics.
const (
	PerRequest Scope = "request"
	PerGap     Scope = "gap"
	PerBatch   Scope = "batch" // of bench latency and bench shapes
	PerRun     Scope = "run"
	// PerJob: a complete conversation has one value.
	PerJob Scope = "job"
)

// Gaps is what a metric per gap lies between.
type Gaps int

// The kinds of gaps, as a set.
const (
	BetweenChunks Gaps = 1 << iota
	BetweenTokens
)

// Metric is a row of the table.
type Metric struct {
	Name   string // as in mean_{name}_ms, in flags and in conditions
	Alias  string // another name for it in conditions; most have none
	Scope  Scope
	Unit   string // ms for all latencies
	Better Better
	Doc    string // the definition, in one line
	Math   string // the definition of a latency as a formula, in the words of docs/metrics.md

	Short  string // on the console: "Mean TTFT (ms)"; of a number, its name in the list of intervals
	Title  string // the heading of its block on the console; of a number, its line there
	Label  string // in tables of compare; empty: Short
	Column string // the title of its column in the table of run; empty: Short
	Chart  string // the title of its distribution; empty: Title
	Usual  Usual

	// Always: each result has its distribution, whether it was asked for or not, and
	// the page, the CSV file and the Markdown file show it.
	Always bool
	// LimitOnly: --goodput can bound it, but no result has statistics of it by this name.
	LimitOnly bool
	// NeedsTokenizer: vLLM leaves it out of the result when it has no tokenizer.
	NeedsTokenizer bool
	// OfStream: an answer in one piece has none.
	OfStream bool
	// OfJobs: only a run of conversations has it.
	OfJobs bool
	// OfQuestions: only a run of questions has it, and its error comes from which questions
	// were asked: runs that repeat the same ones do not show it.
	OfQuestions bool
	// OfReplicas: only a run over several servers has it, and reports have a section for those.
	OfReplicas bool
	// OfServer: the server's own metrics say it, and reports have a section for those.
	OfServer bool
	// OfFaults: only a run with faults on purpose has it.
	OfFaults bool
	// NoRequestColumn: it is left out of the table of requests, as the sum of two others.
	NoRequestColumn bool

	// Of is the value in seconds of a success, for a metric per request.
	// ok is false where it has none.
	Of func(*row.Row) (v float64, ok bool)
	// AbsentIsUnknown says what it means that a success has no value: unknown, so that it
	// meets no limit; else there is nothing to bound, so that it meets any.
	AbsentIsUnknown bool
	// Gaps is set for a metric per gap.
	Gaps Gaps

	// Run is the value of a metric per run: NaN where it is not known; ok is false
	// where the run can't have one, since it was not asked for. nil: only other tools'
	// results have it.
	Run func(*Totals) (v float64, ok bool)
	// Each is what a request adds to the numerator of a rate, which has an interval
	// of confidence for that reason. nil: it is no such rate.
	Each func(*row.Row) float64
	// Share: a limit in % is on its share of all requests.
	Share bool
}

// Usual says which statistics of a metric a table shows where none are asked for.
// A number of the whole run has one value: see once.
type Usual struct {
	Compare []string // the table of compare, with two sides or more
	List    []string // the table of compare, with a run per line
	Columns []string // the table of run
	Page    []string // the table of runs of the HTML page, beside the throughputs
	Index   []string // the index of serve-report, which shows their history
}

// once is the only "statistic" of a number of the whole run.
var once = []string{""}

// IsLatency says whether a run has statistics of the metric.
func (m *Metric) IsLatency() bool { return m.Scope != PerRun }

// Whole says whether the metric counts things.
func (m *Metric) Whole() bool {
	return m.Unit == "requests" || m.Unit == "tokens" || m.Unit == "jobs" || m.Unit == "inputs"
}

// Reported says whether --percentile-metrics can name the metric: bench serve
// measures it and shows its statistics.
func (m *Metric) Reported() bool {
	return !m.LimitOnly && (m.Scope == PerRequest || m.Scope == PerGap || m.Scope == PerJob)
}

// table is what All returns.
var table = slices.Concat(latencies(), numbers(), hangUpNumbers(), replicaNumbers(), faultNumbers(), serverNumbers())

// All are the rows, in the order in which tables show them. They are not to be changed.
func All() []Metric { return table }

// Add puts a row into the table for the rest of the process. It is for an init function, of a test's program that
// shows that a row is all that a metric needs: nobody has looked at the table before.
func Add(m Metric) { table = with(table, m) }

// with is a table with one more row, which comes before those that are only limits where it has statistics.
func with(table []Metric, m Metric) []Metric {
	at := len(table)
	if m.IsLatency() {
		at = slices.IndexFunc(table, func(m Metric) bool { return m.LimitOnly })
	}
	return slices.Insert(slices.Clone(table), at, m)
}

// Lookup finds a row by its name or its alias; nil: there is none.
func Lookup(name string) *Metric {
	i := slices.IndexFunc(table, func(m Metric) bool { return m.Name == name || m.Alias != "" && m.Alias == name })
	if i < 0 {
		return nil
	}
	return &table[i]
}

// Select are the rows that a table shows: those named first, in that order, then the others.
func Select(which func(*Metric) bool, first ...string) []Metric {
	var out []Metric
	for _, name := range first {
		if m := Lookup(name); m != nil && which(m) {
			out = append(out, *m)
		}
	}
	for i := range table {
		if m := &table[i]; which(m) && !slices.Contains(first, m.Name) {
			out = append(out, *m)
		}
	}
	return out
}

// Names are the names of the rows that Select returns.
func Names(which func(*Metric) bool, first ...string) []string {
	var out []string
	for _, m := range Select(which, first...) {
		out = append(out, m.Name)
	}
	return out
}

// Always are the metrics whose distribution each result has, in the order of the page.
func Always() []Metric {
	return Select(func(m *Metric) bool { return m.Always }, "ttft", "itl", "tpot", "e2el")
}

// AlwaysNames are their names, in the order of the table.
func AlwaysNames() []string { return Names(func(m *Metric) bool { return m.Always }) }

// ReportedNames are the names that --percentile-metrics knows.
func ReportedNames() []string { return Names((*Metric).Reported) }
