package source

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"unicode/utf8"

	"github.com/inferometer/inferometer/tokenizer/internal/spec"
)

// piece is a token of a SentencePiece model.
type piece struct {
	name  string
	score float64
	kind  int64
}

// sentencePiece is the part of a ModelProto that encoding needs.
type sentencePiece struct {
	pieces       []piece
	modelType    int64
	byteFallback bool
	suffixSpaces bool // marks end words: no model is known that has it
	unknownText  string
	unk          int32
	bos, eos     int32
	pad          int32
	normalizer   spec.Step
}

var errProto = errors.New("the file is no SentencePiece model")

// fields calls f for each field of a protobuf message: number is that of varints, data that of texts and messages.
func fields(message []byte, f func(field int, number uint64, data []byte) error) error {
	for len(message) > 0 {
		tag, n := binary.Uvarint(message)
		if n <= 0 || tag>>3 == 0 || tag>>3 > 1<<29 {
			return errProto
		}
		message = message[n:]
		var (
			number uint64
			data   []byte
		)
		switch tag & 7 {
		case 0:
			if number, n = binary.Uvarint(message); n <= 0 {
				return errProto
			}
		case 1, 5:
			n = 8
			if tag&7 == 5 {
				n = 4
			}
			if len(message) < n {
				return errProto
			}
			data = message[:n]
		case 2:
			size, k := binary.Uvarint(message)
			if k <= 0 || size > uint64(len(message)-k) {
				return errProto
			}
			data, n = message[k:k+int(size)], k+int(size)
		default:
			return errProto
		}
		message = message[n:]
		if err := f(int(tag>>3), number, data); err != nil {
			return err
		}
	}
	return nil
}

// SentencePiece reads a .model, and encodes as SentencePiece's own library does: a control token such as <s> is not
// found in a text, a user-defined one is.
func SentencePiece(data []byte) (*Tokenizer, error) {
	s := sentencePiece{unk: 0, bos: 1, eos: 2, pad: -1, modelType: 1, unknownText: " ⁇ "}
	s.normalizer = spec.Step{Type: "SentencePiece", DummyPrefix: true, EscapeSpaces: true}
	err := fields(data, func(field int, _ uint64, data []byte) error {
		switch field {
		case 1:
			return s.readPiece(data)
		case 2:
			return s.readTrainer(data)
		case 3:
			return s.readNormalizer(data)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(s.pieces) == 0 {
		return nil, errProto
	}
	return s.tokenizer()
}

func (s *sentencePiece) readPiece(data []byte) error {
	p := piece{kind: kindNormal}
	err := fields(data, func(field int, number uint64, data []byte) error {
		switch field {
		case 1:
			p.name = string(data)
		case 2:
			if len(data) != 4 {
				return errProto
			}
			p.score = float64(math.Float32frombits(binary.LittleEndian.Uint32(data)))
		case 3:
			p.kind = int64(number)
		}
		return nil
	})
	if err == nil && (p.name == "" || !utf8.ValidString(p.name) || len(s.pieces) >= spec.MaxID || math.IsNaN(p.score)) {
		err = errProto
	}
	s.pieces = append(s.pieces, p)
	return err
}

func (s *sentencePiece) readTrainer(data []byte) error {
	return fields(data, func(field int, number uint64, data []byte) error {
		id := int32(number)
		switch field {
		case 3:
			s.modelType = int64(number)
		case 24:
			s.suffixSpaces = number != 0
		case 35:
			s.byteFallback = number != 0
		case 40:
			s.unk = id
		case 41:
			s.bos = id
		case 42:
			s.eos = id
		case 43:
			s.pad = id
		case 44:
			s.unknownText = string(data)
		}
		return nil
	})
}

func (s *sentencePiece) readNormalizer(data []byte) error {
	return fields(data, func(field int, number uint64, data []byte) error {
		switch field {
		case 2:
			s.normalizer.Charsmap = data
		case 3:
			s.normalizer.DummyPrefix = number != 0
		case 4:
			s.normalizer.ExtraSpaces = number == 0
		case 5:
			s.normalizer.EscapeSpaces = number != 0
		}
		return nil
	})
}

func (s *sentencePiece) name(id int32) string {
	if id < 0 || int(id) >= len(s.pieces) {
		return ""
	}
	return s.pieces[id].name
}

func (s *sentencePiece) tokenizer() (*Tokenizer, error) {
	names := make([]string, len(s.pieces))
	scores := make([]float64, len(s.pieces))
	m := spec.Model{SentencePiece: true, ByteFallback: s.byteFallback, FuseUnk: true, Outside: map[int32]bool{}, UserDefined: map[int32]bool{}}
	t := &Tokenizer{}
	f := &t.Format
	f.Decoded = map[int32]string{}
	for i, p := range s.pieces {
		id := int32(i)
		names[i], scores[i] = p.name, p.score
		switch p.kind {
		case kindNormal:
			continue
		case kindUserDefined:
			m.UserDefined[id] = true
			s.normalizer.UserDefined = append(s.normalizer.UserDefined, p.name)
			continue
		case kindControl:
			f.Decoded[id] = ""
			f.Special = append(f.Special, id)
		case kindUnknown:
			s.unk, f.Decoded[id] = id, s.unknownText
			f.Special = append(f.Special, id)
		case kindUnused, kindByte:
		default:
			return nil, spec.Unsupported("piece", fmt.Sprintf("of type %d", p.kind))
		}
		m.Outside[id] = true
	}
	if s.name(s.unk) == "" || s.pieces[s.unk].kind != kindUnknown {
		return nil, errors.New("the SentencePiece model has no unknown piece")
	}
	m.Vocab, m.Scores, m.UnkID = spec.NewVocabulary(names), scores, &s.unk
	if len(m.Vocab.IDs) != len(names) {
		return nil, errors.New("the SentencePiece model has one piece twice")
	}
	if err := s.setModel(&m, f, scores); err != nil {
		return nil, err
	}
	f.Normalizer = &s.normalizer
	f.Decoder = &spec.Step{Type: "SentencePiece", DummyPrefix: s.normalizer.DummyPrefix, ExtraSpaces: s.normalizer.ExtraSpaces}
	f.PostProcessor = template(when(s.name(s.bos) != "", s.bos), -1, s.name)
	for id, token := range map[int32]*spec.TokenText{s.unk: &t.Settings.Unknown, s.bos: &t.Settings.BOS, s.eos: &t.Settings.EOS, s.pad: &t.Settings.Padding} {
		*token = spec.TokenText(s.name(id))
	}
	f.Model = m
	return t, nil
}

// setModel chooses the search: 1 is Unigram, 2 is BPE.
func (s *sentencePiece) setModel(m *spec.Model, f *spec.Format, scores []float64) error {
	if s.suffixSpaces {
		return spec.Unsupported("SentencePiece", "option treat_whitespace_as_suffix")
	}
	switch s.modelType {
	case 1:
		m.Type = "Unigram"
		return nil
	case 2:
		m.Type = "BPE"
	default:
		return spec.Unsupported("SentencePiece", fmt.Sprintf("model type %d", s.modelType))
	}
	name := s.name(s.unk)
	m.UnkToken = &name
	for i, p := range s.pieces {
		switch p.kind {
		case kindUserDefined:
			f.AddedTokens = append(f.AddedTokens, spec.AddedToken{ID: int32(i), Content: p.name, Escaped: true})
		case kindUnused:
			return spec.Unsupported("SentencePiece", "BPE with unused pieces")
		}
	}
	return mergesByScore(m, scores, func(id int) bool { return s.pieces[id].kind == kindNormal })
}
