package argv

import "strings"

func parsePairs(values []string) ([]Pair, error) {
	pairs := make([]Pair, 0, len(values))
	for _, text := range values {
		key, value, ok := strings.Cut(text, "=")
		if key = strings.TrimSpace(key); !ok || key == "" {
			return nil, Errorf("", "needs KEY=VALUE, not %q", text)
		}
		pairs = append(pairs, Pair{key, strings.TrimSpace(value)})
	}
	return pairs, nil
}
