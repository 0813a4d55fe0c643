package main

import (
	"fmt"
	"strings"
)

// hook is README's table: two figures a client.
func hook(all []kept) string {
	var b strings.Builder
	b.WriteString("| client | TTFT p50 error at 200 streams | broken streams counted as successes |\n|---|---:|---:|\n")
	for _, name := range names(all) {
		at := func(load string) []kept {
			return of(all, func(k kept) bool { return k.Client == name && k.Load.Name == load })
		}
		miss, counted := "unknown", "unknown"
		if off, _, ok := medianRound(at("middle"), "ttft", 50); ok {
			miss = fmt.Sprintf("%+.0f ms", off)
		}
		if rounds := at(broken); len(rounds) > 0 && rounds[0].Shown != nil {
			counted = fmt.Sprintf("%d of %d", rounds[0].miscounted(), len(rounds[0].Truth.Faults))
		}
		if name == "inferometer" {
			name, miss, counted = "**Inferometer**", "**"+miss+"**", "**"+counted+"**"
		}
		fmt.Fprintf(&b, "| %s | %s | %s |\n", name, miss, counted)
	}
	return b.String()
}
