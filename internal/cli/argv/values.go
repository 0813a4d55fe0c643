package argv

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/inferometer/inferometer/internal/option"
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

func parseJSON(text string, object bool) (json.RawMessage, error) {
	var b bytes.Buffer
	if err := json.Compact(&b, []byte(text)); err != nil {
		return nil, Errorf("", "needs JSON, and %q is none (%v)", text, err).
			WithHint(`quote it for the shell, as in '{"key": 1}'`)
	}
	if object && !bytes.HasPrefix(b.Bytes(), []byte("{")) {
		return nil, Errorf("", "needs a JSON object such as {\"key\": 1}, not %s", b.Bytes())
	}
	return b.Bytes(), nil
}

func parseWords(text string) ([]string, error) {
	words := strings.Split(text, ",")
	for i, w := range words {
		words[i] = strings.TrimSpace(w)
		if words[i] == "" {
			return nil, Errorf("", "needs words between commas, not %q", text)
		}
	}
	return words, nil
}

func parseFloats(text string) ([]float64, error) {
	var numbers []float64
	for word := range strings.SplitSeq(text, ",") {
		v, err := option.ParseFloat(word)
		if err != nil {
			return nil, Errorf("", "needs numbers between commas, not %q", text)
		}
		numbers = append(numbers, v)
	}
	return numbers, nil
}
