package export

import (
	"github.com/inferometer/inferometer/internal/judge/measure"
	"github.com/inferometer/inferometer/internal/show/parquet"
	"github.com/inferometer/inferometer/internal/show/section"
)

// replicaColumns are those of the table of replicas: one row each, those that compute prompts behind those that answer.
func replicaColumns() []parquet.Column {
	columns := []parquet.Column{
		{Name: "run", Type: parquet.Text},
		{Name: "replica", Type: parquet.Text},
		{Name: "url", Type: parquet.Text},
		{Name: "role", Type: parquet.Text},
	}
	for _, name := range []string{"requests", "completed", "failed", "hung_up", "retries", "input_tokens", "output_tokens", "peak_concurrency"} {
		columns = append(columns, parquet.Column{Name: name, Type: parquet.Int})
	}
	for _, name := range []string{
		"share", "request_throughput", "output_throughput", "ttft_mean_ms", "ttft_p50_ms", "ttft_p99_ms", "tpot_mean_ms", "tpot_p50_ms", "tpot_p99_ms", "e2el_p50_ms", "e2el_p99_ms",
		"cached_share", "first_s", "last_s", "counted_requests", "counted_hit_rate", "counted_waiting",
	} {
		columns = append(columns, parquet.Column{Name: name, Type: parquet.Float})
	}
	return columns
}

// listReplicas gives the row of each. A run against one server has none.
func listReplicas(run *section.Run, add func(values ...any)) {
	all := run.Result.Replicas
	if all == nil {
		return
	}
	list := append(append([]measure.ReplicaResult{}, all.Each...), all.Prefillers...)
	for _, rest := range []*measure.ReplicaResult{all.More, all.Unknown} {
		if rest != nil {
			list = append(list, *rest)
		}
	}
	for i := range list {
		e := &list[i]
		unknown := !all.Named() && i < len(all.Each)+len(all.Prefillers)
		values := []any{text(e.Name), text(e.URL), text(string(e.Role)), int64(e.Requests), int64(e.Completed), int64(e.Failed), int64(e.HungUp), int64(e.Retries), e.InputTokens, e.OutputTokens, int64(e.PeakConcurrency)}
		values = append(values, e.Share, e.RequestThroughput, e.OutputThroughput)
		for k := range values[3:] {
			if unknown {
				values[3+k] = nil
			}
		}
		values = append(values, latencyCells(&e.TTFT, e.TTFT.Mean, e.TTFT.P50, e.TTFT.P99)...)
		values = append(values, latencyCells(&e.TPOT, e.TPOT.Mean, e.TPOT.P50, e.TPOT.P99)...)
		values = append(values, latencyCells(&e.E2EL, e.E2EL.P50, e.E2EL.P99)...)
		cached, requests, hits, waiting := any(nil), any(nil), any(nil), any(nil)
		if v, ok := e.Cached.Share(); ok {
			cached = v
		}
		if own := e.Own; own != nil {
			hits = maybe(own.PrefixHitRate)
			if own.Requests != nil {
				requests = own.Requests.Server
			}
			if own.Waiting != nil {
				waiting = own.Waiting.Mean
			}
		}
		add(append(values, cached, maybe(e.First), maybe(e.Last), requests, hits, waiting)...)
	}
}

// latencyCells are empty where there was no value.
func latencyCells(s *measure.Summary, values ...float64) []any {
	list := make([]any, len(values))
	for i, v := range values {
		if s.Count > 0 {
			list[i] = v
		}
	}
	return list
}

// maybe is nil for what is not known.
func maybe(v *float64) any {
	if v == nil {
		return nil
	}
	return *v
}
