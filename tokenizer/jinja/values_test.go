package jinja

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// jsonDict reads an object into a Dict: the order of its keys counts, which Go's own maps lose.
func jsonDict(t testing.TB, data []byte) *Dict {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	v, ok := jsonValue(t, d).(*Dict)
	if !ok {
		t.Fatal("no JSON object")
	}
	return v
}

func jsonValue(t testing.TB, d *json.Decoder) any {
	t.Helper()
	token, err := d.Token()
	if err != nil {
		t.Fatal(err)
	}
	switch token := token.(type) {
	case json.Number:
		if n, err := token.Int64(); err == nil {
			return n
		}
		x, err := token.Float64()
		if err != nil {
			t.Fatal(err)
		}
		return x
	case json.Delim:
		var parts []any
		for d.More() {
			parts = append(parts, jsonValue(t, d))
		}
		if _, err := d.Token(); err != nil {
			t.Fatal(err)
		}
		if token == '{' {
			return NewDict(parts...)
		}
		return NewList(parts...)
	}
	return token
}

// variables takes the entries of a dict as the variables of a template.
func variables(d *Dict) map[string]any {
	values := map[string]any{}
	for i, key := range d.keys {
		values[key.(string)] = d.values[i]
	}
	return values
}

func readTestdata(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}
