package target

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/inferometer/inferometer/internal/journal"
)

var update = flag.Bool("update", false, "write docs/reference/servers.md")

// docs/reference/servers.md is the table that the program reads.
func TestQuirksDoc(t *testing.T) {
	const page = "../../../docs/reference/servers.md"
	want := quirksHead + quirksTables()
	if *update {
		if err := os.WriteFile(page, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Fatalf("%s is not what the table says: go test ./internal/send/target -run TestQuirksDoc -update", page)
	}
}

const quirksHead = `# What servers do differently

Written from the code by ` + "`go test ./internal/send/target -run TestQuirksDoc -update`" + `. A run reads the same table. The first part has the ` + "`--backend`" + ` that ` + "`--backend auto`" + ` takes for
each kind of server. "Read in" is the version whose source or documents say so; "seen in" is the one whose answers the tests of this repository have seen.

`

// quirksTables are the table in Markdown: what is sent, and what to expect.
func quirksTables() string {
	var b strings.Builder
	row := func(cells ...string) {
		for i, c := range cells {
			if c == "" {
				cells[i] = "–"
			}
		}
		fmt.Fprintf(&b, "| %s |\n", strings.Join(cells, " | "))
	}
	code := func(name string) string {
		if name == "" {
			return ""
		}
		return "`" + name + "`"
	}
	row("server", "text", "chat", "embeddings", "rerank", "why not `/v1/completions`")
	b.WriteString("|---|---|---|---|---|---|\n")
	for _, q := range quirks {
		row(q.Kind, code(q.Text), code(q.Chat), code(q.Embeddings), code(q.Rerank), q.TextWhy)
	}
	b.WriteString("\n")
	row("server", "length key of chat", "token ids as prompts", "log-probabilities of a prompt", "`ignore_eos`", "usage in streams", "idle connection", "requests per connection", "version at", "read in", "seen in")
	b.WriteString("|---|---|---|---|---|---|---|---|---|---|---|\n")
	for _, q := range quirks {
		key := "`max_completion_tokens`"
		if q.OldLimit {
			key = "`max_tokens` too"
		}
		if q.Chat == "" {
			key = ""
		}
		var at []string
		for _, v := range q.VersionAt {
			path, field, _ := strings.Cut(v, " ")
			at = append(at, "`"+path+"` "+field)
		}
		row(q.Kind, key, q.TokenIDs.String(), q.Echo.String(), q.IgnoreEOS.String(), q.Usage, limit(q.Idle, " s"), limit(q.Requests, ""), strings.Join(at, ", or "), q.Read, q.Seen)
	}
	b.WriteString("\nRouters send requests on to other servers. Their own `/metrics` may be another's:\n\n")
	row("router", "servers behind it", "whose `/metrics`", "its own metrics", "requests sent again", "who served it", "what can't be known")
	b.WriteString("|---|---|---|---|---|---|---|\n")
	for _, q := range quirks {
		if r := q.Router; r != nil {
			where := r.Where
			if where == "" && r.Metrics == journal.OwnMetrics {
				where = "`/metrics`"
			}
			retries := slices.Clone(r.Retries)
			for i := range retries {
				retries[i] = code(retries[i])
			}
			row(q.Kind, code(r.Workers), string(r.Metrics), where, strings.Join(retries, ", "), r.Sign, r.Unknown)
		}
	}
	return b.String()
}

func limit(n int, unit string) string {
	switch n {
	case 0:
		return "not known"
	case NoLimit:
		return "no limit"
	}
	return fmt.Sprint(n, unit)
}

// A row is complete enough to be of use, and its words fit into a cell.
func TestQuirks(t *testing.T) {
	known := map[string]bool{}
	for _, q := range quirks {
		if q.Kind == "" || q.Read == "" || known[q.Kind] || q.Text+q.Embeddings == "" {
			t.Errorf("the row %+v", q)
		}
		known[q.Kind] = true
		if plain := q.Text == completions || q.Text == "vllm" || q.Text == ""; plain == (q.TextWhy != "") {
			t.Errorf("%s: text goes to %q for %q", q.Kind, q.Text, q.TextWhy)
		}
		if strings.ContainsAny(q.TextWhy+q.Read+q.Seen+q.Usage, "|\n") {
			t.Errorf("%s: words that do not fit into a cell", q.Kind)
		}
		if r := q.Router; r != nil && (r.Metrics == "" || strings.ContainsAny(r.Where+r.Sign+r.Unknown, "|\n")) {
			t.Errorf("%s: the router %+v", q.Kind, *r)
		}
		for _, at := range q.VersionAt {
			if path, field, ok := strings.Cut(at, " "); !ok || path[0] != '/' || field == "" {
				t.Errorf("%s: a version at %q", q.Kind, at)
			}
		}
	}
	for _, kind := range owners {
		if !known[kind] {
			t.Errorf("no row for %s", kind)
		}
	}
	for _, m := range metricNames {
		if !known[m.kind] {
			t.Errorf("no row for %s", m.kind)
		}
	}
}
