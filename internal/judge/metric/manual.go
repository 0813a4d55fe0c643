package metric

import (
	"fmt"
	"strings"
)

// Manual are the tables of docs/reference/metrics.md: of latencies, of those that only a
// limit on each request or another key of the result names, and of numbers. A test
// compares the page with them.
func Manual() map[string]string {
	latencies := "| name | definition | formula | unit |\n|---|---|---|---|\n"
	others := "| name | definition | unit |\n|---|---|---|\n"
	numbers := "| name | definition | unit | better |\n|---|---|---|---|\n"
	for _, m := range table {
		switch {
		case m.Reported():
			latencies += fmt.Sprintf("| `%s` | %s | %s | %s |\n", m.Name, m.Doc, m.Math, m.Unit)
		case m.Run != nil:
			numbers += strings.ReplaceAll(fmt.Sprintf("| `%s` | %s | %s | %s |\n", m.Name, m.Doc, m.Unit, m.Better), "|  |", "| |")
		default:
			others += fmt.Sprintf("| `%s` | %s | %s |\n", m.Name, m.Doc, m.Unit)
		}
	}
	return map[string]string{"latencies": latencies, "others": others, "numbers": numbers}
}
