package export

import (
	"encoding/csv"
	"io"

	"github.com/inferometer/inferometer/internal/show/parquet"
)

// sheet is a table that is written row by row, in either form.
type sheet struct {
	row func(values []any) error
	end func() error
}

// newSheet begins a table as Parquet, or as CSV.
func newSheet(w io.Writer, columns []parquet.Column, binary bool) (*sheet, error) {
	if binary {
		p, err := parquet.NewWriter(w, columns)
		if err != nil {
			return nil, err
		}
		return &sheet{row: func(values []any) error { return p.Row(values...) }, end: p.Close}, nil
	}
	c := csv.NewWriter(w)
	line := make([]string, len(columns))
	for i := range columns {
		line[i] = columns[i].Name
	}
	if err := c.Write(line); err != nil {
		return nil, err
	}
	return &sheet{
		row: func(values []any) error {
			for i, v := range values {
				line[i] = field(v, columns[i].Type)
			}
			return c.Write(line)
		},
		end: func() error { c.Flush(); return c.Error() },
	}, nil
}

func names(columns []column) []parquet.Column {
	list := make([]parquet.Column, len(columns))
	for i := range columns {
		list[i] = columns[i].Column
	}
	return list
}
