package sim

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/inferometer/inferometer/internal/sim/random"
)

// piece is one token that the generator may choose.
type piece struct {
	id   int32
	text string
	json []byte // text as it stands between quotes in JSON
}

// leastPieces is how many words must be single tokens of a foreign vocabulary
// for the text to be more than a stutter.
const leastPieces = 16

// newPieces are the built-in words that are one token in the vocabulary, so
// that "one token" is the same to the sim and to its tokenizer.
func newPieces(t Tokenizer) ([]piece, error) {
	var pieces []piece
	for _, w := range builtinWords() {
		ids, err := t.Encode(w)
		if err != nil {
			return nil, fmt.Errorf("sim: tokenizer: %w", err)
		}
		if len(ids) != 1 {
			continue
		}
		if back, err := t.Decode(ids); err != nil || back != w {
			continue
		}
		pieces = append(pieces, piece{id: ids[0], text: w, json: jsonText(w)})
	}
	if len(pieces) < leastPieces {
		return nil, fmt.Errorf("sim: only %d of the sim's words are single tokens of this tokenizer, at least %d are needed; leave the tokenizer out to use the built-in one", len(pieces), leastPieces)
	}
	return pieces, nil
}

// answer is the text of one request: token i is a function of the key and i, so
// nothing is stored and the same prompt always gets the same answer. Where an answer key
// says what the text is, its tokens stand in front of these.
type answer struct {
	pieces []piece
	key    uint64
	told   []piece
	// thinking is how many of told come as reasoning, where the framing has any.
	thinking int
}

func (a answer) piece(i int) *piece {
	if i < len(a.told) {
		return &a.told[i]
	}
	return &a.pieces[random.Mix(a.key, uint64(i))%uint64(len(a.pieces))]
}

// Token implements engine.Answer.
func (a answer) Token(i int) int32 { return a.piece(i).id }

// text is tokens from up to to.
func (a answer) text(from, to int) string {
	var b strings.Builder
	for i := from; i < to; i++ {
		b.WriteString(a.piece(i).text)
	}
	return b.String()
}

func (a answer) ids(from, to int) []int32 {
	ids := make([]int32, 0, max(to-from, 0))
	for i := from; i < to; i++ {
		ids = append(ids, a.piece(i).id)
	}
	return ids
}

// logprob is made up, but stable: between −3 and 0.
func (a answer) logprob(i int) float64 {
	return -3 * random.Unit(random.Mix(a.key^random.SaltCoin, uint64(i)))
}

// jsonText is s inside JSON quotes. Letters stay raw UTF-8: an event cut inside
// a letter is one of the framings.
func jsonText(s string) []byte {
	if !utf8.ValidString(s) {
		s = strings.ToValidUTF8(s, "\uFFFD")
	}
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // a string always encodes
	out := strings.TrimSuffix(b.String(), "\n")
	return []byte(out[1 : len(out)-1])
}
