package journal

import (
	"encoding/json"
	"strconv"
)

// requestLine is how the line of a request begins. No other line holds it: in a text
// its quotes are escaped.
const requestLine = `{"request":`

// AppendRequest appends the line of r to dst, newline included. It writes what
// encoding/json would, without reflection: this runs once a request, and the
// event columns are most of a line. A line that would be longer than MaxLine, which a
// hostile server can bring about, is written without its texts, and if need be without
// its events: then it is no answer that can be measured.
func AppendRequest(dst []byte, r *Request) []byte {
	before := len(dst)
	if dst = appendRequest(dst, r); len(dst)-before <= MaxLine {
		return dst
	}
	short := *r
	short.Prompt, short.Text = nil, nil
	short.Error = joined(short.Error, "its texts are too long to be kept")
	if dst = appendRequest(dst[:before], &short); len(dst)-before <= MaxLine {
		return dst
	}
	short.Events, short.Outcome = Events{}, Protocol
	short.Error = joined(r.Error, "it has more events than a line of the journal holds")
	return appendRequest(dst[:before], &short)
}

func joined(a, b string) string {
	if a == "" {
		return b
	}
	return a + "; " + b
}

// withoutComma takes out the comma before the first of the keys that were appended since start.
func withoutComma(dst []byte, start int) []byte {
	if len(dst) > start {
		copy(dst[start:], dst[start+1:])
		dst = dst[:len(dst)-1]
	}
	return dst
}

func appendColumn[T int | int64 | EventKind](dst []byte, key string, column []T) []byte {
	if len(column) == 0 {
		return dst
	}
	dst = append(dst, key...)
	for i, v := range column {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = strconv.AppendInt(dst, int64(v), 10)
	}
	return append(dst, ']')
}

func appendInt(dst []byte, key string, v int64) []byte {
	return strconv.AppendInt(append(dst, key...), v, 10)
}

// appendNonZero leaves zero out, as omitempty does; negative values are kept.
func appendNonZero(dst []byte, key string, v int64) []byte {
	if v == 0 {
		return dst
	}
	return appendInt(dst, key, v)
}

func appendTrue(dst []byte, key string, v bool) []byte {
	if !v {
		return dst
	}
	return append(dst, key...)
}

func appendText(dst []byte, key, v string) []byte {
	if v == "" {
		return dst
	}
	return appendString(append(dst, key...), v)
}

func appendString(dst []byte, s string) []byte {
	for i := 0; i < len(s); i++ {
		if c := s[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			b, _ := json.Marshal(s) // a string always marshals
			return append(dst, b...)
		}
	}
	dst = append(dst, '"')
	dst = append(dst, s...)
	return append(dst, '"')
}
