package sim

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
)

const (
	// maxBody is far beyond any prompt of a benchmark: images and sounds are in it.
	maxBody = 256 << 20
	// maxValues bounds what is made of a body: each takes some fifty bytes, also one that is two bytes long.
	maxValues = 4 << 20
)

// readBody reads the JSON of a request, within bounds.
func readBody(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	raw, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	switch {
	case err != nil:
		return nil, fmt.Errorf("the body could not be read: %w", err)
	case len(raw) > 2*maxValues && manyValues(raw): // a shorter one can't hold as many
		return nil, fmt.Errorf("the body holds more than %d values", maxValues)
	}
	return raw, nil
}

// manyValues counts commas and opening brackets outside of strings.
func manyValues(raw []byte) bool {
	for n := 0; len(raw) > 0; {
		next := bytes.IndexByte(raw, '"')
		if next < 0 {
			next = len(raw)
		}
		for _, c := range raw[:next] {
			if c == ',' || c == '[' || c == '{' {
				n++
			}
		}
		if n > maxValues {
			return true
		}
		raw = raw[min(next+1, len(raw)):]
		for len(raw) > 0 && raw[0] != '"' { // to the end of the string
			i := bytes.IndexAny(raw, `"\`)
			if i < 0 {
				return false // it has none: no JSON
			}
			if raw[i] == '\\' {
				i = min(i+2, len(raw))
			}
			raw = raw[i:]
		}
		raw = raw[min(1, len(raw)):]
	}
	return false
}
