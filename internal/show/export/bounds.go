package export

import (
	"fmt"
	"strings"

	"github.com/inferometer/inferometer/internal/judge/measure"
)

// boundFigures is what is known of times that several events share, where that is much
// less than the table of latencies says.
func boundFigures(b *strings.Builder, r *measure.Result) {
	lines := r.WideBounds()
	if len(lines) == 0 {
		return
	}
	fmt.Fprintf(b, "\n%.1f %% of the events did not end their read, and carry the time of a later one. So the truth lies between:\n\n", 100*r.Bounds.Share())
	b.WriteString("| ms | shown | at least | at most |\n|---|---:|---:|---:|\n")
	for _, l := range lines {
		fmt.Fprintf(b, "| %s %s | %.2f | %.2f | %.2f |\n", l.Metric.Short, l.Statistic, l.Value, l.Ends[0], l.Ends[1])
	}
}
