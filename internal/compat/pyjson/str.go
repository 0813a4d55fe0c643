package pyjson

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/big"
	"strconv"
	"strings"
)

// Str is what Python's str() makes of a JSON value: a text as it is, True, None, and
// lists and dictionaries in Python's own notation.
func Str(raw json.RawMessage) (string, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	first, err := d.Token()
	if err != nil {
		return "", fmt.Errorf("not JSON: %w", err)
	}
	if text, ok := first.(string); ok {
		return text, nil
	}
	var b strings.Builder
	if err := repr(&b, d, first); err != nil {
		return "", fmt.Errorf("not JSON: %w", err)
	}
	return b.String(), nil
}

// repr writes the value that begins with a token.
func repr(b *strings.Builder, d *json.Decoder, t json.Token) error {
	switch v := t.(type) {
	case nil:
		b.WriteString("None")
	case bool:
		b.WriteString(map[bool]string{true: "True", false: "False"}[v])
	case string:
		b.WriteString(quote(v))
	case json.Number:
		return number(b, string(v))
	case json.Delim:
		return many(b, d, v)
	}
	return nil
}

// many writes a list or a dictionary.
func many(b *strings.Builder, d *json.Decoder, open json.Delim) error {
	b.WriteString(open.String())
	for i := 0; d.More(); i++ {
		if i > 0 {
			b.WriteString(", ")
		}
		for part := range 2 {
			t, err := d.Token()
			if err != nil {
				return err
			}
			if err := repr(b, d, t); err != nil {
				return err
			}
			if open == '[' {
				break
			}
			if part == 0 {
				b.WriteString(": ")
			}
		}
	}
	shut, err := d.Token()
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return err
	}
	b.WriteString(shut.(json.Delim).String())
	return nil
}

func number(b *strings.Builder, text string) error {
	if !strings.ContainsAny(text, ".eE") {
		if n, ok := new(big.Int).SetString(text, 10); ok {
			b.WriteString(n.String()) // -0 is 0
			return nil
		}
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return err
	}
	b.WriteString(Float(f))
	return nil
}

// quote is a text inside of a list: in single quotes, unless it holds one and no double one.
func quote(s string) string {
	mark := `'`
	if strings.Contains(s, `'`) && !strings.Contains(s, `"`) {
		mark = `"`
	}
	return mark + strings.NewReplacer(`\`, `\\`, mark, `\`+mark, "\n", `\n`, "\r", `\r`, "\t", `\t`).Replace(s) + mark
}
