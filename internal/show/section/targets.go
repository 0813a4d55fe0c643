package section

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/inferometer/inferometer/internal/judge/measure"
	"github.com/inferometer/inferometer/internal/show/number"
	"github.com/inferometer/inferometer/internal/show/table"
)

func init() { Add(atTargets, targets) }

// targets is each of several servers by itself, and how far they lie apart.
func targets(run *Run) *Section {
	all := run.Result.Targets
	if all == nil {
		return nil
	}
	t := &table.Table{Title: "Each server by itself; latencies in ms", Columns: slices.Concat(
		table.Words("server"), table.Numbers(number.Count, "requests"), wide(number.Count, "completed"), table.Numbers(number.Rate, "tok/s"), wide(number.Rate, "req/s"),
		partColumns(), wide(number.Count, "most at once"),
	)}
	facts := &table.Table{}
	for i := range all.Each {
		e := &all.Each[i]
		t.Rows = append(t.Rows, slices.Concat(table.Row(strconv.Itoa(i), e.Requests, e.Completed, e.OutputThroughput, e.RequestThroughput), partCells(&e.TTFT, &e.TPOT, &e.E2EL), table.Row(e.PeakConcurrency)))
		text := e.URL
		if e.Failed > 0 {
			text += ": " + outcomes(e.Outcomes)
		}
		facts.Fact(fmt.Sprintf("Target %d", i), text)
	}
	facts.Fact("Skew, max/min", skew(&all.Skew))
	return &Section{ID: "targets", Title: fmt.Sprintf("%d targets, %s", len(all.Each), all.Balance), Tables: []*table.Table{t, facts}}
}

// partColumns are the latencies of a part of a run: of a server, or of a client.
func partColumns() []table.Column {
	ms := number.Millis
	return slices.Concat(wide(ms, "TTFT mean"), table.Numbers(ms, "TTFT p50", "TTFT p99"), wide(ms, "TPOT mean"), table.Numbers(ms, "TPOT p50"), wide(ms, "E2EL p99"))
}

func partCells(ttft, tpot, e2el *measure.Summary) []table.Cell {
	return table.Row(mean(ttft), percentile(ttft, 50, ttft.P50), percentile(ttft, 99, ttft.P99), mean(tpot), percentile(tpot, 50, tpot.P50), percentile(e2el, 99, e2el.P99))
}

func skew(s *measure.TargetSkew) string {
	var words []string
	for _, part := range []struct {
		name string
		of   measure.Skew
	}{{"tok/s", s.OutputThroughput}, {"mean TTFT", s.TTFT}, {"mean TPOT", s.TPOT}, {"mean E2EL", s.E2EL}} {
		if part.of.MaxOverMin != nil {
			words = append(words, part.name+" "+number.Fixed(*part.of.MaxOverMin, 2))
		}
	}
	return strings.Join(words, ", ")
}
