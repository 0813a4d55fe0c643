package task

import "time"

// asDatasets gives rows what Hugging Face's datasets make of them: each row has all
// columns, numbers of a column are all whole or none is, and days of JSON are times.
func (s *set) asDatasets(isJSON bool) {
	for _, c := range s.columns {
		whole, broken, days := false, false, isJSON
		for _, r := range s.rows {
			switch v, there := r.values[c]; v := v.(type) {
			case int64:
				whole, days = true, false
			case float64:
				broken, days = true, false
			case string:
				days = days && day(v) != ""
			case nil:
				if !there {
					r.names = append(r.names, c)
					r.values[c] = nil
				}
			default:
				days = false
			}
		}
		for _, r := range s.rows {
			switch v := r.values[c].(type) {
			case int64:
				if whole && broken {
					r.values[c] = float64(v)
				}
			case string:
				if days {
					r.values[c] = day(v)
				}
			}
		}
	}
}

// day is how Python prints a text that Arrow takes for a time; "": it is none.
func day(s string) string {
	if len(s) < len("2006-01-02") || len(s) > len("2006-01-02T15:04:05") {
		return ""
	}
	for _, layout := range []string{"2006-01-02", "2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02T15:04", "2006-01-02 15:04"} {
		if at, err := time.Parse(layout, s); err == nil {
			return at.Format("2006-01-02 15:04:05")
		}
	}
	return ""
}
