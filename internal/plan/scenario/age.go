package scenario

import (
	"fmt"
	"time"
)

// day is a moment as people read it in a table.
func day(t time.Time) string { return t.Local().Format("2006-01-02 15:04") }

// Measured is when a record's point was measured, in words.
func (r *Record) Measured() string {
	if r == nil || r.Started.IsZero() {
		return "an unknown day"
	}
	return day(r.Started)
}

// age says which of the results were not measured by this run, and when they were;
// empty: none.
func (s *Summary) age() string {
	var n, all int
	var from, to time.Time
	for _, rec := range s.records {
		if !rec.done() {
			continue
		}
		all++
		if !rec.Earlier {
			continue
		}
		n++
		if from.IsZero() || rec.Started.Before(from) {
			from = rec.Started
		}
		if rec.Started.After(to) {
			to = rec.Started
		}
	}
	if n == 0 {
		return ""
	}
	when := "on " + day(from)
	if day(to) != day(from) {
		when = fmt.Sprintf("from %s to %s", day(from), day(to))
	}
	which := fmt.Sprintf("%d of the %d results were", n, all)
	if n == all {
		which = "None of these results is new: all were"
	}
	return fmt.Sprintf("%s measured by an earlier run, %s; --fresh measures them again.", which, when)
}
