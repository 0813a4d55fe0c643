package trace

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// walker goes through JSON value by value, so that a long list is never held as a whole.
type walker struct {
	*json.Decoder
	in *input
}

func newWalker(in *input) *walker { return &walker{json.NewDecoder(in), in} }

// fields calls field for each key of an object; field must read its value.
func (w *walker) fields(field func(key string) error) error {
	if err := w.expect('{'); err != nil {
		return err
	}
	for w.More() {
		w.in.bound.passed()
		t, err := w.Token()
		if err != nil {
			return whole(err)
		}
		key, ok := t.(string)
		if !ok {
			return fmt.Errorf("%v stands where a key should", t)
		}
		if err := field(key); err != nil {
			return whole(err)
		}
	}
	return w.expect('}')
}

// elements calls element for each one of a list; element must read it.
func (w *walker) elements(element func() error) error {
	if err := w.expect('['); err != nil {
		return err
	}
	for w.More() {
		w.in.bound.passed()
		if err := element(); err != nil {
			return whole(err)
		}
	}
	return w.expect(']')
}

func (w *walker) expect(d json.Delim) error {
	t, err := w.Token()
	if err != nil {
		return whole(err)
	}
	if t != d {
		return fmt.Errorf("%v stands where %v should", t, d)
	}
	return nil
}

// skip passes over a value.
func (w *walker) skip() error {
	var v json.RawMessage
	return w.Decode(&v)
}

// whole: a file that ends early has no end of its own.
func whole(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}
