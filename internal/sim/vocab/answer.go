// Package vocab has the tokens of the simulated server: the built-in vocabulary, texts in tokens, and the answers that are made up of them.
package vocab

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/inferometer/inferometer/internal/sim/random"
)

// Piece is one token that the generator may choose.
type Piece struct {
	ID   int32
	Text string
	JSON []byte // text as it stands between quotes in JSON
}

// minPieces is how many words must be single tokens of a foreign vocabulary
// for the text to be more than a stutter.
const minPieces = 16

// NewPieces are the built-in words that are one token in the vocabulary, so
// that "one token" is the same to the sim and to its tokenizer.
func NewPieces(t Tokenizer) ([]Piece, error) {
	var pieces []Piece
	for _, w := range Words() {
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
		pieces = append(pieces, Piece{ID: ids[0], Text: w, JSON: JSONText(w)})
	}
	if len(pieces) < minPieces {
		return nil, fmt.Errorf("sim: only %d of the sim's words are single tokens of this tokenizer, at least %d are needed; leave the tokenizer out to use the built-in one", len(pieces), minPieces)
	}
	return pieces, nil
}

// Answer is the text of one request: token i is a function of the key and i, so
// nothing is stored and the same prompt always gets the same answer. Where an answer key
// says what the text is, its tokens stand in front of these.
type Answer struct {
	Pieces []Piece
	Key    uint64
	Told   []Piece
	// Thinking is how many of Told come as reasoning, where the framing has any.
	Thinking int
}

func (a Answer) Piece(i int) *Piece {
	if i < len(a.Told) {
		return &a.Told[i]
	}
	return &a.Pieces[random.Mix(a.Key, uint64(i))%uint64(len(a.Pieces))]
}

// Token implements engine.Answer.
func (a Answer) Token(i int) int32 { return a.Piece(i).ID }

// Text is tokens from up to to.
func (a Answer) Text(from, to int) string {
	var b strings.Builder
	for i := from; i < to; i++ {
		b.WriteString(a.Piece(i).Text)
	}
	return b.String()
}

// AppendJSON adds the text of tokens from up to to as it stands between quotes in JSON.
func (a Answer) AppendJSON(b []byte, from, to int) []byte {
	for i := from; i < to; i++ {
		b = append(b, a.Piece(i).JSON...)
	}
	return b
}

func (a Answer) IDs(from, to int) []int32 {
	ids := make([]int32, 0, max(to-from, 0))
	for i := from; i < to; i++ {
		ids = append(ids, a.Piece(i).ID)
	}
	return ids
}

// Logprob is made up, but stable: between −3 and 0.
func (a Answer) Logprob(i int) float64 {
	return -3 * random.Unit(random.Mix(a.Key^random.SaltCoin, uint64(i)))
}

// JSONText is s inside JSON quotes. Letters stay raw UTF-8: an event cut inside
// a letter is one of the framings.
func JSONText(s string) []byte {
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

// Spell is a text in tokens. A token that ends inside a letter has no text; the letter comes
// with the token that completes it, as servers do. A tokenizer that does not give the text
// back gets it whole with its first token.
func Spell(t Tokenizer, text string) ([]Piece, error) {
	ids, err := t.Encode(text)
	if err != nil {
		return nil, err
	}
	if len(ids) == 0 {
		return nil, fmt.Errorf("the text %.80q has no tokens", text)
	}
	ends, err := tokenEnds(t, ids, text)
	if err != nil {
		return nil, err
	}
	pieces := make([]Piece, len(ids))
	from := 0
	for i, id := range ids {
		to := ends[i]
		for to > from && to < len(text) && !utf8.RuneStart(text[to]) {
			to--
		}
		to = max(to, from)
		pieces[i] = Piece{ID: id, Text: text[from:to], JSON: JSONText(text[from:to])}
		from = to
	}
	return pieces, nil
}

// tokenEnds is where in the text each token ends.
func tokenEnds(t Tokenizer, ids []int32, text string) ([]int, error) {
	ends := make([]int, len(ids))
	var joined strings.Builder
	for i := range ids { // most tokenizers: a text is its tokens' texts in a row
		one, err := t.Decode(ids[i : i+1])
		if err != nil {
			return nil, err
		}
		joined.WriteString(one)
		ends[i] = joined.Len()
	}
	if joined.String() == text {
		return ends, nil
	}
	end := 0
	for i := range ids { // a token that has half a letter, or whose space depends on its place
		now, err := t.Decode(ids[:i+1])
		if err != nil {
			return nil, err
		}
		if strings.HasPrefix(text, now) {
			end = max(end, len(now))
		}
		ends[i] = end
	}
	if end != len(text) {
		for i := range ends {
			ends[i] = len(text)
		}
	}
	return ends, nil
}
