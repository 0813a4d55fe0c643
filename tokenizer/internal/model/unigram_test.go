package model

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/inferometer/inferometer/tokenizer/internal/spec"
)

// SentencePiece counts from nought again where a sum is far from it: two ways that differ by less than 32 bits
// can tell there are told apart, also behind 1,000 tokens. Numbers as in its own test model.
func TestUnigramFarSums(t *testing.T) {
	names := []string{"<unk>", "a", "k", "ku", "ud", "d", "u"}
	ids := map[string]int32{}
	for id, name := range names {
		ids[name] = int32(id)
	}
	for far := range 40 {
		m := &spec.Model{SentencePiece: true, Vocab: spec.Vocabulary{Names: names, IDs: ids}, UnkID: new(int32(0)), Outside: map[int32]bool{0: true}}
		for _, score := range []float64{0, -100.02 - float64(far)/997, -5.418666362762451, -8.167335510253906, -7.255845546722412, -4.509671211242676, -20} {
			m.Scores = append(m.Scores, float64(float32(score)))
		}
		u, err := newUnigram(m, false)
		if err != nil {
			t.Fatal(err)
		}
		long := int(math.Ceil(farSum / -m.Scores[1]))
		got := u.Encode(NewWorker(), strings.Repeat("a", long)+"kud", nil)
		if tail := got[long:]; !slices.Equal(tail, []int32{2, 4}) {
			t.Errorf("after %d tokens of %v: %v, want k ud", long, m.Scores[1], tail)
		}
	}
}
