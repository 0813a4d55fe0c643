package vocab

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// TestLongestToken: each token of a text is the longest that fits there, and all of them are the text.
func TestLongestToken(t *testing.T) {
	tok := NewWordTokenizer()
	rng := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		var b strings.Builder
		for range rng.IntN(40) {
			if piece := tok.Pieces[rng.IntN(len(tok.Pieces))]; rng.IntN(3) > 0 {
				b.WriteString(piece)
			} else {
				b.WriteString(piece[:1+rng.IntN(len(piece))]) // the beginning of a token, or a half letter
			}
		}
		text := b.String()
		ids, err := tok.Encode(text)
		if err != nil {
			t.Fatal(err)
		}
		var want []int32
		for rest := text; rest != ""; {
			best := int32(rest[0])
			for id, piece := range tok.Pieces {
				longer := len(piece) > len(tok.Pieces[best]) || id >= byteTokens && best < byteTokens // a word of one byte counts before the byte
				if longer && strings.HasPrefix(rest, piece) {
					best = int32(id)
				}
			}
			want = append(want, best)
			rest = rest[len(tok.Pieces[best]):]
		}
		if !slices.Equal(ids, want) {
			t.Fatalf("%q: %v, not %v", text, ids, want)
		}
		if back, err := tok.Decode(ids); err != nil || back != text {
			t.Fatalf("%q is decoded to %q, %v", text, back, err)
		}
	}
}
