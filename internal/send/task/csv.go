package task

import (
	"strconv"
	"strings"
)

// typeColumns gives the columns of CSV the types that Hugging Face's datasets find in
// them: numbers where all are, and nothing for an empty field.
func typeColumns(rows []*row, columns []string) {
	for _, c := range columns {
		isInt, isFloat, missing := true, true, false
		for _, r := range rows {
			s, isText := r.values[c].(string)
			if !isText {
				isInt, isFloat = false, false
				break
			}
			if s == "" {
				missing = true
				continue
			}
			if _, err := strconv.ParseInt(s, 10, 64); err != nil {
				isInt = false
			}
			if _, err := strconv.ParseFloat(s, 64); err != nil || strings.ContainsAny(s, "xXpP_") {
				isFloat = false
			}
		}
		for _, r := range rows {
			s, isText := r.values[c].(string)
			switch {
			case !isText:
			case s == "":
				r.values[c] = nil
			case isInt && !missing:
				r.values[c], _ = strconv.ParseInt(s, 10, 64)
			case isFloat:
				r.values[c], _ = strconv.ParseFloat(s, 64)
			}
		}
	}
}
