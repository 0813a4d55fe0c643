package metric

import (
	"fmt"
	"strings"
)

// Manual are the tables of docs/metrics.md that list metrics, by the name of their
// mark there. A test compares the page with them.
func Manual() map[string]string {
	latencies := "| name | definition | formula | unit |\n|---|---|---|---|\n"
	numbers := "| name | definition | unit | better |\n|---|---|---|---|\n"
	for _, m := range table {
		switch {
		case m.Reported():
			latencies += fmt.Sprintf("| `%s` | %s | %s | %s |\n", m.Name, m.Doc, m.Math, m.Unit)
		case m.Run != nil:
			numbers += strings.ReplaceAll(fmt.Sprintf("| `%s` | %s | %s | %s |\n", m.Name, m.Doc, m.Unit, m.Better), "|  |", "| |")
		}
	}
	return map[string]string{"latencies": latencies, "numbers": numbers}
}
