package ordered

import (
	"encoding/json"
	"errors"
	"io"
)

// Limits bound what is read, so that a made file can fill neither stack nor memory.
type Limits struct {
	Depth  int // of values in values
	Values int // 0: any number
}

// The errors of a value that is beyond its limits.
var (
	ErrDeep = errors.New("values lie too deep in values")
	ErrMany = errors.New("there are too many values")
)

// Read reads one JSON value that nothing follows, with the digits of its numbers as they stand.
func Read(r io.Reader, l Limits) (any, error) {
	d := reader{Decoder: json.NewDecoder(r), limits: l}
	d.UseNumber()
	v, err := d.value(0)
	if err != nil {
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("something follows the value")
	}
	return v, nil
}

type reader struct {
	*json.Decoder
	limits Limits
	values int
}

func (d *reader) value(depth int) (any, error) {
	t, err := d.Token()
	d.values++
	switch {
	case err != nil:
		return nil, err
	case depth > d.limits.Depth:
		return nil, ErrDeep
	case d.limits.Values > 0 && d.values > d.limits.Values:
		return nil, ErrMany
	}
	switch t {
	case json.Delim('['):
		list := []any{}
		for d.More() {
			v, err := d.value(depth + 1)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		_, err := d.Token()
		return list, err
	case json.Delim('{'):
		return d.object(depth)
	}
	return t, nil
}

// manyKeys is from how many keys on they are looked for by a map.
const manyKeys = 32

func (d *reader) object(depth int) (any, error) {
	o := Object{}
	var known map[string]int
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return nil, err
		}
		v, err := d.value(depth + 1)
		if err != nil {
			return nil, err
		}
		name := key.(string) // the decoder lets nothing else through
		if len(o) < manyKeys {
			o.Set(name, v)
			continue
		}
		if known == nil {
			known = map[string]int{}
			for i, m := range o {
				known[m.Key] = i
			}
		}
		if i, again := known[name]; again {
			o[i].Value = v
			continue
		}
		known[name] = len(o)
		o = append(o, Member{name, v})
	}
	_, err := d.Token()
	return o, err
}
