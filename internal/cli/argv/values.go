package argv

import (
	"strings"
)

func parsePairs(values []string, sep string, bare bool) ([]Pair, error) {
	pairs := make([]Pair, 0, len(values))
	for _, text := range values {
		key, value, ok := strings.Cut(text, sep)
		if !ok && !bare || strings.TrimSpace(key) == "" {
			return nil, Errorf("", "needs KEY%sVALUE, not %q", sep, text)
		}
		pairs = append(pairs, Pair{strings.TrimSpace(key), strings.TrimSpace(value)})
	}
	return pairs, nil
}
