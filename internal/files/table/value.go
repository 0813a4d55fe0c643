package table

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/inferometer/inferometer/internal/ordered"
)

// Object is a row, or a value with named parts, in the file's order. A value is nil, a
// bool, int64, float64, json.Number, string, []byte, []any or an Object.
type Object = ordered.Object

// Text is a value that is a text. Old writers of Parquet do not say that bytes are one.
func Text(v any) (string, bool) {
	switch v := v.(type) {
	case string:
		return v, true
	case []byte:
		return string(v), utf8.Valid(v)
	}
	return "", false
}

// Number is a value that is a number.
func Number(v any) (float64, bool) {
	switch v := v.(type) {
	case int64:
		return float64(v), true
	case float64:
		return v, true
	case json.Number:
		f, err := v.Float64()
		return f, err == nil
	}
	return 0, false
}

// Bytes is a value that is bytes.
func Bytes(v any) ([]byte, bool) {
	switch v := v.(type) {
	case []byte:
		return v, true
	case string:
		return []byte(v), true
	}
	return nil, false
}

// At follows names and places into a value: At(v, "turns", 0, "content").
func At(v any, path ...any) (any, error) {
	for _, step := range path {
		switch step := step.(type) {
		case string:
			o, ok := v.(Object)
			if !ok || !o.Has(step) {
				return nil, fmt.Errorf("there is no %s", step)
			}
			v = o.Get(step)
		case int:
			list, ok := v.([]any)
			if !ok {
				return nil, fmt.Errorf("what should be a list is none")
			}
			if step >= len(list) {
				return nil, fmt.Errorf("a list has %d elements, not %d", len(list), step+1)
			}
			v = list[step]
		}
	}
	return v, nil
}

// decodeRow reads a text that holds one object. A text alone is a row with the column
// "text", as in Hugging Face's datasets.
func decodeRow(r io.Reader) (Object, error) {
	v, err := ordered.Read(r, ordered.Limits{Depth: maxDepth, Values: maxRowValues})
	if errors.Is(err, ordered.ErrMany) {
		return nil, fmt.Errorf("a row has more than %d values", maxRowValues)
	}
	if err != nil {
		return nil, err
	}
	switch v := v.(type) {
	case Object:
		return v, nil
	case string:
		return Object{{Key: "text", Value: v}}, nil
	}
	return nil, fmt.Errorf("it is no object")
}
