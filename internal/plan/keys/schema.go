package keys

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/inferometer/inferometer/internal/option"
	"github.com/inferometer/inferometer/internal/ordered"
	"github.com/inferometer/inferometer/internal/send/target"
	"github.com/inferometer/inferometer/internal/send/workload"
	"github.com/inferometer/inferometer/internal/spec"
)

// later matches a value that is put in from a variable or the matrix.
const later = `\$\{|\{`

// Schema puts what the registries say into the text of schema/scenario.schema.json.
// All else in it stays as it is, the order of its keys too.
func Schema(text []byte) ([]byte, error) {
	v, err := ordered.Read(bytes.NewReader(text), ordered.Limits{Depth: 100})
	if err != nil {
		return nil, err
	}
	file, _ := v.(ordered.Object)
	defs, err := part(file, "$defs")
	if err != nil {
		return nil, err
	}
	backend := describe("The protocol: "+spec.BackendDoc()+".", orLater(map[string]any{"enum": spec.BackendNames()}))
	workloads := workloadProperties()
	workloads["backend"] = backend
	questions := properties(Eval())
	questions["backend"] = backend
	for name, properties := range map[string]map[string]any{
		"target":   {"backend": backend, "balance": describe("How requests are spread over several servers.", map[string]any{"enum": target.Balances()})},
		"workload": workloads,
		"eval":     questions,
		"pace":     properties(Pace()),
	} {
		if err := merge(&defs, name, properties); err != nil {
			return nil, err
		}
	}
	file.Set("$defs", defs)
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err = e.Encode(file)
	return b.Bytes(), err
}

func workloadProperties() map[string]any {
	p := properties(Workload())
	p["dataset"] = describe("Where the prompts come from, as --dataset-name of bench serve. random unless given.", orLater(map[string]any{"enum": workload.Names()}))
	return p
}

// properties are the schemas of a section's keys.
func properties(s Section) map[string]any {
	p := map[string]any{}
	for _, k := range s {
		p[k.name] = describe(k.doc(), k.schema())
	}
	return p
}

// schema is that of a key's value, where a variable may stand in its place. What one
// of its owners takes is taken.
func (k *key) schema() map[string]any {
	f := &k.owners[0].field
	s := f.Schema()
	for _, o := range k.owners[1:] {
		if other := o.field.Schema(); !reflect.DeepEqual(other, s) {
			return orLater(map[string]any{"type": k.types()}) // the bounds are for the run to check
		}
	}
	switch {
	case f.Kind == option.Float:
		return map[string]any{"anyOf": []any{s, map[string]any{"type": "string", "pattern": `^\.?inf$|` + later}}}
	case f.Kind == option.Duration:
		s["pattern"] = s["pattern"].(string) + `|\$\{`
		return s
	case s["type"] == "string" || s["type"] == "boolean":
		return s
	}
	return orLater(s)
}

// types are the JSON types that one of the key's owners takes.
func (k *key) types() any {
	var types []any
	for _, o := range k.owners {
		t, ok := o.field.Schema()["type"]
		if !ok {
			t = "string" // one of several words
		}
		if !slices.Contains(types, t) {
			types = append(types, t)
		}
	}
	if len(types) == 1 {
		return types[0]
	}
	return types
}

func orLater(s map[string]any) map[string]any {
	text := map[string]any{"type": "string", "pattern": later}
	if all, ok := s["anyOf"].([]any); ok {
		return map[string]any{"anyOf": append(slices.Clone(all), text)}
	}
	return map[string]any{"anyOf": []any{s, text}}
}

func describe(text string, s map[string]any) map[string]any {
	s["description"] = text
	return s
}

// doc is what the key means, for each choice that has it.
func (k *key) doc() string {
	var helps []string
	names := map[string][]string{}
	for _, o := range k.owners {
		if names[o.field.Help] == nil {
			helps = append(helps, o.field.Help)
		}
		names[o.field.Help] = append(names[o.field.Help], o.name)
	}
	for i, help := range helps {
		if help[0] >= 'a' && help[0] <= 'z' { // reads on from the dataset's name
			helps[i] = strings.Join(names[help], ", ") + ": " + help
		}
	}
	return strings.Join(helps, " ")
}

// merge puts properties into those of a definition, new ones at the end by their names.
func merge(defs *ordered.Object, definition string, properties map[string]any) error {
	def, err := part(*defs, definition)
	if err != nil {
		return err
	}
	all, err := part(def, "properties")
	if err != nil {
		return fmt.Errorf("%s: %w", definition, err)
	}
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		schema, ok := properties[name].(map[string]any)
		if !ok {
			return fmt.Errorf("%T is no schema", properties[name])
		}
		value := ordered.Object{{Key: "description", Value: schema["description"]}} // it comes first
		for _, key := range slices.Sorted(maps.Keys(schema)) {
			value.Set(key, schema[key])
		}
		all.Set(name, value)
	}
	def.Set("properties", all)
	defs.Set(definition, def)
	return nil
}

// part is an object inside of another one.
func part(o ordered.Object, key string) (ordered.Object, error) {
	inner, ok := o.Get(key).(ordered.Object)
	if !ok {
		return nil, fmt.Errorf("%s is no JSON object", key)
	}
	return inner, nil
}
