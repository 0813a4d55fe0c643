package serving_test

import (
	"cmp"
	"flag"
	"fmt"
	"strings"
	"testing"

	"github.com/inferometer/inferometer/internal/judge/serving"
	"github.com/inferometer/inferometer/internal/testfiles"
)

var update = flag.Bool("update", false, "write docs/reference/server-metrics.md")

// TestDocs: the page's tables are those of the code.
func TestDocs(t *testing.T) {
	testfiles.Written(t, *update, "docs/reference/server-metrics.md", tables())
}

var kinds = map[serving.Kind]string{serving.Gauge: "gauge", serving.Share: "share", serving.Counter: "counter", serving.Histogram: "histogram"}

func tables() string {
	var b strings.Builder
	b.WriteString("# Names of servers' metrics\n\nHow they are read and what is made of them: [server metrics](../server-metrics.md). Written by `go test ./internal/judge/serving -run TestDocs -update`.\n" +
		"\n## Meanings\n\n| meaning | kind | what it is |\n|---|---|---|\n")
	for _, k := range serving.Meanings {
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", k.Meaning, kinds[k.Kind], k.Doc)
	}
	server := ""
	for _, n := range serving.Names {
		if at := n.Server + prefixOf(n.Name); at != server {
			server = at
			fmt.Fprintf(&b, "\n## %s, `%s`\n\n| name | meaning |\n|---|---|\n", n.Server, prefixOf(n.Name))
		}
		name := n.Name
		if n.Label != "" {
			name += "{" + n.Label + `="` + n.Value + `"}`
		}
		scale := ""
		if n.Scale != 0 {
			scale = fmt.Sprintf(", times %g", n.Scale)
		}
		fmt.Fprintf(&b, "| `%s` | `%s`%s |\n", name, n.Meaning, scale)
	}
	return b.String()
}

// prefixOf is how all names of a server begin.
func prefixOf(name string) string {
	for _, p := range []string{"ray_vllm_", "ray_vllm:", "llm_d_epp_", "inference_"} {
		if strings.HasPrefix(name, p) {
			return p
		}
	}
	at := strings.IndexAny(name, ":_")
	return cmp.Or(name[:at+1], name)
}
