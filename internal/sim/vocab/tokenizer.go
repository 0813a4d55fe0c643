package vocab

import (
	"fmt"
	"strings"
)

// WordTokenizer is the built-in vocabulary: ids 0 to 255 are the bytes, then
// come words. Encoding takes the longest token that fits, from left to right,
// so each text has one encoding and decoding gives the text back.
type WordTokenizer struct {
	Pieces []string // by id
	tree   []letter // of the tokens that are more than a byte; the first is their beginning
}

// letter is a place in the tree of all tokens: what has been read up to here is a token, or the beginning of some.
type letter struct {
	id   int32      // of the token that ends here; 0: none does
	next [256]int16 // where the next byte leads; 0: no token goes on with it
}

const byteTokens = 256

func NewWordTokenizer() *WordTokenizer {
	t := &WordTokenizer{tree: make([]letter, 1)}
	for b := range byteTokens {
		t.Pieces = append(t.Pieces, string([]byte{byte(b)}))
	}
	t.Pieces = append(t.Pieces, Words()...)
	t.Pieces = append(t.Pieces, strings.Fields(pairs)...)
	for id := byteTokens; id < len(t.Pieces); id++ {
		t.enter(t.Pieces[id], int32(id))
	}
	return t
}

func (t *WordTokenizer) enter(piece string, id int32) {
	at := int16(0)
	for i := range len(piece) {
		next := t.tree[at].next[piece[i]]
		if next == 0 {
			next = int16(len(t.tree))
			t.tree = append(t.tree, letter{})
			t.tree[at].next[piece[i]] = next
		}
		at = next
	}
	if t.tree[at].id == 0 { // of two with the same text the first counts
		t.tree[at].id = id
	}
}

func (t *WordTokenizer) Encode(text string) ([]int32, error) {
	ids := make([]int32, 0, len(text)/3+1)
	for from := 0; from < len(text); {
		id, end := int32(text[from]), from+1
		at := t.tree[0].next[text[from]]
		for i := from + 1; at != 0; i++ {
			if l := &t.tree[at]; l.id != 0 {
				id, end = l.id, i
			}
			if i == len(text) {
				break
			}
			at = t.tree[at].next[text[i]]
		}
		ids = append(ids, id)
		from = end
	}
	return ids, nil
}

func (t *WordTokenizer) Decode(ids []int32) (string, error) {
	var b strings.Builder
	for _, id := range ids {
		if id < 0 || int(id) >= len(t.Pieces) {
			return "", fmt.Errorf("token id %d is not in the vocabulary of %d", id, len(t.Pieces))
		}
		b.WriteString(t.Pieces[id])
	}
	return b.String(), nil
}

// plainWords are the words of the built-in vocabulary; each is a token with a
// space before it.
const plainWords = `the of and to a in is it that for was on are with as his they at be this from have or by
one had not but what all were when we there can an your which their said if do will each about how up out them
then she many some so these would other into has more her two like him see time could no make than first been its
who now people my made over did down only way find use may water long little very after words called just where
most know get through back much before go good new write our used me man too any day same right look think also
around another came come work three word must because does part even place well such here take why things help
put years different away again off went old number great tell men say small every found still between name should
home big give air line set own under read last never us left end along while might next sound below saw something
thought both few those always looked show large often together asked house world going want school important until
form food keep children feet land side without boy once animals life enough took sometimes four head above kind
began almost live page got earth need far hand high year mother light parts country father let night following
picture being study second eyes soon times story boys since white days ever paper hard near sentence better best
across during today others however sure means knew try told young miles sun ways thing whole hear example heard
several change answer room sea against top turned learn point city play toward five using himself usually
model server token latency queue batch stream cache memory request response measure number value second`

// spicyWords are what breaks careless readers: quotes, backslashes, letters of
// several bytes, a pair of surrogates in JSON, text that looks like SSE or JSON.
var spicyWords = []string{
	` "quoted"`, ` it's`, ` back\slash`, ` data:`, ` {"a":1}`, ` [DONE]`, ` <b>`, ` &amp;`,
	" naïve", " café", " straße", " Ελλάδα", " Москва", " שלום", " 東京", " 안녕", " 😀", " 👩‍🚀", " ∑", " é",
	"\n", "\t", ",", ".", ";", ":", "!", "?",
}

// pairs of letters shorten prompts that are not made of the words above. The
// generator does not use them.
const pairs = `th he in er an re on at en nd ti es or te of ed is it al ar st to nt ng se ha as ou io le ve co me de hi
ri ro ic ne ea ra ce li ch ll be ma si om ur Th He In An Re On At`

func Words() (words []string) {
	seen := map[string]bool{}
	add := func(w string) {
		if !seen[w] {
			seen[w] = true
			words = append(words, w)
		}
	}
	for w := range strings.FieldsSeq(plainWords) {
		add(" " + w)
	}
	for _, w := range spicyWords {
		add(w)
	}
	return words
}

// Tokenizer turns text into tokens and back. The built-in one needs no file.
type Tokenizer interface {
	Encode(text string) ([]int32, error)
	Decode(ids []int32) (string, error)
}
