package jinja

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// FromJSON reads a JSON value as a value for [Template.Render]. Objects become a *[Dict], which keeps the
// order of its keys: templates print tools as JSON, and another order would be another prompt.
func FromJSON(data []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	v, err := decodeValue(d, 0)
	if err != nil {
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("more than one JSON value")
	}
	return v, nil
}

func decodeValue(d *json.Decoder, depth int) (any, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("JSON is nested deeper than %d", maxDepth)
	}
	token, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch token := token.(type) {
	case json.Number:
		if n, err := token.Int64(); err == nil {
			return n, nil
		}
		return token.Float64()
	case json.Delim:
		var parts []any // of an object: keys and values in turn
		for d.More() {
			v, err := decodeValue(d, depth+1)
			if err != nil {
				return nil, err
			}
			parts = append(parts, v)
		}
		if _, err := d.Token(); err != nil {
			return nil, err
		}
		if token == '{' {
			return NewDict(parts...), nil
		}
		return NewList(parts...), nil
	}
	return token, nil
}
