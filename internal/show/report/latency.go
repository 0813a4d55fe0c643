package report

import (
	"fmt"
	"io"
	"strconv"

	"github.com/inferometer/inferometer/internal/compat/pyjson"
	"github.com/inferometer/inferometer/internal/judge/batch"
	"github.com/inferometer/inferometer/internal/outside"
)

// LatencyConsole prints batch latencies in the words of vllm bench latency.
func LatencyConsole(w io.Writer, l *batch.Latencies) error {
	if n := len(l.Failures); n > 0 {
		fmt.Fprintf(w, "%d of %d iterations failed and are not counted: %s\n", n, n+len(l.Seconds), outside.Word(l.Failures[0]))
	}
	if len(l.Seconds) == 0 {
		return nil
	}
	_, err := fmt.Fprintf(w, "Avg latency: %s seconds\n", pyjson.Float(l.Mean()))
	for i, v := range l.Percentiles() {
		if err == nil {
			_, err = fmt.Fprintf(w, "%g%% percentile latency: %s seconds\n", batch.LatencyPercentiles[i], pyjson.Float(v))
		}
	}
	return err
}

// LatencyJSON writes what vllm bench latency writes to --output-json. Iterations
// that failed, which vLLM can't have, follow under a key of ours.
func LatencyJSON(w io.Writer, l *batch.Latencies) error {
	var percentiles object
	for i, v := range l.Percentiles() {
		percentiles.Set(strconv.FormatFloat(batch.LatencyPercentiles[i], 'f', -1, 64), v)
	}
	o := object{{"avg_latency", l.Mean()}, {"latencies", l.Seconds}, {"percentiles", percentiles}}
	if len(l.Failures) > 0 {
		o.Set("failed_iterations", len(l.Failures))
	}
	return pyjson.WriteIndent(w, o, 4)
}
