package lengths

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/inferometer/inferometer/internal/option"
)

// RangeRatio is how far lengths may lie from the one asked for, as a share of it.
type RangeRatio struct {
	Input  float64 `json:"input"`
	Output float64 `json:"output"`
}

// UnmarshalText reads one number for both, or {"input": a, "output": b}.
func (r *RangeRatio) UnmarshalText(text []byte) error {
	var parsed RangeRatio
	trimmed := bytes.TrimSpace(text)
	if bytes.HasPrefix(trimmed, []byte("{")) {
		var both struct{ Input, Output *float64 }
		d := json.NewDecoder(bytes.NewReader(trimmed))
		d.DisallowUnknownFields()
		if err := d.Decode(&both); err != nil || d.More() || both.Input == nil || both.Output == nil {
			return fmt.Errorf(`needs both ratios, as in {"input": 0.1, "output": 0.5}, not %s`, text)
		}
		parsed = RangeRatio{*both.Input, *both.Output}
	} else {
		v, err := strconv.ParseFloat(string(trimmed), 64)
		if err != nil {
			return fmt.Errorf("needs a number or a JSON object, not %q", text)
		}
		parsed = RangeRatio{v, v}
	}
	if err := parsed.CheckRange(); err != nil {
		return err
	}
	*r = parsed
	return nil
}

// MarshalText writes what UnmarshalText reads.
func (r RangeRatio) MarshalText() ([]byte, error) {
	input, output := option.FormatFloat(r.Input), option.FormatFloat(r.Output)
	if input == output {
		return []byte(input), nil
	}
	return []byte(strings.Join([]string{`{"input":`, input, `,"output":`, output, `}`}, "")), nil
}

// JSONSchema implements [option.SchemaOf].
func (*RangeRatio) JSONSchema() map[string]any {
	share := map[string]any{"type": "number", "minimum": 0, "exclusiveMaximum": 1}
	return map[string]any{"anyOf": []any{share, map[string]any{
		"type": "object", "additionalProperties": false, "required": []string{"input", "output"},
		"properties": map[string]any{"input": share, "output": share},
	}}}
}

// CheckRange refuses what is no share below 1.
func (r RangeRatio) CheckRange() error {
	for _, v := range []float64{r.Input, r.Output} {
		if !(v >= 0 && v < 1) { // so that nan fails too
			return fmt.Errorf("must be at least 0 and below 1, not %g", v)
		}
	}
	return nil
}
