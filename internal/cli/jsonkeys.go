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
