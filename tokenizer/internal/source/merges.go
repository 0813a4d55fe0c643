package source

import (
	"errors"
	"math"
	"slices"

	"github.com/inferometer/inferometer/tokenizer/internal/spec"
)

// maxMerges bounds the pairs that a vocabulary can be made of: real ones have some three for each token.
const maxMerges = 1 << 24

var errMerges = errors.New("the vocabulary has too many ways to make its tokens")

// mergesByScore makes a model's merges of scores: any two tokens that are a third together merge, the highest score
// first. Tokens of one score have one rank, so that of two merges the one further left goes first.
func mergesByScore(m *spec.Model, scores []float64, takes func(id int) bool) error {
	order := make([]int32, 0, len(scores))
	for id := range scores {
		if math.IsNaN(scores[id]) {
			return errors.New("a score is no number")
		}
		if takes(id) {
			order = append(order, int32(id))
		}
	}
	slices.SortStableFunc(order, func(a, b int32) int {
		switch {
		case scores[a] > scores[b]:
			return -1
		case scores[a] < scores[b]:
			return 1
		}
		return 0
	})
	rank := int32(0)
	for i, id := range order {
		if i > 0 && scores[id] != scores[order[i-1]] {
			rank++
		}
		if err := addMerges(m, id, rank, takes); err != nil {
			return err
		}
	}
	return nil
}

// addMerges adds every pair that makes a token.
func addMerges(m *spec.Model, id, rank int32, takes func(id int) bool) error {
	name := m.Vocab.Names[id]
	for i := range name { // between runes
		if i == 0 {
			continue
		}
		left, ok := m.Vocab.IDs[name[:i]]
		if !ok || !takes(int(left)) {
			continue
		}
		right, ok := m.Vocab.IDs[name[i:]]
		if !ok || !takes(int(right)) {
			continue
		}
		if len(m.Merges) >= maxMerges {
			return errMerges
		}
		m.Merges = append(m.Merges, spec.Merge{Left: left, Right: right, ID: id, Rank: rank})
	}
	return nil
}
