package scenario

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"
	"github.com/inferometer/inferometer/internal/plan/routers"
	"github.com/inferometer/inferometer/internal/spec/fault"
	"go.yaml.in/yaml/v3"
)

func readSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	b, err := os.ReadFile("../../../schema/scenario.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var s jsonschema.Schema
	if err := json.Unmarshal(b, &s); err != nil {
		t.Fatal(err)
	}
	return &s
}

func validate(t *testing.T, rs *jsonschema.Resolved, text []byte) error {
	t.Helper()
	var v any
	if err := yaml.Unmarshal(text, &v); err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &v); err != nil {
		t.Fatal(err)
	}
	return rs.Validate(v)
}

func TestSchemaHoldsForTheExamples(t *testing.T) {
	rs, err := readSchema(t).Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	const schema = "../../../schema/scenario.schema.json"
	files, err := filepath.Glob("../../../examples/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	gallery, err := filepath.Glob("../../../examples/gallery/*/scenario.yaml")
	if err != nil || len(files) < 5 || len(gallery) != 5 {
		t.Fatalf("%d examples and %d of the gallery, %v", len(files), len(gallery), err)
	}
	for _, file := range append(files, gallery...) {
		to, err := filepath.Rel(filepath.Dir(file), schema)
		if err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := validate(t, rs, text); err != nil {
			t.Errorf("%s: %v", file, err)
		}
		if !strings.HasPrefix(string(text), "# yaml-language-server: $schema="+filepath.ToSlash(to)+"\n") {
			t.Errorf("%s does not tell editors its schema", file)
		}
	}
}

// A schema that accepts everything would pass the test above.
func TestSchemaRefuses(t *testing.T) {
	rs, err := readSchema(t).Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{
		"nam: x", "order: backwards", "pace: {concurency: 1}", "pace: {concurrency: four}", "targets: {a: {base: x}}", "targets: {a: {balance: fair}}",
		"cooldown: long", "repeat: 0", "search: {min: 1}", "eval: {tasks: gsm8k}", "eval: {task: gsm8k, concurrency: many}", "fleet: {agent: 1}", "routers: {controls: true}", "routers: {closed: yes}", "matrix: {concurrency: []}", "name: a b", "targets: {a: {ready: {paths: /x}}}",
		"faults: {at: 1s, kill: a}", "faults: [{at: 1s, kil: a}]", "targets: {a: {backends: {comand: x}}}", "targets: {a: {backends: {prefill: {url: x}}}}",
	} {
		if validate(t, rs, []byte(text)) == nil {
			t.Errorf("%s is accepted", text)
		}
	}
}

// The keys of the Go types are those of the schema, from which docs/reference/scenario.md is written.
func TestSchemaNamesEveryKey(t *testing.T) {
	s := readSchema(t)
	ready := s.Defs["target"].Properties["ready"].AnyOf[1]
	stop := s.Defs["target"].Properties["stop"].AnyOf[1]
	for _, tt := range []struct {
		name   string
		schema *jsonschema.Schema
		of     reflect.Type
	}{
		{"the scenario", s, reflect.TypeFor[Scenario]()},
		{"a target", s.Defs["target"], reflect.TypeFor[Target]()},
		{"backends", s.Defs["backend"], reflect.TypeFor[Backend]()},
		{"faults", s.Defs["fault"], reflect.TypeFor[faultKeys]()},
		{"ready", ready, reflect.TypeFor[Ready]()},
		{"stop", stop, reflect.TypeFor[Stop]()},
		{"workload", s.Defs["workload"], reflect.TypeFor[Workload]()},
		{"eval", s.Defs["eval"], reflect.TypeFor[Eval]()},
		{"pace", s.Defs["pace"], reflect.TypeFor[Pace]()},
		{"artifacts", s.Properties["artifacts"], reflect.TypeFor[Artifacts]()},
		{"search", s.Properties["search"], reflect.TypeFor[Search]()},
		{"fleet", s.Properties["fleet"].AnyOf[1], reflect.TypeFor[Fleet]()},
		{"routers", s.Properties["routers"], reflect.TypeFor[routers.Settings]()},
	} {
		want, got := keysOf(tt.of), []string{}
		if tt.of == reflect.TypeFor[faultKeys]() {
			want = append(want, fault.Kinds()...)
		}
		for key, property := range tt.schema.Properties {
			got = append(got, key)
			if property.Description == "" && property.Ref == "" {
				t.Errorf("%s: %s has no description", tt.name, key)
			}
		}
		slices.Sort(want)
		slices.Sort(got)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", tt.name, diff)
		}
	}
}
