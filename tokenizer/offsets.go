package tokenizer

import (
	"errors"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/inferometer/inferometer/tokenizer/internal/bytelevel"
	"github.com/inferometer/inferometer/tokenizer/internal/decode"
	"github.com/inferometer/inferometer/tokenizer/internal/spec"
)

// Offset is where a token stands in a text: text[Start:End], in bytes.
type Offset struct{ Start, End int }

// ErrNoOffsets is wrapped by the errors of [Tokenizer.EncodeOffsets] for a text whose tokens are not made of its own
// bytes: a normalizer has changed it, or a token stands for what the model does not know.
var ErrNoOffsets = errors.New("its tokens are not parts of the text as it was given")

// EncodeOffsets is [Tokenizer.Encode] with the place of each token in the text. A space before a word belongs to the
// token that holds it; a token that is a part of a character has the bytes that it stands for; spaces that the
// pre-tokenizer drops belong to none, and a space that it adds has no length.
//
// Offsets are exact or an error: where a normalizer such as BERT's, or NFKC, changes the text, they are refused.
func (t *Tokenizer) EncodeOffsets(text string) (ids []int32, offsets []Offset, err error) {
	if ids, err = t.Encode(text); err != nil {
		return nil, nil, err
	}
	offsets = make([]Offset, len(ids))
	at := 0
	for i, id := range ids {
		o, found := find(text, at, t.spelled(id))
		if !found {
			return nil, nil, ErrNoOffsets
		}
		offsets[i], at = o, o.End
	}
	if strings.TrimFunc(text[at:], unicode.IsSpace) != "" {
		return nil, nil, ErrNoOffsets
	}
	return ids, offsets, nil
}

// find looks for a token's bytes at a place in a text: there, or behind spaces. The space that it begins with may
// be one that is not in the text.
func find(text string, at int, token string) (Offset, bool) {
	for start := at; ; {
		if strings.HasPrefix(text[start:], token) {
			return Offset{start, start + len(token)}, true
		}
		r, n := utf8.DecodeRuneInString(text[start:])
		if n == 0 || !unicode.IsSpace(r) {
			break
		}
		start += n
	}
	if rest, cut := strings.CutPrefix(token, " "); cut && (at == 0 || rest != "") {
		return find(text, at, rest)
	}
	return Offset{}, false
}

// spelled is the bytes that a token stands for.
func (t *Tokenizer) spelled(id int32) string {
	name := t.names[id]
	if _, added := t.added[name]; added {
		return name
	}
	switch {
	case t.spelling.Bytes:
		return string(bytelevel.AppendBytes(nil, name))
	case t.spelling.Fallback:
		if b, is := decode.FallbackByte(name); is {
			return string([]byte{b})
		}
	}
	name = strings.TrimSuffix(strings.TrimPrefix(name, t.spelling.Prefix), t.spelling.Suffix)
	if t.spelling.Mark != "" {
		name = strings.ReplaceAll(name, t.spelling.Mark, " ")
	}
	return name
}

// spelling is how the names of a vocabulary stand for bytes.
type spelling struct {
	Bytes          bool   // in the alphabet of bytes
	Fallback       bool   // names such as <0x0A> are bytes
	Mark           string // that stands for a space; empty: none
	Prefix, Suffix string // of parts of words
}

// read takes it from the decoder, which knows how to make text of names.
func (s *spelling) read(d *spec.Step) {
	if d == nil {
		return
	}
	switch d.Type {
	case "Sequence":
		for i := range d.Decoders {
			s.read(&d.Decoders[i])
		}
	case "ByteLevel":
		s.Bytes = true
	case "ByteFallback":
		s.Fallback = true
	case "Metaspace":
		s.Mark = d.Replacement
	case "Replace":
		if string(d.Content) == `" "` {
			s.Mark = d.Pattern.String
		}
	case "SentencePiece":
		s.Fallback, s.Mark = true, "▁"
	case "WordPiece":
		s.Prefix = d.Prefix
	case "BPEDecoder":
		s.Suffix = d.Suffix
	}
}
