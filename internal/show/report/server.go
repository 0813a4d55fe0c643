package report

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/inferometer/inferometer/internal/judge/serving"
	"github.com/inferometer/inferometer/internal/show/served"
)

// server prints what the servers say of themselves, where they say anything.
func (c *console) server(s *serving.Summary) {
	if s == nil {
		return
	}
	c.center(" "+serverTitle(s)+" ", "-")
	for _, l := range served.Short(&s.Server) {
		c.row(l.What+":", l.Text)
	}
	if times := served.Histograms(&s.Server); len(times) > 0 {
		rows := [][5]string{{"its times, ms", "mean", "p50", "p99", "count"}}
		for _, t := range times {
			rows = append(rows, [5]string{t.What, millis(t.Mean), served.Between(t.P50), served.Between(t.P99), fmt.Sprintf("%.0f", t.Count)})
		}
		c.serverTimes(rows)
	}
	for i := range s.Each {
		e := &s.Each[i]
		c.row(fmt.Sprintf("Server %d:", e.Target+1), eachWords(e))
	}
	if len(s.Notes) > 0 {
		c.row("Note:", strings.Join(s.Notes, "; "))
	}
}

// serverTimes is the table of the server's own times: as wide as the block, and wider where its
// cells need that to stay apart.
func (c *console) serverTimes(rows [][5]string) {
	widths := [5]int{14, 9, 10, 10, 7}
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], len(cell)+min(i, 1)) // the first stands at the left
		}
	}
	for _, row := range rows {
		c.line("%-*s%*s%*s%*s%*s", widths[0], row[0], widths[1], row[1], widths[2], row[2], widths[3], row[3], widths[4], row[4])
	}
}

func serverTitle(s *serving.Summary) string {
	if len(s.Each) > 0 {
		return fmt.Sprintf("%d servers by their own metrics", len(s.Each))
	}
	return cmp.Or(s.Kind, "The server") + " by its own metrics"
}

// eachWords is the little that tells servers apart.
func eachWords(e *serving.Server) string {
	words := cmp.Or(e.Kind, "metrics of no known kind")
	for _, l := range served.Short(e) {
		switch l.What {
		case "Running requests", "Waiting requests", "KV cache in use", "Preemptions":
			words += "; " + l.What + " " + l.Text
		}
	}
	return words
}
