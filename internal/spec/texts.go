package spec

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/inferometer/inferometer/internal/outside"
)

// What is written as several texts in a flag: each of these reads its texts and gives them back.

// HeaderLines are those of each request's head.
type HeaderLines []Header

// SetTexts reads NAME=VALUE.
func (h *HeaderLines) SetTexts(texts []string) error {
	pairs, err := parsePairs(texts)
	*h = nil
	for _, p := range pairs {
		*h = append(*h, Header{p.Key, Value{Text: p.Value}})
	}
	return err
}

// Texts has those whose values are known.
func (h *HeaderLines) Texts() (texts []string) {
	for _, line := range *h {
		if line.Value.Env == "" {
			texts = append(texts, line.Name+"="+line.Value.Text)
		}
	}
	return texts
}

// Pair is one key of a result's metadata.
type Pair struct {
	Key   string `json:"key"`
	Value string `json:"value"`
}

// Pairs are the keys of a result's metadata in their order.
type Pairs []Pair

// SetTexts reads KEY=VALUE.
func (p *Pairs) SetTexts(texts []string) (err error) {
	*p, err = parsePairs(texts)
	return err
}

// Texts is what SetTexts reads.
func (p *Pairs) Texts() (texts []string) {
	for _, pair := range *p {
		texts = append(texts, pair.Key+"="+pair.Value)
	}
	return texts
}

func parsePairs(texts []string) (pairs []Pair, err error) {
	for _, text := range texts {
		key, value, ok := strings.Cut(text, "=")
		if key = strings.TrimSpace(key); !ok || key == "" {
			return nil, fmt.Errorf("needs KEY=VALUE, not %q", outside.Word(text))
		}
		pairs = append(pairs, Pair{key, strings.TrimSpace(value)})
	}
	return pairs, nil
}

// Limits are those of a good request in ms, by metric.
type Limits map[string]float64

// SetTexts reads ttft:200 or ttft<=200ms.
func (l *Limits) SetTexts(texts []string) (err error) {
	clauses := make([]string, len(texts))
	for i, text := range texts {
		name, limit, _ := strings.Cut(text, ":")
		if clauses[i] = strings.TrimSpace(name); limit != "" {
			clauses[i] += ":" + strings.TrimSpace(limit)
		}
	}
	*l, err = parseLimits(clauses)
	return err
}

// Texts is what SetTexts reads.
func (l *Limits) Texts() (texts []string) {
	for _, name := range slices.Sorted(maps.Keys(*l)) {
		texts = append(texts, name+":"+strconv.FormatFloat((*l)[name], 'f', -1, 64))
	}
	return texts
}

// Labels are those that an agent must have.
type Labels map[string]string

// SetTexts reads KEY=VALUE.
func (l *Labels) SetTexts(texts []string) error {
	pairs, err := parsePairs(texts)
	if err != nil {
		return errors.New(strings.Replace(err.Error(), "KEY=VALUE", "KEY=VALUE, as in region=eu", 1))
	}
	*l = Labels{}
	for _, p := range pairs {
		(*l)[p.Key] = p.Value
	}
	return nil
}

// Texts is what SetTexts reads.
func (l *Labels) Texts() (texts []string) {
	for _, key := range slices.Sorted(maps.Keys(*l)) {
		texts = append(texts, key+"="+(*l)[key])
	}
	return texts
}
