package cli

import (
	"bytes"
	"encoding/json"
)

// objectKeys lists the top-level keys of a JSON object in the order in which
// they stand; encoding/json alone would lose it.
func objectKeys(object json.RawMessage) []string {
	d := json.NewDecoder(bytes.NewReader(object))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil
	}
	var keys []string
	for d.More() {
		t, err := d.Token()
		key, ok := t.(string)
		if err != nil || !ok {
			return keys
		}
		keys = append(keys, key)
		var skip json.RawMessage
		if d.Decode(&skip) != nil {
			return keys
		}
	}
	return keys
}

// strictJSON replaces what Python writes and JSON doesn't have, Infinity and NaN,
// by null. What is JSON stays as it is.
func strictJSON(b []byte) []byte {
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
