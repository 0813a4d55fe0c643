package scenario

import (
	"fmt"
	"iter"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// axis is one key of the matrix with its values.
type axis struct {
	name   string
	values []axisValue
}

// axisValue is one value of an axis: what it sets, and how it is shown.
type axisValue struct {
	text   string
	target string // for the axis target
	unique bool   // prompts share nothing: see unshare
	sets   []setting
}

// setting puts a value at a path. A path that begins with "target" is that of the
// point's own target.
type setting struct {
	path  []string
	value *yaml.Node
}

// targetAxis is the axis of targets, which is there even if the file does not name it.
const targetAxis = "target"

// promptsAxis is whether prompts share their beginnings, where routers are compared.
const promptsAxis = "prompts"

// The values of promptsAxis.
const (
	sharedPrompts = "shared"
	uniquePrompts = "unique"
)

// withControl adds the axis of a comparison of routers.
func withControl(list []axis, s *Scenario) []axis {
	if s.Routers == nil || !s.Routers.Controlled() {
		return list
	}
	return append(list, axis{name: promptsAxis, values: []axisValue{{text: sharedPrompts}, {text: uniquePrompts, unique: true}}})
}

// axes reads the matrix. Without an axis of targets all of them are run.
func (d *Document) axes(errs *errorList) (list []axis) {
	m := child(d.root, "matrix")
	if m != nil && m.Kind != yaml.MappingNode && !isNull(m) {
		errs.add(d.errorAt(m, "matrix", "must be keys with lists of values, not %s", describe(m)))
		m = nil
	}
	if child(m, targetAxis) == nil {
		a := axis{name: targetAxis}
		if targets := child(d.root, "targets"); targets != nil {
			for k, v := range pairs(targets) {
				if !isNull(v) {
					a.values = append(a.values, axisValue{text: k.Value, target: k.Value})
				}
			}
		}
		list = append(list, a)
	}
	if m == nil || isNull(m) {
		return list
	}
	for k, v := range pairs(m) {
		if k.Value != excludeKey {
			list = append(list, d.axis(k, v, errs))
		}
	}
	return list
}

func (d *Document) axis(key, value *yaml.Node, errs *errorList) axis {
	a := axis{name: key.Value}
	items := []*yaml.Node{value}
	if value.Kind == yaml.SequenceNode {
		items = value.Content
	}
	if len(items) == 0 {
		errs.add(d.errorAt(value, "matrix."+key.Value, "has no values"))
	}
	for _, item := range items {
		v, err := d.axisValue(key, item)
		if err != nil {
			errs.add(err)
			continue
		}
		if slices.ContainsFunc(a.values, func(o axisValue) bool { return o.text == v.text }) {
			errs.add(d.errorAt(item, "matrix."+key.Value, "the value %s is listed twice; for more of the same use repeat", v.text))
			continue
		}
		a.values = append(a.values, v)
	}
	return a
}

func (d *Document) axisValue(key, item *yaml.Node) (axisValue, error) {
	at := "matrix." + key.Value
	if key.Value == targetAxis {
		if child(child(d.root, "targets"), item.Value) == nil {
			return axisValue{}, d.errorAt(item, at, "there is no target %q; %s", item.Value, suggest(item.Value, d.targetNames()))
		}
		return axisValue{text: item.Value, target: item.Value}, nil
	}
	if path, ok := d.pathOf(key.Value); ok {
		return axisValue{text: label(item), sets: []setting{{path, item}}}, nil
	}
	if item.Kind != yaml.MappingNode {
		return axisValue{}, d.errorAt(key, at, "there is no such key; %s (An axis with a name of your own has keys and values as its values.)",
			suggest(key.Value, d.shortNames()))
	}
	v := axisValue{text: label(item)}
	for k, value := range pairs(item) {
		if k.Value == "name" {
			continue
		}
		path, ok := d.pathOf(k.Value)
		if !ok {
			return v, d.errorAt(k, join(at, k.Value), "there is no such key; %s", suggest(k.Value, d.shortNames()))
		}
		v.sets = append(v.sets, setting{path, value})
	}
	return v, nil
}

// label is how a value is shown: of several keys their name, or all of them.
func label(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		if name := child(n, "name"); name != nil {
			return name.Value
		}
		var words []string
		for k, v := range pairs(n) {
			words = append(words, k.Value+"="+label(v))
		}
		return strings.Join(words, " ")
	case yaml.SequenceNode:
		var words []string
		for _, item := range n.Content {
			words = append(words, label(item))
		}
		return strings.Join(words, ",")
	}
	return n.Value
}

// varied are the sections whose keys can be named without the section.
func varied() []struct {
	name string
	keys []string
} {
	return []struct {
		name string
		keys []string
	}{
		{"pace", keysOf(reflect.TypeFor[Pace]())},
		{"workload", keysOf(reflect.TypeFor[Workload]())},
	}
}

// pathOf finds what a key of the matrix means: a whole path, or a short name of a
// key of pace, of workload, or of vars.
func (d *Document) pathOf(key string) ([]string, bool) {
	words := strings.Split(key, ".")
	if len(words) > 1 {
		switch words[0] {
		case "pace", "workload", "eval", "vars", "flags", "targets", targetAxis, "artifacts", "fleet":
			return words, true
		}
		return nil, false
	}
	for _, section := range varied() {
		if slices.Contains(section.keys, key) {
			return []string{section.name, key}, true
		}
	}
	if child(child(d.root, "vars"), key) != nil {
		return []string{"vars", key}, true
	}
	switch key {
	case "slo", "warmup", "reset_cache", "cooldown":
		return words, true
	}
	return nil, false
}

func (d *Document) shortNames() (names []string) {
	for _, section := range varied() {
		names = append(names, section.keys...)
	}
	if vars := child(d.root, "vars"); vars != nil {
		for k := range pairs(vars) {
			names = append(names, k.Value)
		}
	}
	return append(names, targetAxis, "warmup", "cooldown", "slo", "reset_cache")
}

func (d *Document) targetNames() (names []string) {
	if targets := child(d.root, "targets"); targets != nil {
		for k := range pairs(targets) {
			names = append(names, k.Value)
		}
	}
	return names
}

// combinations yields every combination of one value per axis; the last axis varies fastest.
func combinations(list []axis) iter.Seq[[]axisValue] {
	return func(yield func([]axisValue) bool) {
		at := make([]int, len(list))
		for {
			point := make([]axisValue, len(list))
			for i, a := range list {
				if len(a.values) == 0 {
					return
				}
				point[i] = a.values[at[i]]
			}
			if !yield(point) {
				return
			}
			i := len(at) - 1
			for ; i >= 0; i-- {
				if at[i]++; at[i] < len(list[i].values) {
					break
				}
				at[i] = 0
			}
			if i < 0 {
				return
			}
		}
	}
}

// maxPoints bounds the number of points: nobody waits for more.
const maxPoints = 100_000

func checkSize(list []axis, repeat int) error {
	n := max(repeat, 1)
	for _, a := range list {
		if n > maxPoints {
			break
		}
		n *= max(len(a.values), 1)
	}
	if n > maxPoints {
		return fmt.Errorf("the matrix and its repeats have more than %d points", maxPoints)
	}
	return nil
}

// excludeKey holds the combinations that are left out.
const excludeKey = "exclude"

// exclusion is a combination that is left out: for each axis the values.
type exclusion map[string][]string

func (d *Document) exclusions(list []axis, errs *errorList) (all []exclusion) {
	n := child(child(d.root, "matrix"), excludeKey)
	if n == nil {
		return nil
	}
	if n.Kind != yaml.SequenceNode {
		errs.add(d.errorAt(n, "matrix.exclude", "must be a list of combinations, as in - {target: a, concurrency: 64}"))
		return nil
	}
	for _, item := range n.Content {
		if item.Kind != yaml.MappingNode || len(item.Content) == 0 {
			errs.add(d.errorAt(item, "matrix.exclude", "must be keys of the matrix and values, not %s", describe(item)))
			continue
		}
		e := exclusion{}
		for k, v := range pairs(item) {
			values := []string{label(v)}
			if v.Kind == yaml.SequenceNode {
				values = nil
				for _, one := range v.Content {
					values = append(values, label(one))
				}
			}
			if err := d.checkExclusion(list, k, values); err != nil {
				errs.add(err)
			}
			e[k.Value] = values
		}
		all = append(all, e)
	}
	return all
}

// checkExclusion finds typing mistakes: an exclusion that matches nothing would have
// no effect, silently.
func (d *Document) checkExclusion(list []axis, key *yaml.Node, values []string) error {
	var names []string
	for _, a := range list {
		names = append(names, a.name)
		if a.name != key.Value {
			continue
		}
		var known []string
		for _, v := range a.values {
			known = append(known, v.text)
		}
		for _, v := range values {
			if !slices.Contains(known, v) {
				return d.errorAt(key, "matrix.exclude."+key.Value, "the matrix has no value %s; %s", v, suggest(v, known))
			}
		}
		return nil
	}
	return d.errorAt(key, "matrix.exclude."+key.Value, "the matrix has no such key; %s", suggest(key.Value, names))
}

func (e exclusion) matches(list []axis, point []axisValue) bool {
	for i, a := range list {
		if values, ok := e[a.name]; ok && !slices.Contains(values, point[i].text) {
			return false
		}
	}
	return true
}
