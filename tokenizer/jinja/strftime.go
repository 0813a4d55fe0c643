package jinja

import (
	"fmt"
	"strings"
	"time"
)

// StrftimeNow is the function strftime_now of transformers, as a variable for [Template.Render], with a clock
// that stands still: a prompt with the time of its rendering in it would be another prompt each time.
// Without it strftime_now is undefined.
func StrftimeNow(now time.Time) any {
	return &function{"strftime_now", func(r *run, a *arguments) any {
		return r.strftime(now, textArgument(a.bind(1, "format")[0]))
	}}
}

// strftime is Python's, in the C locale, of a time without a zone.
func (r *run) strftime(t time.Time, format string) string {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(format, "%")
		b.WriteString(before)
		if !found {
			break
		}
		plain := strings.HasPrefix(rest, "-") // glibc's: without the leading zeros
		rest = strings.TrimPrefix(rest, "-")
		if rest == "" {
			fail("the format of strftime_now ends with %%")
		}
		text, known := dateVerb(t, rest[0])
		if !known {
			fail("strftime_now does not know %%%c", rest[0])
		}
		if plain && strings.Trim(text, "0123456789 ") == "" {
			text = strings.TrimLeft(text[:len(text)-1], "0 ") + text[len(text)-1:]
		}
		r.spend(len(before) + len(text) + itemCost)
		b.WriteString(text)
		format = rest[1:]
	}
	return b.String()
}

// dateVerb is what one letter of a format stands for.
func dateVerb(t time.Time, letter byte) (text string, known bool) {
	switch letter {
	case '%':
		return "%", true
	case 'n':
		return "\n", true
	case 't':
		return "\t", true
	case 'z', 'Z': // a time without a zone has none to show
		return "", true
	case 'C':
		return fmt.Sprintf("%02d", t.Year()/100), true
	case 'f':
		return fmt.Sprintf("%06d", t.Nanosecond()/1000), true
	case 'j':
		return fmt.Sprintf("%03d", t.YearDay()), true
	case 'u':
		return fmt.Sprint((int(t.Weekday())+6)%7 + 1), true
	case 'w':
		return fmt.Sprint(int(t.Weekday())), true
	case 'U':
		return fmt.Sprintf("%02d", (t.YearDay()+6-int(t.Weekday()))/7), true
	case 'W':
		return fmt.Sprintf("%02d", (t.YearDay()+6-(int(t.Weekday())+6)%7)/7), true
	case 'G':
		year, _ := t.ISOWeek()
		return fmt.Sprintf("%04d", year), true
	case 'V':
		_, week := t.ISOWeek()
		return fmt.Sprintf("%02d", week), true
	case 'k':
		return fmt.Sprintf("%2d", t.Hour()), true
	case 'l':
		return fmt.Sprintf("%2d", (t.Hour()+11)%12+1), true
	}
	layout, known := dateLayout(letter)
	return t.Format(layout), known
}

// dateLayout is the same as one of Go's own layouts.
func dateLayout(letter byte) (layout string, known bool) {
	switch letter {
	case 'a':
		return "Mon", true
	case 'A':
		return "Monday", true
	case 'b', 'h':
		return "Jan", true
	case 'B':
		return "January", true
	case 'c':
		return "Mon Jan _2 15:04:05 2006", true
	case 'd':
		return "02", true
	case 'D', 'x':
		return "01/02/06", true
	case 'e':
		return "_2", true
	case 'F':
		return "2006-01-02", true
	case 'H':
		return "15", true
	case 'I':
		return "03", true
	case 'm':
		return "01", true
	case 'M':
		return "04", true
	case 'p':
		return "PM", true
	case 'r':
		return "03:04:05 PM", true
	case 'R':
		return "15:04", true
	case 'S':
		return "05", true
	case 'T', 'X':
		return "15:04:05", true
	case 'y':
		return "06", true
	case 'Y':
		return "2006", true
	}
	return "", false
}
