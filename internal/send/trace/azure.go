package trace

import (
	"fmt"
	"time"

	"github.com/inferometer/inferometer/internal/outside"
)

const (
	azureTime   = "TIMESTAMP"
	azureInput  = "ContextTokens"
	azureOutput = "GeneratedTokens"
	azureImages = "NumImages"
)

var azure = &Format{
	Name: "azure", Doc: "Azure's LLM inference traces of 2023, 2024 and 2025 (CSV); times are dates.", Timed: true,
	looks: func(head []byte) bool { return isTable(head, azureTime, azureInput, azureOutput) },
	open:  openAzure,
}

func openAzure(in *input) (rows, error) {
	a := &azureDates{}
	return newTable(in, a.row, azureTime, azureInput, azureOutput)
}

// azureDates counts time from the first row.
type azureDates struct {
	first time.Time
	known bool
	at    int // the layout that fit last
}

// The years differ: 2023 has no zone and seven digits, 2024 an offset, 2025 a T and a Z.
// A fraction of a second may follow in each.
var layouts = []string{"2006-01-02 15:04:05", "2006-01-02 15:04:05Z07:00", "2006-01-02T15:04:05Z07:00"}

func (a *azureDates) parse(text string) (time.Time, error) {
	for i := range layouts {
		k := (a.at + i) % len(layouts)
		if t, err := time.Parse(layouts[k], text); err == nil {
			a.at = k
			return t, nil
		}
	}
	return time.Time{}, fmt.Errorf("%s must be a date such as 2023-11-16 18:17:03.97, not %q", azureTime, outside.Word(text))
}

func (a *azureDates) row(t *table, r *Row) error {
	date, err := a.parse(t.text(azureTime))
	if err != nil {
		return err
	}
	if !a.known {
		a.first, a.known = date, true
	}
	if r.At, err = seconds(date.Sub(a.first).Seconds()); err != nil {
		return err
	}
	r.At = date.Sub(a.first)
	if t.has(azureImages) {
		if r.Images, err = t.count(azureImages); err != nil {
			return err
		}
	}
	return t.lengths(r, azureInput, azureOutput)
}
