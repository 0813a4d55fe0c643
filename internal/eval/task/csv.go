package task

import (
	"strconv"
	"strings"
)

// missing are texts of CSV that pandas, with which datasets read it, takes for nothing.
var missing = []string{
	"", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN", "<NA>", "N/A", "NA", "NULL", "NaN", "None",
	"n/a", "nan", "null",
}

// column is what all fields of a column of CSV are.
type column struct{ whole, number, truth, holes bool }

func columnOf(rows []*row, name string) column {
	c := column{whole: true, number: true, truth: true}
	for _, r := range rows {
		s, isText := r.values[name].(string)
		if !isText {
			return column{}
		}
		if contains(missing, s) {
			c.holes = true
			continue
		}
		_, err := strconv.ParseInt(s, 10, 64)
		c.whole = c.whole && err == nil
		_, err = strconv.ParseFloat(s, 64)
		c.number = c.number && err == nil && !strings.ContainsAny(s, "xXpP_")
		c.truth = c.truth && (s == "True" || s == "False" || s == "true" || s == "false" || s == "TRUE" || s == "FALSE")
	}
	return c
}

// typeColumns gives the columns of CSV types: whole numbers, and with python all that
// Hugging Face's datasets find in them.
func typeColumns(rows []*row, columns []string, python bool) {
	for _, name := range columns {
		c := columnOf(rows, name)
		for _, r := range rows {
			s, isText := r.values[name].(string)
			switch {
			case !isText:
			case c.whole && !c.holes:
				r.values[name], _ = strconv.ParseInt(s, 10, 64)
			case !python:
			case contains(missing, s):
				r.values[name] = nil
			case c.number:
				r.values[name], _ = strconv.ParseFloat(s, 64)
			case c.truth && !c.holes:
				r.values[name] = strings.EqualFold(s, "true")
			}
		}
	}
}
