// Package model holds the models: each turns a piece of text into tokens.
package model

import (
	"errors"

	"github.com/inferometer/inferometer/tokenizer/internal/spec"
	"github.com/inferometer/inferometer/tokenizer/internal/split"
)

// Model turns pieces into tokens.
type Model interface {
	// Encode appends the tokens of a piece.
	Encode(w *Worker, piece string, dst []int32) []int32
}

// New builds the model. byteLevel says that its names spell bytes and the pieces do not.
func New(m *spec.Model, byteLevel bool) (Model, error) {
	switch m.Type {
	case "BPE":
		return newBPE(m, byteLevel), nil
	case "Unigram":
		return newUnigram(m, byteLevel)
	case "WordPiece":
		return newWordPiece(m, byteLevel), nil
	case "WordLevel":
		return newWordLevel(m, byteLevel), nil
	}
	return nil, spec.Unsupported("model", "type "+m.Type)
}

// Cuts is a step that makes large pieces small without changing their tokens, or nil. Models with marks for spaces
// do not split text at all, so that a whole document would be one piece.
func Cuts(m *spec.Model, byteLevel bool) split.Splitter {
	if m.Type != "BPE" || byteLevel || m.IgnoreMerges || m.Prefix != "" || m.Suffix != "" || m.Vocab.ID(spaceMark) < 0 {
		return nil
	}
	var joins MarkJoins
	for _, merge := range m.Merges {
		joins.note(m.Vocab.Names[merge.ID])
	}
	for id := range m.UserDefined {
		joins.note(m.Vocab.Names[id])
	}
	return joins.Split
}

var errNoUnknown = errors.New("the model has no token for what it does not know")

// unknownID is the token of that name, or -1.
func unknownID(m *spec.Model) int32 {
	if m.UnkToken == nil {
		return -1
	}
	return m.Vocab.ID(*m.UnkToken)
}
