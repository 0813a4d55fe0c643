package argv

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"strconv"
	"strings"
	"time"
)

// parseInt reads what Python's int() reads from decimal text.
func parseInt(text string) (int, error) {
	v, err := strconv.Atoi(pythonNumber(text))
	if errors.Is(err, strconv.ErrRange) {
		return 0, Errorf("", "value %s is too large", text)
	}
	if err != nil {
		return 0, Errorf("", "needs a whole number, not %q", text)
	}
	return v, nil
}

// parseFloat reads what Python's float() reads, but for nan: no flag can use it.
func parseFloat(text string) (float64, error) {
	number := pythonNumber(text)
	v, err := strconv.ParseFloat(number, 64)
	if errors.Is(err, strconv.ErrRange) {
		err = nil // 1e999 is inf, as in Python
	}
	if err != nil || math.IsNaN(v) || strings.ContainsAny(number, "xXpP_") {
		return 0, Errorf("", "needs a number, not %q", text)
	}
	return v, nil
}

// pythonNumber turns the freedoms of a number in Python, spaces around it and
// underscores between digits, into what strconv reads.
func pythonNumber(text string) string {
	text = strings.TrimSpace(text)
	if !strings.Contains(text, "_") {
		return text
	}
	digit := func(i int) bool { return i >= 0 && i < len(text) && text[i] >= '0' && text[i] <= '9' }
	for i := range len(text) {
		if text[i] == '_' && (!digit(i-1) || !digit(i+1)) {
			return text // left as it is, so that strconv refuses it
		}
	}
	return strings.ReplaceAll(text, "_", "")
}

func formatFloat(v float64) string {
	if math.IsInf(v, 1) {
		return "inf"
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

// ParseDuration reads 90s, 2m or 1h30m, and a bare number as seconds. It is never negative.
func ParseDuration(text string) (time.Duration, error) {
	text = strings.TrimSpace(text)
	d, err := time.ParseDuration(text)
	if err != nil {
		seconds, numberErr := parseFloat(text)
		if numberErr != nil || math.Abs(seconds) > math.MaxInt64/1e9 {
			return 0, Errorf("", "needs a time span such as 90s, 2m or 1h30m, not %q", text)
		}
		d = time.Duration(seconds * float64(time.Second))
	}
	if d < 0 {
		return 0, Errorf("", "can't be negative, as %q is", text)
	}
	return d, nil
}

// formatDuration writes 10m, not 10m0s.
func formatDuration(d time.Duration) string {
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}

func parsePairs(values []string, sep string) ([]Pair, error) {
	pairs := make([]Pair, 0, len(values))
	for _, text := range values {
		key, value, ok := strings.Cut(text, sep)
		if !ok || strings.TrimSpace(key) == "" {
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
		v, err := parseFloat(word)
		if err != nil {
			return nil, Errorf("", "needs numbers between commas, not %q", text)
		}
		numbers = append(numbers, v)
	}
	return numbers, nil
}
