package jinja

import (
	"encoding/json"
	"testing"
	"time"
)

// TestStrftime holds strftime_now to what Python's strftime makes of the same times (testdata/make.py).
func TestStrftime(t *testing.T) {
	var rows []struct {
		Time  string
		Texts map[string]string
	}
	if err := json.Unmarshal(readTestdata(t, "strftime.json"), &rows); err != nil || len(rows) == 0 {
		t.Fatal(err)
	}
	for _, row := range rows {
		now, err := time.Parse("2006-01-02T15:04:05.999999", row.Time)
		if err != nil {
			t.Fatal(err)
		}
		for format, want := range row.Texts {
			got, err := render("{{ strftime_now(f) }}", map[string]any{"strftime_now": StrftimeNow(now), "f": format})
			if err != nil || got != want {
				t.Errorf("%s of %s: %q, %v; want %q", format, row.Time, got, err, want)
			}
		}
	}
	for _, bad := range []string{"%", "%-", "%Q", "%é"} {
		if got, err := render("{{ strftime_now(f) }}", map[string]any{"strftime_now": StrftimeNow(time.Time{}), "f": bad}); err == nil {
			t.Errorf("%q: %q, want an error", bad, got)
		}
	}
}
