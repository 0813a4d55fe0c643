package option

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// mostInt bounds a number of tokens or requests: more is a slip of the finger.
const mostInt = math.MaxInt32

// ParseInt reads what Python's int() reads from decimal text. The errors of all
// parsers read on from the option's name.
func ParseInt(text string) (int, error) {
	v, err := strconv.Atoi(pythonNumber(text))
	if errors.Is(err, strconv.ErrRange) {
		return 0, fmt.Errorf("value %s is too large", short(text))
	}
	if err != nil {
		return 0, wrongForm(asNumber(text, true), "needs a whole number, not %q", short(text))
	}
	return v, nil
}

// ParseFloat reads what Python's float() reads, but for nan: no option can use it.
func ParseFloat(text string) (float64, error) {
	number := pythonNumber(text)
	v, err := strconv.ParseFloat(number, 64)
	if errors.Is(err, strconv.ErrRange) {
		err = nil // 1e999 is inf, as in Python
	}
	if err != nil || math.IsNaN(v) || strings.ContainsAny(number, "xXpP_") {
		return 0, wrongForm(asNumber(text, false), "needs a number, not %q", short(text))
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

// FormatFloat writes a number as ParseFloat reads it.
func FormatFloat(v float64) string {
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
		seconds, numberErr := ParseFloat(text)
		if numberErr != nil || math.Abs(seconds) > math.MaxInt64/1e9 {
			return 0, wrongForm(asDuration(text), "needs a time span such as 90s, 2m or 1h30m, not %q", short(text))
		}
		d = time.Duration(seconds * float64(time.Second))
	}
	if d < 0 {
		return 0, fmt.Errorf("can't be negative, as %q is", short(text))
	}
	return d, nil
}

// FormatDuration writes 10m, not 10m0s.
func FormatDuration(d time.Duration) string {
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}

// ParseWords reads words between commas. Spaces around a word are dropped.
func ParseWords(text string) ([]string, error) {
	words := strings.Split(text, ",")
	for i, w := range words {
		words[i] = strings.TrimSpace(w)
		if words[i] == "" {
			return nil, fmt.Errorf("needs words between commas, not %q", short(text))
		}
	}
	return words, nil
}

// ParseNumbers reads numbers between commas.
func ParseNumbers(text string) ([]float64, error) {
	var numbers []float64
	for word := range strings.SplitSeq(text, ",") {
		v, err := ParseFloat(word)
		if err != nil {
			return nil, fmt.Errorf("needs numbers between commas, not %q", short(text))
		}
		numbers = append(numbers, v)
	}
	return numbers, nil
}

// ParseJSON reads JSON, or an object only, without the spaces in it.
func ParseJSON(text string, object bool) (json.RawMessage, error) {
	var b bytes.Buffer
	if err := json.Compact(&b, []byte(text)); err != nil {
		return nil, fmt.Errorf(`needs JSON, and %q is none (%v); quote it for the shell, as in '{"key": 1}'`, short(text), err)
	}
	if object && !bytes.HasPrefix(b.Bytes(), []byte("{")) {
		return nil, fmt.Errorf(`needs a JSON object such as {"key": 1}, not %s`, short(b.String()))
	}
	return b.Bytes(), nil
}

// parseBool reads true and false.
func parseBool(text string) (bool, error) {
	switch text {
	case "true":
		return true, nil
	case "false":
		return false, nil
	}
	return false, fmt.Errorf("needs true or false, not %q", short(text))
}

// short bounds what an error repeats of a value.
func short(text string) string {
	const most = 200
	if len(text) <= most {
		return text
	}
	return text[:most] + "…"
}
