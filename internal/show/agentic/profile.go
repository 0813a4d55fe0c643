package agentic

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/ordered"
	"github.com/inferometer/inferometer/internal/stats"
)

// profileSchema is the version of AIPerf's export whose keys these are.
const profileSchema = "1.4"

// totals are sums over the successes that were measured.
type totals struct {
	completed, failed int
	in, out           int64
	first, last       int64 // the first start and the last end, ns since 1970
	busy              float64
	cached, counted   int64 // prompt tokens from the server's cache, of those where it said so
	planned, of       int64 // by the recording
}

func (r *Run) totals() (t totals) {
	for i := range r.records {
		rec := &r.records[i]
		switch {
		case rec.warmup:
			continue
		case rec.failed != "":
			t.failed++
			continue
		}
		if t.completed == 0 || rec.start < t.first {
			t.first = rec.start
		}
		t.completed++
		t.last = max(t.last, rec.end)
		t.in, t.out = t.in+int64(rec.in), t.out+int64(rec.out)
		t.busy += max(rec.latency, 0) / 1000
		if rec.cached >= 0 {
			t.cached, t.counted = t.cached+int64(rec.cached), t.counted+int64(rec.in)
		}
		t.planned, t.of = t.planned+int64(rec.planned), t.of+int64(rec.plannedOf)
	}
	return t
}

// seconds is the time that rates are over: the first start to the last end of successes. Power is taken over the same.
func (t *totals) seconds() float64 { return float64(t.last-t.first) / 1e9 }

// profile is profile_export_aiperf.json.
func (r *Run) profile() ordered.Object {
	run, o, t := r.Result.Run, &r.Result.Run.Options, r.totals()
	p := ordered.Object{{"schema_version", profileSchema}, {"inferometer_version", run.Version}, {"benchmark_id", r.id()}}
	scalar := func(name, unit string, v float64) { p.Set(name, ordered.Object{{"unit", unit}, {"avg", v}}) }
	for _, tag := range tags {
		if values := r.values(tag.of, false); len(values) > 0 {
			p.Set(tag.name, distribution(tag.unit, values))
		}
	}
	if c := &r.Result.InterChunk; c.Count > 0 { // gaps are too many to keep: fewer percentiles
		p.Set("inter_chunk_latency", ordered.Object{{"unit", "ms"}, {"avg", c.Mean}, {"p50", c.P50}, {"p90", c.P90}, {"p99", c.P99}, {"max", c.Max}, {"count", c.Count}})
	}
	scalar("request_count", "requests", float64(t.completed))
	if t.failed > 0 { // AIPerf has none of it in a run without errors
		scalar("error_request_count", "requests", float64(t.failed))
	}
	if n := t.completed + t.failed; n > 0 {
		scalar("completed_request_count", "requests", float64(n))
		scalar("request_error_rate", "%", 100*float64(t.failed)/float64(n))
	}
	if r.overflow > 0 {
		scalar("context_overflow_count", "requests", float64(r.overflow))
		scalar("skipped_context_overflow_count", "requests", float64(r.overflow))
	}
	scalar("total_isl", "tokens", float64(t.in))
	scalar("total_osl", "tokens", float64(t.out))
	if s := t.seconds(); s > 0 {
		scalar("benchmark_duration", "sec", s)
		scalar("request_throughput", "requests/sec", float64(t.completed)/s)
		scalar("input_token_throughput", "tokens/sec", float64(t.in)/s)
		scalar("output_token_throughput", "tokens/sec", float64(t.out)/s)
		scalar("total_token_throughput", "tokens/sec", float64(t.in+t.out)/s)
		scalar("effective_concurrency", "requests", t.busy/s)
	}
	if t.counted > 0 {
		scalar("total_usage_prompt_cache_read_tokens", "tokens", float64(t.cached))
		scalar("overall_usage_prompt_cache_read_pct", "%", 100*float64(t.cached)/float64(t.counted))
	}
	if t.of > 0 { // in tokens, where AIPerf counts blocks
		p.Set("theoretical_prefix_cache_hit", ordered.Object{{"unit", "%"}, {"avg", 100 * float64(t.planned) / float64(t.of)}, {"count", t.of}, {"sum", t.planned}})
	}
	p.Set("input_config", inputConfig(run))
	p.Set("run_info", ordered.Object{{"benchmark_id", r.id()}, {"random_seed", o.Seed}, {"trial", 0}, {"cli_command", strings.Join(run.Command, " ")}})
	p.Set("was_cancelled", r.Result.Interrupted == journal.Signal)
	p.Set("is_complete", !r.Result.Partial)
	if r.Result.Partial {
		p.Set("incomplete_reason", r.Result.Interrupted)
	}
	p.Set("error_summary", r.errorSummary())
	if t.completed > 0 {
		zone := zoneOf(run)
		p.Set("start_time", time.Unix(0, t.first).In(zone).Format(isoTime))
		p.Set("end_time", time.Unix(0, t.last).In(zone).Format(isoTime))
		p.Set("benchmark_start_time_unix", float64(t.first)/1e9)
		p.Set("benchmark_end_time_unix", float64(t.last)/1e9)
	}
	if r.trees > 0 {
		p.Set("branch_stats", r.branchStats())
	}
	if warm := r.warmups(); len(warm) > 0 {
		p.Set("warmup_metrics", warm)
	}
	p.Set("metadata", r.metadata())
	return p
}

// isoTime has the zone that AIPerf's times lack.
const isoTime = "2006-01-02T15:04:05.000000-07:00"

func zoneOf(run *journal.Run) *time.Location {
	if at, err := time.Parse("-07:00", run.Zone); err == nil {
		return at.Location()
	}
	return time.UTC
}

// values are those of one metric.
func (r *Run) values(of func(*record) (float64, bool), warmup bool) (values []float64) {
	for i := range r.records {
		rec := &r.records[i]
		if rec.warmup != warmup || rec.failed != "" {
			continue
		}
		if v, ok := of(rec); ok {
			values = append(values, v)
		}
	}
	return values
}

// distribution has AIPerf's statistics, which are NumPy's.
func distribution(unit string, values []float64) ordered.Object {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	mean, deviation := stats.Mean(values), stats.Std(values)
	slices.Sort(values)
	d := ordered.Object{{"unit", unit}, {"avg", mean}}
	for _, p := range []struct {
		name string
		p    float64
	}{{"p1", 1}, {"p5", 5}, {"p10", 10}, {"p25", 25}, {"p50", 50}, {"p75", 75}, {"p90", 90}, {"p95", 95}, {"p99", 99}} {
		d = append(d, ordered.Member{p.name, stats.Percentile(values, p.p)})
	}
	return append(d, ordered.Object{
		{"min", values[0]}, {"max", values[len(values)-1]}, {"std", deviation}, {"count", len(values)}, {"sum", sum},
	}...)
}

// warmups are the metrics of requests that were sent before the clock started.
func (r *Run) warmups() (o ordered.Object) {
	for _, tag := range tags {
		if values := r.values(tag.of, true); len(values) > 0 {
			o.Set(tag.name, distribution(tag.unit, values))
		}
	}
	return o
}

// inputConfig is as much of AIPerf's configuration as its readers look at: the model, the server and the load.
func inputConfig(run *journal.Run) ordered.Object {
	o := &run.Options
	load := ordered.Object{{"name", "profiling"}, {"kind", "profiling"}, {"type", "concurrency"}, {"concurrency", concurrency(o)}}
	if d := duration(run); d > 0 {
		load.Set("duration", d.Seconds())
	} else if o.NumPrompts > 0 {
		load.Set("requests", o.NumPrompts)
	}
	kind := "completions"
	if strings.Contains(o.Endpoint, "chat") {
		kind = "chat"
	}
	dataset := ordered.Object{{"name", "main"}, {"type", "synthetic"}}
	if path := text(run, "dataset.path"); path != "" {
		dataset = ordered.Object{{"name", "main"}, {"type", "file"}, {"path", path}}
	}
	return ordered.Object{
		{"models", ordered.Object{{"items", []any{ordered.Object{{"name", o.ModelID}}}}}},
		{"endpoint", ordered.Object{{"urls", []string{o.BaseURL}}, {"type", kind}, {"streaming", !o.Unstreamed}}},
		{"datasets", []any{dataset}},
		{"phases", []any{load}},
	}
}

// concurrency is what AIPerf calls so: the trees that are live, else the requests in flight.
func concurrency(o *journal.Options) int { return max(cmp.Or(o.MaxConversations, o.MaxConcurrency), 1) }

func (r *Run) errorSummary() []any {
	list := []any{}
	for _, key := range slices.SortedFunc(maps.Keys(r.errors), func(a, b errorKey) int {
		return cmp.Or(cmp.Compare(r.errors[b], r.errors[a]), cmp.Compare(a.kind, b.kind), cmp.Compare(a.message, b.message), cmp.Compare(a.status, b.status))
	}) {
		list = append(list, ordered.Object{{"error_details", errorObject(key)}, {"count", r.errors[key]}})
	}
	return list
}

// branchStats count trees and branches. Which turns a join held up is not counted in the journal.
func (r *Run) branchStats() ordered.Object {
	ended := 0
	for _, c := range r.talks {
		if c.Outcome == journal.ConversationComplete {
			ended++
		}
	}
	return ordered.Object{
		{"children_spawned", r.children.spawned},
		{"children_completed", r.children.completed},
		{"children_errored", r.children.errored},
		{"children_truncated", r.children.truncated},
		{"graphs_admitted", r.trees},
		{"graphs_completed_to_end", ended},
	}
}
