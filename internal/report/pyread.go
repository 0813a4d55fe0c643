package report

import (
	"bufio"
	"bytes"
)

// StrictJSON replaces what Python writes and JSON doesn't have, Infinity and NaN,
// by null. What is JSON stays as it is.
func StrictJSON(b []byte) []byte {
	out := make([]byte, 0, len(b))
	for inString := false; len(b) > 0; {
		n := 1
		switch {
		case inString && b[0] == '\\' && len(b) > 1:
			n = 2
		case b[0] == '"':
			inString = !inString
		case !inString:
			if word := pythonNumber(b); word > 0 {
				out, b = append(out, "null"...), b[word:]
				continue
			}
		}
		out, b = append(out, b[:n]...), b[n:]
	}
	return out
}

// pythonNumber is the length of the word at the start of b that is no JSON.
func pythonNumber(b []byte) int {
	for _, word := range []string{"Infinity", "-Infinity", "NaN"} {
		if bytes.HasPrefix(b, []byte(word)) {
			return len(word)
		}
	}
	return 0
}

// PyString is a string as Python's json.dumps writes it: in ASCII, with its quotes.
func PyString(s string) string {
	var b bytes.Buffer
	e := encoder{bufio.NewWriter(&b)}
	e.string(s)
	_ = e.w.Flush() // to memory
	return b.String()
}
