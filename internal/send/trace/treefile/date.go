package treefile

import (
	"fmt"
	"time"

	"github.com/inferometer/inferometer/internal/outside"
)

// date reads a moment as ISO 8601 has it; without a zone it is UTC. An empty text is the zero time.
func date(text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05.999999999", "2006-01-02 15:04:05.999999999Z07:00"} {
		if at, err := time.Parse(layout, text); err == nil {
			if at.Year() < 1970 || at.Year() > 2200 {
				return time.Time{}, fmt.Errorf("the year %d is not within 1970 and 2200", at.Year())
			}
			return at, nil
		}
	}
	return time.Time{}, fmt.Errorf("%q is no time as ISO 8601 has it", outside.Word(text))
}
