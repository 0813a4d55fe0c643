package otlp

import (
	"time"

	metrics "go.opentelemetry.io/proto/otlp/metrics/v1"
	resource "go.opentelemetry.io/proto/otlp/resource/v1"

	"github.com/inferometer/inferometer/internal/export/tally"
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/send/live"
)

// bounds are those that the conventions ask for.
var bounds = tally.Bounds{
	Span:     []float64{.01, .02, .04, .08, .16, .32, .64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92},
	Duration: []float64{}, // to the last token: not exported
	TTFT:     []float64{.001, .005, .01, .02, .04, .06, .08, .1, .25, .5, .75, 1, 2.5, 5, 7.5, 10},
	Gap:      []float64{.01, .025, .05, .075, .1, .15, .2, .3, .4, .5, .75, 1, 2.5},
	Tokens:   []float64{1, 4, 16, 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216, 67108864},
}

// metricsData has the wire form of an ExportMetricsServiceRequest. All sums are since the
// start of the run.
func (c *Config) metricsData(r *run, s *tally.Sums, state *live.State, now time.Time) *metrics.MetricsData {
	p := points{run: r, now: uint64(now.UnixNano())}
	var list []*metrics.Metric
	add := func(name, unit, about string, data []*metrics.HistogramDataPoint) {
		if len(data) > 0 {
			list = append(list, &metrics.Metric{Name: name, Unit: unit, Description: about, Data: &metrics.Metric_Histogram{
				Histogram: &metrics.Histogram{AggregationTemporality: metrics.AggregationTemporality_AGGREGATION_TEMPORALITY_CUMULATIVE, DataPoints: data},
			}})
		}
	}
	var spans []*metrics.HistogramDataPoint
	for _, o := range journal.Outcomes { // in their order
		if h := s.Spans[o]; h != nil {
			var further []attribute
			if o.Failed() {
				further = append(further, text("error.type", string(o)))
			}
			spans = append(spans, p.histogram(h, further...))
		}
	}
	add("gen_ai.client.operation.duration", "s", "From just before a request is sent to its end.", spans)
	if s.In.Count > 0 {
		add("gen_ai.client.token.usage", "{token}", "Tokens of a request that was a success.", []*metrics.HistogramDataPoint{
			p.histogram(&s.In, text("gen_ai.token.type", "input")), p.histogram(&s.Out, text("gen_ai.token.type", "output")),
		})
	}
	if s.TTFT.Count > 0 {
		add("gen_ai.client.operation.time_to_first_chunk", "s", "To the first token chunk of a success.", []*metrics.HistogramDataPoint{p.histogram(&s.TTFT)})
	}
	if s.Gap.Count > 0 {
		add("gen_ai.client.operation.time_per_output_chunk", "s", "Between token chunks of a success.", []*metrics.HistogramDataPoint{p.histogram(&s.Gap)})
	}
	if state != nil {
		list = append(list, p.gauge("inferometer.requests.in_flight", "{request}", "Requests on their way.", float64(state.InFlight)),
			p.gauge("inferometer.output_tokens.rate", "{token}/s", "Output tokens a second, of the last ten seconds.", state.TokensPerS))
	}
	return &metrics.MetricsData{ResourceMetrics: []*metrics.ResourceMetrics{{
		Resource:     &resource.Resource{Attributes: c.resource},
		ScopeMetrics: []*metrics.ScopeMetrics{{Scope: scope, Metrics: list}},
	}}}
}

// points makes the values of a run at one moment.
type points struct {
	run *run
	now uint64
}

func (p points) attributes(further []attribute) []attribute {
	list := append(p.run.shared(""), text("inferometer.run.name", p.run.name))
	if len(p.run.servers) == 1 {
		list = append(list, p.run.servers[0]...)
	}
	return append(list, further...)
}

func (p points) histogram(h *tally.Histogram, further ...attribute) *metrics.HistogramDataPoint {
	return &metrics.HistogramDataPoint{
		Attributes: p.attributes(further), StartTimeUnixNano: uint64(p.run.start), TimeUnixNano: p.now,
		Count: h.Count, Sum: &h.Sum, BucketCounts: h.Counts, ExplicitBounds: h.Bounds,
	}
}

func (p points) gauge(name, unit, about string, v float64) *metrics.Metric {
	return &metrics.Metric{Name: name, Unit: unit, Description: about, Data: &metrics.Metric_Gauge{Gauge: &metrics.Gauge{
		DataPoints: []*metrics.NumberDataPoint{{Attributes: p.attributes(nil), TimeUnixNano: p.now, Value: &metrics.NumberDataPoint_AsDouble{AsDouble: v}}},
	}}}
}
