package export

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/inferometer/inferometer/internal/judge/serving"
	"github.com/inferometer/inferometer/internal/outside"
	"github.com/inferometer/inferometer/internal/show/served"
)

// serverFigures are what the servers say of themselves: two tables, and each of several.
func serverFigures(b *strings.Builder, s *serving.Summary) {
	if s == nil {
		return
	}
	fmt.Fprintf(b, "\nBy %s own metrics:\n", map[bool]string{true: "the servers'", false: "the server's"}[len(s.Each) > 0])
	serverTables(b, &s.Server)
	for i := range s.Each {
		fmt.Fprintf(b, "\nServer %d (%s):\n", s.Each[i].Target+1, cmp.Or(s.Each[i].Kind, "metrics of no known kind"))
		serverTables(b, &s.Each[i])
	}
	if len(s.Notes) > 0 {
		b.WriteString("\n")
	}
	for _, n := range s.Notes {
		fmt.Fprintf(b, "- %s\n", outside.Markdown(n))
	}
}

func serverTables(b *strings.Builder, s *serving.Server) {
	if lines := served.Lines(s); len(lines) > 0 {
		b.WriteString("\n| server | |\n|---|---|\n")
		for _, l := range lines {
			fmt.Fprintf(b, "| %s | %s |\n", l.What, outside.Markdown(l.Text))
		}
	}
	if times := served.Histograms(s); len(times) > 0 {
		b.WriteString("\n| server, ms | count | mean | p50 | p90 | p99 |\n|---|---:|---:|---:|---:|---:|\n")
		for _, t := range times {
			fmt.Fprintf(b, "| %s | %.0f | %.2f | %s | %s | %s |\n", t.What, t.Count, t.Mean, served.Bounds(t.P50), served.Bounds(t.P90), served.Bounds(t.P99))
		}
	}
}
