package treefile

import (
	"bytes"
	"slices"
)

// hasKeys says whether the first object of a file has all of these keys, at any depth. It may be cut off.
func hasKeys(head []byte, keys ...string) bool {
	first := firstObject(head)
	for _, k := range keys {
		if !bytes.Contains(first, []byte(`"`+k+`"`)) {
			return false
		}
	}
	return len(first) > 0
}

// firstObject is the first one of a file, or as much as there is of it; empty where the file begins with
// something else.
func firstObject(head []byte) []byte {
	v := newValues(bytes.NewReader(head))
	v.next()
	return v.value
}

func indexOf(list []string, s string) int { return slices.Index(list, s) }
