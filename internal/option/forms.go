package option

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/inferometer/inferometer/internal/usage"
)

// People write numbers and times in more forms than we read. A form that has one meaning gets
// told how that is written; it is not accepted, because the same text in a script for vLLM's
// client is an error too. Patterns are compiled where they are used, which is once for an error: every
// start of the program would wait for them.

// wrongForm is the error about a text, with how it is written where that is known.
func wrongForm(hint, format string, args ...any) error {
	err := usage.Errorf("", format, args...)
	if hint != "" {
		return err.WithHint("%s", hint)
	}
	return err
}

// asNumber says how a number is written that came in another form; empty: it can't be known.
func asNumber(text string, whole bool) string {
	var (
		thousands = regexp.MustCompile(`^\d{1,3}(,\d{3})+$`)
		decimal   = regexp.MustCompile(`^\d+,\d+$`)
		multiple  = regexp.MustCompile(`^(\d+(?:\.\d+)?)\s*([kKmM])$`)
		measured  = regexp.MustCompile(`^(\d+(?:\.\d+)?)\s*(%|[a-zA-Zµ]+(/[a-zA-Z]+)?|/[a-zA-Z]+)$`)
	)
	text = strings.TrimSpace(text)
	if m := multiple.FindStringSubmatch(text); m != nil {
		v, _ := strconv.ParseFloat(m[1], 64)
		return "write " + plain(v*map[string]float64{"k": 1e3, "m": 1e6}[strings.ToLower(m[2])])
	}
	switch m := measured.FindStringSubmatch(text); {
	case thousands.MatchString(text):
		return "write " + strings.ReplaceAll(text, ",", "")
	case decimal.MatchString(text) && !whole:
		return "write " + strings.Replace(text, ",", ".", 1)
	case m != nil && m[2] == "%" && !whole:
		v, _ := strconv.ParseFloat(m[1], 64)
		return "write " + plain(v/100) + " if it is a share"
	case m != nil:
		return "write " + m[1] + ": it has no unit"
	}
	if v, err := strconv.ParseFloat(text, 64); err == nil && whole && v == float64(int64(v)) && v >= 0 {
		return "write " + plain(v)
	}
	return ""
}

func plain(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// units are Go's letters for the words that people have for units of time.
var units = map[string]string{
	"sec": "s", "secs": "s", "second": "s", "seconds": "s", "min": "m", "mins": "m", "minute": "m", "minutes": "m", "hr": "h", "hrs": "h", "hour": "h", "hours": "h",
	"msec": "ms", "millisecond": "ms", "milliseconds": "ms", "millis": "ms", "s": "s", "m": "m", "h": "h", "ms": "ms", "us": "us",
}

// asDuration says how a time span is written that came in another form; empty: it can't be known.
func asDuration(text string) string {
	m := regexp.MustCompile(`^(\d+(?:\.\d+)?)\s*([a-zA-Z]+)$`).FindStringSubmatch(strings.TrimSpace(text))
	if m == nil {
		return ""
	}
	unit := strings.ToLower(m[2])
	if days := map[string]float64{"d": 24, "day": 24, "days": 24}[unit]; days > 0 {
		v, _ := strconv.ParseFloat(m[1], 64)
		return "write " + plain(v*days) + "h"
	}
	if letter := units[unit]; letter != "" {
		return "write " + m[1] + letter
	}
	return ""
}
