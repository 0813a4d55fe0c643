package otlp

import (
	"cmp"
	"strconv"
	"strings"

	common "go.opentelemetry.io/proto/otlp/common/v1"
	resource "go.opentelemetry.io/proto/otlp/resource/v1"
	traces "go.opentelemetry.io/proto/otlp/trace/v1"

	"github.com/inferometer/inferometer/internal/journal"
)

// call is what a span needs of a request. The record itself is used again for the next one.
type call struct {
	index, target           int
	sent, end, first        int64 // on the run's clock; first since sent, -1: none
	outcome                 journal.Outcome
	status                  int
	prompt, output          int32
	cached, reasoning       int // -1: not known
	asked                   int // output tokens
	finish, id, model, fail string
	conversation, turn      int
	agent                   int
}

// newCall takes what is needed. Words from the server were stripped and bounded by load.
func (r *run) newCall(q *journal.Request) call {
	c := call{
		index: q.Index, target: q.Target, sent: q.Sent, end: q.End, first: -1, outcome: q.Outcome, status: q.Status,
		cached: -1, reasoning: -1, asked: q.OutputTokens, finish: strings.Clone(q.FinishReason), id: strings.Clone(q.ServerID), model: strings.Clone(q.Model), fail: strings.Clone(q.Error),
		conversation: q.Conversation, turn: q.Turn, agent: q.Agent,
	}
	if row, err := r.rules.Read(q); err == nil {
		c.prompt, c.output = row.Prompt, row.Got
		if r.stream && !r.rules.Pooling {
			c.first = row.First
		}
	}
	if q.CachedKnown {
		c.cached = q.UsageCached
	}
	if q.ReasoningKnown {
		c.reasoning = q.UsageReasoning
	}
	return c
}

// span is one request, from just before it was sent to its end.
func (r *run) span(c *call) *traces.Span {
	id, root := r.trace.Span(c.index), r.trace.Root()
	s := &traces.Span{
		TraceId: r.trace[:], SpanId: id[:], ParentSpanId: root[:], Flags: sampled, Kind: traces.Span_SPAN_KIND_CLIENT, Name: r.spanName(c.model),
		StartTimeUnixNano: uint64(r.start + c.sent), EndTimeUnixNano: uint64(r.start + c.end), Attributes: r.attributes(c),
	}
	if c.first >= 0 {
		s.Events = []*traces.Span_Event{{Name: "first_token", TimeUnixNano: uint64(r.start + c.sent + c.first)}}
	}
	if c.outcome.Failed() {
		s.Status = &traces.Status{Code: traces.Status_STATUS_CODE_ERROR, Message: c.fail}
	}
	return s
}

// sampled is W3C's flag.
const sampled = 1

func (r *run) spanName(model string) string {
	return strings.TrimSpace(r.operation + " " + cmp.Or(model, r.model))
}

func (r *run) attributes(c *call) []attribute {
	list := r.shared(c.model)
	list = append(list, truth("gen_ai.request.stream", r.stream), text("inferometer.outcome", string(c.outcome)), whole("inferometer.request.index", int64(c.index)))
	if c.target < len(r.servers) {
		list = append(list, r.servers[c.target]...)
	}
	if c.asked > 0 {
		list = append(list, whole("gen_ai.request.max_tokens", int64(c.asked)))
	}
	list = append(list, whole("gen_ai.usage.input_tokens", int64(c.prompt)), whole("gen_ai.usage.output_tokens", int64(c.output)))
	if c.cached >= 0 {
		list = append(list, whole("gen_ai.usage.cache_read.input_tokens", int64(c.cached)))
	}
	if c.reasoning >= 0 {
		list = append(list, whole("gen_ai.usage.reasoning.output_tokens", int64(c.reasoning)))
	}
	if c.finish != "" {
		list = append(list, texts("gen_ai.response.finish_reasons", c.finish))
	}
	if c.id != "" {
		list = append(list, text("gen_ai.response.id", c.id))
	}
	if c.first >= 0 {
		list = append(list, number("gen_ai.response.time_to_first_chunk", float64(c.first)/1e9))
	}
	if c.conversation > 0 {
		list = append(list, text("gen_ai.conversation.id", r.trace.String()[:8]+"-"+strconv.Itoa(c.conversation)), whole("inferometer.conversation.turn", int64(c.turn)))
	}
	if c.status > 0 {
		list = append(list, whole("http.response.status_code", int64(c.status)))
	}
	if c.outcome.Failed() {
		list = append(list, text("error.type", string(c.outcome)))
	}
	return list
}

// root is the span of the whole run, from its start to the end of its last request.
func (r *run) root(end int64, requests uint64) *traces.Span {
	id := r.trace.Root()
	return &traces.Span{
		TraceId: r.trace[:], SpanId: id[:], Flags: sampled, Kind: traces.Span_SPAN_KIND_INTERNAL, Name: "inferometer run",
		StartTimeUnixNano: uint64(r.start), EndTimeUnixNano: uint64(r.start + end),
		Attributes: []attribute{text("inferometer.run.name", r.name), text("inferometer.backend", r.backend), whole("inferometer.requests", int64(requests)), text("gen_ai.request.model", r.model)},
	}
}

// tracesData has the wire form of an ExportTraceServiceRequest, whose package brings gRPC.
func (c *Config) tracesData(spans []*traces.Span) *traces.TracesData {
	return &traces.TracesData{ResourceSpans: []*traces.ResourceSpans{{
		Resource:   &resource.Resource{Attributes: c.resource},
		ScopeSpans: []*traces.ScopeSpans{{Scope: scope, Spans: spans}},
	}}}
}

// scope is what the spans and metrics are made by.
var scope = &common.InstrumentationScope{Name: "github.com/inferometer/inferometer"}
