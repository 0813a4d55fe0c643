package prometheus

import (
	"fmt"
	"slices"
	"strings"
)

// Table is what the documentation says of all metrics.
func Table() string {
	var b strings.Builder
	b.WriteString("| metric | type | labels | what it is |\n|---|---|---|---|\n")
	for _, f := range Families() {
		labels := slices.Concat(runLabels, f.Labels)
		if f.Name == nBuild {
			labels = f.Labels
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", f.Name, f.Type, "`"+strings.Join(labels, "`, `")+"`", f.Help)
	}
	return b.String()
}
