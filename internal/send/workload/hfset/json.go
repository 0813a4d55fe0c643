package hfset

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/inferometer/inferometer/internal/compat/pyjson"
	"github.com/inferometer/inferometer/internal/files/table"
)

// JSON writes a value with its names in the file's order, and its numbers as Python's
// client, which has read them, writes them.
func JSON(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	err := writeJSON(&b, v)
	return b.Bytes(), err
}

func writeJSON(b *bytes.Buffer, v any) error {
	switch v := v.(type) {
	case []any:
		return writeList(b, '[', ']', len(v), func(i int) error { return writeJSON(b, v[i]) })
	case table.Object:
		return writeList(b, '{', '}', len(v), func(i int) error {
			if err := writeJSON(b, v[i].Key); err != nil {
				return err
			}
			b.WriteString(": ")
			return writeJSON(b, v[i].Value)
		})
	case json.Number:
		if strings.ContainsAny(v.String(), ".eE") {
			f, err := v.Float64()
			if err != nil {
				return fmt.Errorf("the number %s is too large", v)
			}
			b.WriteString(pyjson.Float(f))
			return nil
		}
		b.WriteString(v.String())
		return nil
	}
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return err
	}
	b.Truncate(b.Len() - 1) // the line's end
	return nil
}

func writeList(b *bytes.Buffer, open, end byte, n int, write func(int) error) error {
	b.WriteByte(open)
	for i := range n {
		if i > 0 {
			b.WriteString(", ")
		}
		if err := write(i); err != nil {
			return err
		}
	}
	b.WriteByte(end)
	return nil
}
