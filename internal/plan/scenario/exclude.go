package scenario

import (
	"slices"

	"go.yaml.in/yaml/v3"
)

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

// checkExclusion finds slips of the pen: an exclusion that matches nothing would be
// silent.
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
