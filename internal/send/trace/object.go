package trace

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// object walks one JSON object of a whole file, key by key, with its long list as a stream.
type object struct {
	in     *input
	dec    *json.Decoder
	list   string                             // the key of the list
	field  func(key string, d *decoder) error // takes any other key
	opened bool
	inList bool
	ended  bool
}

// decoder reads one value.
type decoder struct {
	dec *json.Decoder
}

func (d *decoder) into(v any) error { return d.dec.Decode(v) }

func newObject(in *input, list string, field func(key string, d *decoder) error) *object {
	return &object{in: in, dec: json.NewDecoder(in), list: list, field: field}
}

// next reads the next element of the list into v; io.EOF after the last.
func (o *object) next(v any) error {
	for {
		o.in.bound.passed()
		if o.ended {
			return io.EOF
		}
		if o.inList && o.dec.More() {
			if err := o.dec.Decode(v); err != nil {
				return whole(err)
			}
			return nil
		}
		if err := o.step(); err != nil {
			return whole(err)
		}
	}
}

// whole: a file that ends early has no end of its own.
func whole(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// step reads what is not an element of the list.
func (o *object) step() error {
	t, err := o.dec.Token()
	if err != nil {
		return err
	}
	switch {
	case !o.opened:
		if t != json.Delim('{') {
			return errors.New("it must be a JSON object")
		}
		o.opened = true
	case o.inList: // its end
		o.inList = false
	case t == json.Delim('}'):
		o.ended = true
	default:
		return o.key(t)
	}
	return nil
}

func (o *object) key(t json.Token) error {
	key, ok := t.(string)
	if !ok {
		return fmt.Errorf("%v stands where a key should", t)
	}
	if key != o.list {
		return o.field(key, &decoder{o.dec})
	}
	if t, err := o.dec.Token(); err != nil || t != json.Delim('[') {
		return errors.Join(err, fmt.Errorf("%s must be a list", key))
	}
	o.inList = true
	return nil
}

// skip passes over a value.
func (d *decoder) skip() error {
	var v json.RawMessage
	return d.dec.Decode(&v)
}
