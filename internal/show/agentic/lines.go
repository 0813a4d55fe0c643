package agentic

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/row"
	"github.com/inferometer/inferometer/internal/ordered"
)

// client is who sent all requests: AIPerf names a worker and a processor.
const client = "inferometer"

// line is a request as a line of profile_export.jsonl.
func (r *Run) line(first *journal.Run, rec *record, q *row.Request, session, turn int) ordered.Object {
	conversation, stream, tree := r.names(q.Request)
	meta := ordered.Object{{"session_num", session}}
	if q.ID != "" {
		meta.Set("x_request_id", q.ID)
	}
	meta.Set("x_correlation_id", stream)
	meta.Set("conversation_id", conversation)
	meta.Set("turn_index", turn)
	if talk := r.talks[q.Conversation]; talk != nil && talk.Trace != "" {
		meta.Set("source_trace_id", talk.Trace)
		if q.Branch < len(talk.Branches) && talk.Branches[q.Branch].Kind != "" {
			meta.Set("source_kind", talk.Branches[q.Branch].Kind)
		}
	}
	issued := q.Released
	if issued == 0 {
		issued = q.Due
	}
	meta.Set("credit_issued_ns", first.StartUnixNs+issued)
	meta.Set("request_start_ns", rec.start)
	if q.Headers > 0 {
		meta.Set("request_ack_ns", first.StartUnixNs+q.Headers)
	}
	meta.Set("request_end_ns", rec.end)
	meta.Set("worker_id", client)
	meta.Set("record_processor_id", client)
	meta.Set("benchmark_phase", phase(rec.warmup))
	meta.Set("was_cancelled", q.Outcome == journal.Cancelled || q.Outcome == journal.HungUp)
	meta.Set("context_overflow_skip", false)
	meta.Set("agent_depth", min(q.Branch, 1)) // how deep a sub-agent's sub-agent lies is not in the journal
	meta.Set("root_correlation_id", tree)
	line := ordered.Object{{"metadata", meta}, {"metrics", rec.metrics()}}
	if rec.failed != "" {
		line.Set("error", errorObject(errorKey{q.Status, rec.failed, errorText(q)}))
	}
	return line
}

func phase(warmup bool) string {
	if warmup {
		return "warmup"
	}
	return "profiling"
}

func errorObject(e errorKey) ordered.Object {
	o := ordered.Object{}
	if e.status > 0 {
		o.Set("code", e.status)
	}
	o.Set("type", e.kind)
	o.Set("message", e.message)
	return o
}

// metrics are those of one request, in AIPerf's units.
func (rec *record) metrics() ordered.Object {
	o := ordered.Object{}
	for _, t := range tags {
		if v, ok := t.of(rec); ok {
			value := any(v)
			if t.whole {
				value = int64(v)
			}
			o.Set(t.name, ordered.Object{{"value", value}, {"unit", t.unit}})
		}
	}
	return o
}

// tag is a metric of single requests.
type tag struct {
	name, unit string
	whole      bool // it has no fractions
	of         func(*record) (float64, bool)
}

// tags are those that we know, under AIPerf's names.
var tags = []tag{
	{"request_latency", "ms", false, func(r *record) (float64, bool) { return r.latency, r.latency >= 0 }},
	{"time_to_first_token", "ms", false, func(r *record) (float64, bool) { return r.ttft, r.ttft >= 0 }},
	{"time_to_second_token", "ms", false, func(r *record) (float64, bool) { return r.second, r.second >= 0 }},
	{"inter_token_latency", "ms", false, func(r *record) (float64, bool) { return r.itl, r.itl >= 0 }},
	{"output_token_throughput_per_user", "tokens/sec/user", false, func(r *record) (float64, bool) { return 1000 / r.itl, r.itl > 0 }},
	{"e2e_output_token_throughput", "tokens/sec/user", false, func(r *record) (float64, bool) {
		return float64(r.out) / r.latency * 1000, r.latency > 0 && r.out > 0
	}},
	{"output_sequence_length", "tokens", true, func(r *record) (float64, bool) { return float64(r.out), r.failed == "" }},
	{"input_sequence_length", "tokens", true, func(r *record) (float64, bool) { return float64(r.in), r.failed == "" }},
	{"requested_osl", "tokens", true, func(r *record) (float64, bool) { return float64(r.asked), r.failed == "" && r.asked > 0 }},
	{"usage_prompt_cache_read_tokens", "tokens", true, func(r *record) (float64, bool) {
		return float64(r.cached), r.failed == "" && r.cached >= 0
	}},
}

func writeLine(w io.Writer, o ordered.Object) error {
	b, err := json.Marshal(o)
	if err == nil {
		_, err = w.Write(append(b, '\n'))
	}
	if err != nil {
		return fmt.Errorf("write the requests: %w", err)
	}
	return nil
}
