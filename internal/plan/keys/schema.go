package keys

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/inferometer/inferometer/internal/option"
	"github.com/inferometer/inferometer/internal/send/target"
	"github.com/inferometer/inferometer/internal/send/workload"
	"github.com/inferometer/inferometer/internal/spec"
)

// later matches a value that is put in from a variable or the matrix.
const later = `\$\{|\{`

// Schema puts what the registries say into the text of schema/scenario.schema.json.
// All else in it stays as it is, the order of its keys too.
func Schema(text []byte) ([]byte, error) {
	file, err := readObject(text)
	if err != nil {
		return nil, err
	}
	defs, err := file.object("$defs")
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
		if err := defs.merge(name, properties); err != nil {
			return nil, err
		}
	}
	file.set("$defs", defs.bytes())
	var b bytes.Buffer
	if err := json.Indent(&b, file.bytes(), "", "  "); err != nil {
		return nil, err
	}
	b.WriteByte('\n')
	return b.Bytes(), nil
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

// object is a JSON object whose keys keep their order.
type object struct {
	keys   []string
	values map[string]json.RawMessage
}

func readObject(text []byte) (*object, error) {
	o := &object{keys: spec.ObjectKeys(text)}
	return o, json.Unmarshal(text, &o.values)
}

func (o *object) set(key string, value json.RawMessage) {
	if o.values[key] == nil {
		o.keys = append(o.keys, key)
	}
	o.values[key] = value
}

func (o *object) object(key string) (*object, error) {
	inner, err := readObject(o.values[key])
	if err != nil {
		return nil, fmt.Errorf("%s: %w", key, err)
	}
	return inner, nil
}

// merge puts properties into those of a definition, new ones at the end by their names.
func (o *object) merge(definition string, properties map[string]any) error {
	def, err := o.object(definition)
	if err != nil {
		return err
	}
	all, err := def.object("properties")
	if err != nil {
		return err
	}
	names := make([]string, 0, len(properties))
	for name := range properties {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		value, err := marshal(properties[name])
		if err != nil {
			return err
		}
		all.set(name, value)
	}
	def.set("properties", all.bytes())
	o.set(definition, def.bytes())
	return nil
}

func (o *object) bytes() json.RawMessage {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, key := range o.keys {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, "%q:%s", key, o.values[key])
	}
	b.WriteByte('}')
	return b.Bytes()
}

// marshal writes description first and leaves <, > and & as they are.
func marshal(v any) (json.RawMessage, error) {
	m, ok := v.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("%T is no schema", v)
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	o := &object{values: map[string]json.RawMessage{}}
	names := []string{"description"}
	for name := range m {
		if name != "description" {
			names = append(names, name)
		}
	}
	slices.Sort(names[1:])
	for _, name := range names {
		b.Reset()
		if err := e.Encode(m[name]); err != nil {
			return nil, err
		}
		o.set(name, bytes.TrimSpace(bytes.Clone(b.Bytes())))
	}
	return o.bytes(), nil
}
