package reference

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/inferometer/inferometer/internal/ordered"
)

// schemaPage makes tables of a JSON Schema: one of its own properties and one of each definition that is asked for.
type schemaPage struct {
	t        *testing.T
	file     ordered.Object
	sections map[string]string // definition: the title of its table
}

func readSchema(t *testing.T, name string, sections map[string]string) *schemaPage {
	t.Helper()
	f, err := os.Open(filepath.Join(root, "schema", name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	v, err := ordered.Read(f, ordered.Limits{Depth: 100})
	if err != nil {
		t.Fatal(err)
	}
	return &schemaPage{t, object(v), sections}
}

func object(v any) ordered.Object {
	o, _ := v.(ordered.Object)
	return o
}

func text(v any) string {
	s, _ := v.(string)
	return s
}

// definition is a table of $defs.
func (p *schemaPage) definition(name string) table {
	def := object(object(p.file.Get("$defs")).Get(name))
	return table{title: p.sections[name], about: text(def.Get("description")), rows: p.rows(def, "", "")}
}

// rows are the properties of an object and of the objects inside it. One that the row of an owner names has none of its own.
func (p *schemaPage) rows(schema ordered.Object, before, owner string) (rows [][2]string) {
	for _, m := range object(schema.Get("properties")) {
		s := object(m.Value)
		doc := text(s.Get("description"))
		if to := p.section(s); to != "" {
			doc = strings.TrimPrefix(strings.TrimSuffix(doc, ".")+": ", ": ") + "[" + to + "](#" + anchor(to) + ")"
		}
		if doc != "" || !strings.Contains(owner, "`"+m.Key+"`") {
			rows = append(rows, [2]string{before + m.Key, doc})
		}
		rows = append(rows, p.rows(s, before+m.Key+".", owner+doc)...)
	}
	for _, inner := range innerSchemas(schema) {
		rows = append(rows, p.rows(inner, before, owner)...)
	}
	return rows
}

// innerSchemas are those of the items of a list, of the values under any key, and of alternatives.
func innerSchemas(schema ordered.Object) (inner []ordered.Object) {
	alternatives, _ := schema.Get("anyOf").([]any)
	for _, s := range append([]any{schema.Get("items"), schema.Get("additionalProperties")}, alternatives...) {
		if o := object(s); len(o) > 0 {
			inner = append(inner, o)
		}
	}
	return inner
}

// section is the title of the table that a schema refers to, itself or inside. Empty: none.
func (p *schemaPage) section(s ordered.Object) string {
	if def, ok := strings.CutPrefix(text(s.Get("$ref")), "#/$defs/"); ok {
		return p.sections[def]
	}
	for _, inner := range innerSchemas(s) {
		if to := p.section(inner); to != "" {
			return to
		}
	}
	return ""
}

func anchor(title string) string {
	return strings.ReplaceAll(strings.ToLower(strings.ReplaceAll(title, "'", "")), " ", "-")
}

// write is the whole page: the schema's own keys, then its sections in this order.
func (p *schemaPage) write(head, title string, order ...string) string {
	own := table{title: title, rows: p.rows(p.file, "", "")}
	for _, r := range own.rows {
		if r[1] == "" {
			p.t.Errorf("%s has no description", r[0])
		}
	}
	var b strings.Builder
	b.WriteString(head)
	own.write(&b)
	for _, name := range order {
		s := p.definition(name)
		s.write(&b)
	}
	return b.String()
}

func scenarioPage(t *testing.T) string {
	order := []string{"target", "backend", "workload", "eval", "pace", "fault"}
	sections := map[string]string{}
	for _, name := range order {
		sections[name] = name
	}
	const head = `# The keys of a scenario

Written from [schema/scenario.schema.json](../../schema/scenario.schema.json) by ` + "`go test ./test/reference -update`" + `. How they are used: [scenarios.md](../scenarios.md).
`
	return readSchema(t, "scenario.schema.json", sections).write(head, "At the top", order...)
}

func resultPage(t *testing.T) string {
	order := []string{
		"inferometer", "summary", "latency_from", "verdict", "interval", "stalls", "goodput", "groups", "group", "jobs", "amounts", "replicas", "replica", "agents",
		"servers", "server_level", "server_count", "server_times", "server_drafts", "eval", "accuracy",
	}
	sections := map[string]string{}
	for _, name := range order {
		sections[name] = name
	}
	const head = `# The keys of a result

Written from [schema/result.schema.json](../../schema/result.schema.json) by ` + "`go test ./test/reference -update`" + `. How the file is used: [result.md](../result.md).
How each number is computed: [metrics.md](../metrics.md).
`
	p := readSchema(t, "result.schema.json", sections)
	for _, r := range p.definition("inferometer").rows {
		if r[1] == "" && !strings.Contains(r[0], ".") {
			t.Errorf("inferometer.%s has no description", r[0])
		}
	}
	return p.write(head, "vLLM's keys", order...)
}
