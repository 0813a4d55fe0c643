package scenario

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/inferometer/inferometer/internal/plan/keys"
	"go.yaml.in/yaml/v3"
)

// decoder puts nodes into Go values, strictly: a key that the struct does not have
// is an error with its line. yaml's own decoder can't tell the file, nor suggest.
type decoder struct {
	doc  *Document
	errs errorList
}

// nodeDecoder is a type that reads its node itself. The error gets the node's line.
type nodeDecoder interface {
	decodeNode(d *decoder, key string, n *yaml.Node) error
}

func (d *decoder) fail(n *yaml.Node, key, format string, args ...any) {
	d.errs.add(d.doc.errorAt(n, key, format, args...))
}

func (d *decoder) decode(key string, n *yaml.Node, v reflect.Value) {
	if isNull(n) {
		return // as if it were not there
	}
	if special, ok := v.Addr().Interface().(nodeDecoder); ok {
		if err := special.decodeNode(d, key, n); err != nil {
			d.fail(n, key, "%v", err)
		}
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		if v.Type() == reflect.TypeFor[*yaml.Node]() {
			v.Set(reflect.ValueOf(n))
			return
		}
		v.Set(reflect.New(v.Type().Elem()))
		d.decode(key, n, v.Elem())
	case reflect.Struct:
		d.decodeStruct(key, n, v)
	case reflect.Map:
		d.decodeMap(key, n, v)
	case reflect.Slice:
		d.decodeList(key, n, v)
	default:
		d.decodeScalar(key, n, v)
	}
}

func (d *decoder) decodeStruct(key string, n *yaml.Node, v reflect.Value) {
	if n.Kind != yaml.MappingNode {
		d.fail(n, key, "must be keys and values, not %s", describe(n))
		return
	}
	known := keysOf(v.Type())
	for k, value := range pairs(n) {
		i := slices.Index(known, k.Value)
		if i < 0 {
			d.fail(k, join(key, k.Value), "there is no such key; %s", suggest(k.Value, known))
			continue
		}
		if to := fieldOf(v, k.Value); to.IsValid() {
			d.decode(join(key, k.Value), value, to)
		} else {
			d.decodeOption(join(key, k.Value), k.Value, value, v)
		}
	}
}

// keysOf are the keys of a struct's fields, those of embedded structs among them, and
// those of the options that it takes.
func keysOf(t reflect.Type) (names []string) {
	for f := range fields(t) {
		names = append(names, f.Tag.Get("yaml"))
	}
	return append(names, optionKeys(t).Names()...)
}

// optionKeys are the keys of a section that registries describe.
func optionKeys(t reflect.Type) keys.Section {
	switch t {
	case reflect.TypeFor[Workload]():
		return keys.Workload()
	case reflect.TypeFor[Pace]():
		return keys.Pace()
	case reflect.TypeFor[Eval]():
		return keys.Eval()
	}
	return nil
}

// decodeOption keeps the text of an option of a dataset or a pace.
func (d *decoder) decodeOption(key, name string, n *yaml.Node, section reflect.Value) {
	if isNull(n) {
		return // as if it were not there
	}
	several := optionKeys(section.Type()).Many(name)
	if n.Kind == yaml.SequenceNode && !several {
		d.fail(n, key, "must be one value, not a list; to vary it, put the list under matrix")
		return
	}
	values, err := flagValues(n)
	if several {
		values = []string{strings.Join(values, " ")}
	}
	if err == nil {
		values[0] = strings.Replace(values[0], ".inf", "inf", 1) // .inf is YAML's
		err = optionKeys(section.Type()).Check(name, values[0])
	}
	if err != nil {
		d.fail(n, key, "%v", err)
		return
	}
	all := section.FieldByName("Options").Addr().Interface().(*keys.Values)
	if *all == nil {
		*all = keys.Values{}
	}
	(*all)[name] = values[0]
}

func fields(t reflect.Type) func(yield func(reflect.StructField) bool) {
	return func(yield func(reflect.StructField) bool) {
		for _, f := range reflect.VisibleFields(t) {
			if f.Tag.Get("yaml") != "" && !yield(f) {
				return
			}
		}
	}
}

func fieldOf(v reflect.Value, key string) reflect.Value {
	for f := range fields(v.Type()) {
		if f.Tag.Get("yaml") == key {
			return v.FieldByIndex(f.Index)
		}
	}
	return reflect.Value{}
}

func (d *decoder) decodeMap(key string, n *yaml.Node, v reflect.Value) {
	if n.Kind != yaml.MappingNode {
		d.fail(n, key, "must be names and values, not %s", describe(n))
		return
	}
	v.Set(reflect.MakeMap(v.Type()))
	for k, value := range pairs(n) {
		element := reflect.New(v.Type().Elem()).Elem()
		d.decode(join(key, k.Value), value, element)
		if element.Kind() != reflect.Pointer || !element.IsNil() {
			v.SetMapIndex(reflect.ValueOf(k.Value), element)
		}
	}
}

// decodeList takes a single value as a list of one.
func (d *decoder) decodeList(key string, n *yaml.Node, v reflect.Value) {
	items := []*yaml.Node{n}
	if n.Kind == yaml.SequenceNode {
		items = n.Content
	}
	for i, item := range items {
		element := reflect.New(v.Type().Elem()).Elem()
		d.decode(fmt.Sprintf("%s[%d]", key, i), item, element)
		v.Set(reflect.Append(v, element))
	}
}

func (d *decoder) decodeScalar(key string, n *yaml.Node, v reflect.Value) {
	if n.Kind != yaml.ScalarNode {
		hint := ""
		if n.Kind == yaml.SequenceNode {
			hint = "; to vary it, put the list under matrix"
		}
		d.fail(n, key, "must be one value, not %s%s", describe(n), hint)
		return
	}
	text, want := n.Value, ""
	switch {
	case v.Type() == reflect.TypeFor[time.Duration]():
		span, err := time.ParseDuration(text)
		if err != nil || span < 0 {
			want = "a time such as 30s or 5m"
		}
		v.SetInt(int64(span))
	case v.Kind() == reflect.String:
		v.SetString(text)
	case v.Kind() == reflect.Int:
		number, err := strconv.Atoi(strings.ReplaceAll(text, "_", ""))
		if err != nil || number < 0 {
			want = "a whole number"
		}
		v.SetInt(int64(number))
	case v.Kind() == reflect.Float64:
		number, err := strconv.ParseFloat(strings.Replace(text, ".inf", "inf", 1), 64) // .inf is YAML's
		if err != nil || math.IsNaN(number) {
			want = "a number"
		}
		v.SetFloat(number)
	case v.Kind() == reflect.Bool:
		if text != "true" && text != "false" {
			want = "true or false"
		}
		v.SetBool(text == "true")
	}
	if want != "" {
		d.fail(n, key, "must be %s, not %q", want, text)
	}
}

func join(key, name string) string {
	if key == "" {
		return name
	}
	return key + "." + name
}

func isNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.Tag == "!!null" }

func describe(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "keys and values"
	case yaml.SequenceNode:
		return "a list"
	}
	return strconv.Quote(n.Value)
}

// pairs walks the keys and values of a mapping.
func pairs(n *yaml.Node) func(yield func(key, value *yaml.Node) bool) {
	return func(yield func(key, value *yaml.Node) bool) {
		for i := 0; i+1 < len(n.Content); i += 2 {
			if !yield(n.Content[i], n.Content[i+1]) {
				return
			}
		}
	}
}
