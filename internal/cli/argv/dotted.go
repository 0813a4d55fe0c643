package argv

import (
	"encoding/json"
	"strings"
)

// dottedValues gathers --flag.key.key value into one JSON object a flag.
type dottedValues map[*Flag]*dottedValue

type dottedValue struct {
	tree  map[string]any
	whole bool // the flag was given as a whole on the command line
}

// add puts one value into the object. What is no JSON is text, as in vLLM.
func (d dottedValues) add(o occurrence) error {
	v := d[o.flag]
	if v == nil {
		v = &dottedValue{}
		d[o.flag] = v
	}
	if v.whole {
		return errBothForms(o.flag)
	}
	if v.tree == nil {
		v.tree = map[string]any{}
	}
	var value any = o.values[0]
	if json.Valid([]byte(o.values[0])) {
		value = json.RawMessage(o.values[0])
	}
	node := v.tree
	for i, key := range o.path {
		if key == "" {
			return Errorf("", "has an empty key in --%s.%s", o.flag.Name, strings.Join(o.path, "."))
		}
		if i == len(o.path)-1 {
			node[key] = value
			break
		}
		child, ok := node[key].(map[string]any)
		if !ok {
			child = map[string]any{}
			node[key] = child
		}
		node = child
	}
	return nil
}

// replacedBy notes that the flag was given as a whole. From the config that is
// fine, since the command line wins; twice on the command line one of the two
// would be lost without a word.
func (d dottedValues) replacedBy(o occurrence) error {
	if o.flag.shape != jsonText || o.source != FromCommandLine {
		return nil
	}
	if v := d[o.flag]; v != nil && v.tree != nil {
		return errBothForms(o.flag)
	}
	d[o.flag] = &dottedValue{whole: true}
	return nil
}

func (d dottedValues) store() error {
	for f, v := range d {
		if v.tree == nil {
			continue
		}
		text, err := json.Marshal(v.tree)
		if err == nil {
			err = f.store([]string{string(text)})
		}
		if err != nil {
			return at(err, f.Name, "", 0)
		}
	}
	return nil
}

func errBothForms(f *Flag) error {
	return Errorf("", "is given whole and by key").WithHint("use --%s or --%s.KEY, not both", f.Name, f.Name)
}
