package serving_test

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/inferometer/inferometer/internal/judge/serving"
)

var update = flag.Bool("update", false, "write the tables of docs/server-metrics-names.md")

const docFile = "../../../docs/server-metrics-names.md"

// TestDocs: the document's tables are those of the code.
func TestDocs(t *testing.T) {
	b, err := os.ReadFile(docFile)
	if err != nil {
		t.Fatal(err)
	}
	const begin, end = "<!-- written by go test ./internal/judge/serving -update -->\n", "<!-- end -->"
	head, rest, ok := strings.Cut(string(b), begin)
	_, tail, closed := strings.Cut(rest, end)
	if !ok || !closed {
		t.Fatal("the document has lost the marks of its tables")
	}
	want := head + begin + tables() + end + tail
	if *update {
		if err := os.WriteFile(docFile, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if want != string(b) {
		t.Error("docs/server-metrics-names.md is not what the code says: go test ./internal/judge/serving -run TestDocs -update")
	}
}

var kinds = map[serving.Kind]string{serving.Gauge: "gauge", serving.Share: "share", serving.Counter: "counter", serving.Histogram: "histogram"}

func tables() string {
	var b strings.Builder
	b.WriteString("\n## Meanings\n\n| meaning | kind | what it is |\n|---|---|---|\n")
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
	return b.String() + "\n"
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
