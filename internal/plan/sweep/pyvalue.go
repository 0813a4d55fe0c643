package sweep

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/inferometer/inferometer/internal/compat/pyjson"
	"github.com/inferometer/inferometer/internal/ordered"
)

// A value of a JSON file is nil, bool, json.Number, string, []any or Object. vLLM's
// names, flags and tables are what Python prints of such values, so that the order
// of keys and the digits of numbers are kept.

// Object is a JSON object whose keys have an order, as a Python dict has.
type Object = ordered.Object

// parseJSON reads one value; NaN and Infinity, which Python writes, become null.
func parseJSON(b []byte) (any, error) {
	v, err := pyjson.Parse(b)
	switch {
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		err = errors.New("the JSON ends too early")
	case errors.Is(err, ordered.ErrDeep):
		err = fmt.Errorf("the JSON is more than %d levels deep", pyjson.MaxDepth)
	}
	return v, err
}

// pyJSONFile is Python's json.dump with an indent of 4, as vLLM's files are written.
func pyJSONFile(v any) []byte {
	var b bytes.Buffer
	_ = pyjson.WriteIndent(&b, v, 4) // to memory
	return b.Bytes()
}

// pyEqual is Python's == of two values: 1, 1.0 and True are the same.
func pyEqual(a, b any) bool {
	if x, ok := numeric(a); ok {
		y, ok := numeric(b)
		return ok && x == y
	}
	switch a := a.(type) {
	case []any:
		b, ok := b.([]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for i := range a {
			if !pyEqual(a[i], b[i]) {
				return false
			}
		}
		return true
	case Object:
		b, ok := b.(Object)
		if !ok || len(a) != len(b) {
			return false
		}
		for _, m := range a {
			if !b.Has(m.Key) || !pyEqual(m.Value, b.Get(m.Key)) {
				return false
			}
		}
		return true
	case nil:
		return b == nil
	case string:
		other, ok := b.(string)
		return ok && a == other
	}
	return false
}

// numeric is the number that a value is, by Python's rules: True is 1.
func numeric(v any) (float64, bool) {
	switch v := v.(type) {
	case json.Number:
		f, _ := v.Float64() // what is too large is infinite, as in Python
		return f, true
	case bool:
		if v {
			return 1, true
		}
		return 0, true
	}
	return math.NaN(), false
}
