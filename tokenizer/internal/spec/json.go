package spec

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"
)

// ParseJSON reads a tokenizer.json.
func ParseJSON(data []byte) (*Format, error) {
	f, s := &Format{}, &scanner{data: data}
	hasModel := false
	s.object(func(key []byte) {
		switch string(key) {
		case "added_tokens":
			s.decode(&f.AddedTokens)
		case "normalizer":
			s.decode(&f.Normalizer)
		case "pre_tokenizer":
			s.decode(&f.PreTokenizer)
		case "post_processor":
			s.decode(&f.PostProcessor)
		case "decoder":
			s.decode(&f.Decoder)
		case "model":
			hasModel = true
			f.Model.read(s)
		default:
			s.raw()
		}
		if s.err != nil {
			s.err = fmt.Errorf("%s: %w", key, s.err)
		}
	})
	if s.err != nil {
		return nil, s.err
	}
	if !hasModel {
		return nil, errors.New("it has no model, so it is no tokenizer.json")
	}
	return f, f.checkAdded()
}

func (f *Format) checkAdded() error {
	for _, t := range f.AddedTokens {
		if t.ID < 0 || t.ID >= MaxID {
			return fmt.Errorf("added_tokens: %q has the impossible id %d", t.Content, t.ID)
		}
	}
	return nil
}

// read reads the model. Its vocabulary and merges are nearly all of the file, so they are taken
// straight into their tables; the few options around them go through encoding/json.
func (m *Model) read(s *scanner) {
	options := map[string]json.RawMessage{}
	var vocab, merges scanner
	s.object(func(key []byte) {
		switch string(key) {
		case "vocab":
			vocab = *s
			s.raw()
		case "merges":
			merges = *s
			s.raw()
		default:
			options[string(key)] = s.raw()
		}
	})
	if s.err == nil {
		s.err = m.readOptions(options, merges.data != nil)
	}
	switch {
	case s.err != nil:
	case m.Type == "Unigram":
		s.err = m.readScores(&vocab)
	default:
		s.err = m.Vocab.read(&vocab)
	}
	if s.err == nil && m.Type == "BPE" {
		s.err = m.readMerges(&merges)
	}
}

func (m *Model) readOptions(options map[string]json.RawMessage, merges bool) error {
	joined, err := json.Marshal(options)
	if err == nil {
		err = json.Unmarshal(joined, m)
	}
	if err != nil {
		return err
	}
	if m.Type == "" { // old files name no type
		if !merges {
			return Unsupported("model", "without a type and without merges")
		}
		m.Type = "BPE"
	}
	switch m.Type {
	case "BPE", "Unigram", "WordPiece", "WordLevel":
	default:
		return Unsupported("model", fmt.Sprintf("type %q", m.Type))
	}
	if m.Dropout != nil && *m.Dropout > 0 {
		return Unsupported("model", "option dropout")
	}
	return nil
}

// readScores reads a Unigram's vocabulary: pairs of a name and a score, in the order of their ids.
func (m *Model) readScores(s *scanner) error {
	var names []string
	var name []byte
	s.array(func() {
		s.take('[')
		name = s.text(name[:0])
		s.take(',')
		m.Scores = append(m.Scores, s.number())
		s.take(']')
		names = append(names, string(name))
		if len(names) >= MaxID {
			s.fail("too many tokens")
		}
	})
	if s.err != nil {
		return s.err
	}
	m.Vocab = NewVocabulary(names)
	if m.UnkID != nil && (*m.UnkID < 0 || int(*m.UnkID) >= len(names)) {
		return fmt.Errorf("unk_id %d is not in the vocabulary", *m.UnkID)
	}
	return nil
}

// readMerges takes both spellings: "left right", and ["left", "right"] in newer files.
func (m *Model) readMerges(s *scanner) error {
	var left, right []byte
	m.Merges = make([]Merge, 0, len(m.Vocab.IDs)+len(m.Vocab.IDs)/4) // about what real files have
	joiner := merger{model: m}
	s.array(func() {
		if s.peek() == '[' {
			n := 0
			s.array(func() {
				if n++; n == 1 {
					left = s.text(left[:0])
				} else {
					right = s.text(right[:0])
				}
			})
		} else {
			left = s.text(left[:0])
			space := max(0, bytes.IndexByte(left, ' '))
			right = append(right[:0], left[min(space+1, len(left)):]...)
			left = left[:space]
		}
		if s.err == nil {
			s.err = joiner.add(left, right)
		}
	})
	return s.err
}

// merger enters merges by their names.
type merger struct {
	model *Model
	guess int32
	both  []byte
}

func (j *merger) add(left, right []byte) error {
	m := j.model
	rank := int32(len(m.Merges))
	tail := right
	if m.Prefix != "" { // the prefix of the right one is not part of the token of both
		if len(right) < len(m.Prefix) || !utf8.Valid(right[len(m.Prefix):]) {
			return fmt.Errorf("merge %d (%q with %q) has no continuing_subword_prefix", rank, left, right)
		}
		tail = right[len(m.Prefix):]
	}
	j.both = append(append(j.both[:0], left...), tail...)
	l, ok1 := m.Vocab.IDs[string(left)]
	r, ok2 := m.Vocab.IDs[string(right)]
	// Vocabularies are mostly in the order of their merges, which saves most of the searches.
	id, ok3 := j.guess, int(j.guess) < len(m.Vocab.Names) && m.Vocab.Names[j.guess] == string(j.both)
	if !ok3 {
		id, ok3 = m.Vocab.IDs[string(j.both)]
	}
	if !ok1 || !ok2 || !ok3 {
		return fmt.Errorf("merge %d (%q with %q) names a token that the vocabulary does not have", rank, left, right)
	}
	m.Merges = append(m.Merges, Merge{Left: l, Right: r, ID: id, Rank: rank})
	j.guess = id + 1
	return nil
}

// SetMerges enters merges spelled "left right".
func (m *Model) SetMerges(merges []string) error {
	joiner := merger{model: m}
	m.Merges = make([]Merge, 0, len(merges))
	for _, both := range merges {
		space := max(0, bytes.IndexByte([]byte(both), ' '))
		if err := joiner.add([]byte(both[:space]), []byte(both[min(space+1, len(both)):])); err != nil {
			return err
		}
	}
	return nil
}
