package export

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"math"
	"time"

	"github.com/inferometer/inferometer/internal/judge/measure"
	"github.com/inferometer/inferometer/internal/ordered"
	"github.com/inferometer/inferometer/internal/show/section"
)

// llmdVersion is the version of llm-d's benchmark report that is written.
const llmdVersion = "0.2"

// LLMD writes llm-d's benchmark report: JSON, which is YAML too. The stack is left
// out: a client does not know what stands behind an address.
func LLMD(w io.Writer, run *section.Run) error {
	r := run.Result
	start := section.Start(r).UTC()
	end := start.Add(time.Duration(r.Duration * float64(time.Second)))
	return writeJSON(w, ordered.Object{
		{"version", llmdVersion},
		{"run", ordered.Object{
			{"uid", identity(run)},
			{"time", ordered.Object{
				{"start", start.Format(time.RFC3339Nano)}, {"end", end.Format(time.RFC3339Nano)}, {"duration", fmt.Sprintf("PT%.6fS", r.Duration)},
			}},
			{"description", run.Name},
			{"keywords", keywords(run)},
		}},
		{"scenario", ordered.Object{{"load", llmdLoad(run)}}},
		{"results", ordered.Object{{"request_performance", ordered.Object{{"aggregate", llmdAggregate(r)}}}}},
	})
}

// identity is the same whenever the same run is reported.
func identity(run *section.Run) string {
	r := run.Result.Run
	sum := sha256.Sum256([]byte(fmt.Sprint(r.StartUnixNs, r.Environment.Host, r.Command)))
	return hex.EncodeToString(sum[:16])
}

// keywords carry the verdict: the schema has no place for it.
func keywords(run *section.Run) []string {
	words := []string{"inferometer"}
	if run.Verdict != nil {
		words = append(words, "verdict:"+string(run.Verdict.Level))
	}
	return words
}

func llmdLoad(run *section.Run) ordered.Object {
	r, o := run.Result, &run.Result.Run.Options
	source := "sampled"
	if o.Dataset == "random" {
		source = "random"
	}
	length := func(planned, counted int64) ordered.Object {
		mean := float64(planned) / float64(max(r.Requests, 1))
		if planned == 0 { // without a tokenizer nothing is planned: then as the server counted
			mean = float64(counted) / float64(max(r.Completed, 1))
		}
		return ordered.Object{{"distribution", "other"}, {"value", mean}}
	}
	standard := ordered.Object{
		{"tool", "inferometer"},
		{"tool_version", r.Run.Version},
		{"source", source},
		{"input_seq_len", length(r.Tokens.PromptPlanned, r.InputTokens)},
		{"output_seq_len", length(r.Tokens.OutputAsked, r.OutputTokens)},
	}
	if o.RequestRate > 0 {
		standard = append(standard, ordered.Member{"rate_qps", o.RequestRate})
	}
	if o.MaxConcurrency > 0 {
		standard = append(standard, ordered.Member{"concurrency", o.MaxConcurrency})
	}
	hash := ""
	if r.End != nil {
		hash = r.End.WorkloadSHA
	}
	return ordered.Object{
		{"metadata", ordered.Object{{"schema_version", "0.0.1"}, {"cfg_id", hash}}},
		{"standardized", standard},
		{"native", ordered.Object{{"config", ordered.Object{{"command", r.Run.Command}, {"model", o.ModelID}, {"seed", o.Seed}}}}},
	}
}

func llmdAggregate(r *measure.Result) ordered.Object {
	rate := func(units string, v float64) ordered.Object { return ordered.Object{{"units", units}, {"mean", v}} }
	input := 0.0
	if r.Duration > 0 {
		input = float64(r.InputTokens) / r.Duration
	}
	mean := func(tokens int64) ordered.Object {
		return ordered.Object{{"units", "count"}, {"mean", float64(tokens) / float64(max(r.Completed, 1))}}
	}
	latency := ordered.Object{}
	for _, m := range []struct {
		key, units string
		s          *measure.Summary
	}{
		{"time_to_first_token", "s", &r.Latency.Sent.TTFT},
		{"time_per_output_token", "s/token", &r.TPOT},
		{"inter_token_latency", "s/token", r.InterToken.Summary},
		{"request_latency", "s", &r.Latency.Sent.E2EL},
	} {
		if m.s != nil && m.s.Count > 0 {
			latency = append(latency, ordered.Member{m.key, llmdStatistics(m.units, m.s)})
		}
	}
	return ordered.Object{
		{"requests", ordered.Object{
			{"total", r.Requests}, {"failures", r.Failed}, {"input_length", mean(r.InputTokens)}, {"output_length", mean(r.OutputTokens)},
		}},
		{"latency", latency},
		{"throughput", ordered.Object{
			{"input_token_rate", rate("tokens/s", input)},
			{"output_token_rate", rate("tokens/s", r.OutputThroughput)},
			{"total_token_rate", rate("tokens/s", r.TotalTokenThroughput)},
			{"request_rate", rate("queries/s", r.RequestThroughput)},
		}},
	}
}

// llmdStatistics are in seconds.
func llmdStatistics(units string, s *measure.Summary) ordered.Object {
	seconds := func(ms float64) float64 { return math.Round(ms*1e6) / 1e9 }
	return ordered.Object{
		{"units", units},
		{"mean", seconds(s.Mean)},
		{"p50", seconds(s.P50)},
		{"p90", seconds(s.P90)},
		{"p99", seconds(s.P99)},
		{"p99p9", seconds(s.P999)},
		{"max", seconds(s.Max)},
	}
}
