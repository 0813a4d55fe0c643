package tokenizer

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// step is a part of the pipeline: the format gives each a type and puts its options beside it.
type step struct {
	Type             string          `json:"type"`
	Normalizers      []step          `json:"normalizers"`
	Pretokenizers    []step          `json:"pretokenizers"`
	Decoders         []step          `json:"decoders"`
	Processors       []step          `json:"processors"`
	Pattern          pattern         `json:"pattern"`
	Behavior         string          `json:"behavior"`
	Invert           bool            `json:"invert"`
	AddPrefixSpace   *bool           `json:"add_prefix_space"`
	UseRegex         *bool           `json:"use_regex"`
	IndividualDigits bool            `json:"individual_digits"`
	Content          json.RawMessage `json:"content"`
	Prepend          string          `json:"prepend"`
	Replacement      string          `json:"replacement"`
	PrependScheme    string          `json:"prepend_scheme"`
	Split            *bool           `json:"split"`
	Start            int             `json:"start"`
	Stop             int             `json:"stop"`
	Single           []templatePart  `json:"single"`
	SpecialTokens    map[string]struct {
		IDs []int32 `json:"ids"`
	} `json:"special_tokens"`
}

type pattern struct{ Regex, String string }

// templatePart is one of the two.
type templatePart struct {
	SpecialToken *struct{ ID string }
	Sequence     *struct{ ID string }
}

// flatten makes the parts of a sequence, which may hold sequences.
func flatten[T any](steps []step, make func(*step) ([]T, error)) ([]T, error) {
	var all []T
	for i := range steps {
		parts, err := make(&steps[i])
		if err != nil {
			return nil, err
		}
		all = append(all, parts...)
	}
	return all, nil
}

// format is a tokenizer.json.
type format struct {
	addedTokens   []addedToken
	normalizer    *step
	preTokenizer  *step
	postProcessor *step
	decoder       *step
	model         modelFormat
}

type modelFormat struct {
	Type         string   `json:"type"`
	UnkToken     *string  `json:"unk_token"`
	ByteFallback bool     `json:"byte_fallback"`
	IgnoreMerges bool     `json:"ignore_merges"`
	FuseUnk      bool     `json:"fuse_unk"`
	Dropout      *float64 `json:"dropout"`
	Prefix       string   `json:"continuing_subword_prefix"`
	Suffix       string   `json:"end_of_word_suffix"`

	vocab  vocabulary
	merges pairMap
	joins  markJoins
}

// maxID bounds the table of names, whatever a broken file says.
const maxID = 1 << 22

// parse reads a tokenizer.json.
func parse(data []byte) (*format, error) {
	f, s := &format{}, &scanner{data: data}
	hasModel := false
	s.object(func(key []byte) {
		switch string(key) {
		case "added_tokens":
			s.decode(&f.addedTokens)
		case "normalizer":
			s.decode(&f.normalizer)
		case "pre_tokenizer":
			s.decode(&f.preTokenizer)
		case "post_processor":
			s.decode(&f.postProcessor)
		case "decoder":
			s.decode(&f.decoder)
		case "model":
			hasModel = true
			f.model.read(s)
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
	for _, t := range f.addedTokens {
		if t.ID < 0 || t.ID >= maxID {
			return nil, fmt.Errorf("added_tokens: %q has the impossible id %d", t.Content, t.ID)
		}
	}
	return f, nil
}

// read reads the model. Its vocabulary and merges are nearly all of the file, so they are taken
// straight into their tables; the few options around them go through encoding/json.
func (m *modelFormat) read(s *scanner) {
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
		s.err = m.readOptions(options)
	}
	if s.err == nil {
		s.err = m.vocab.read(&vocab)
	}
	if s.err == nil {
		s.err = m.readMerges(&merges)
	}
}

func (m *modelFormat) readOptions(options map[string]json.RawMessage) error {
	joined, err := json.Marshal(options)
	if err == nil {
		err = json.Unmarshal(joined, m)
	}
	switch {
	case err != nil:
		return err
	case m.Type != "BPE" && m.Type != "": // old files name no type
		return unsupported("model", fmt.Sprintf("type %q", m.Type))
	case m.Dropout != nil && *m.Dropout > 0:
		return unsupported("model", "option dropout")
	case m.Prefix != "":
		return unsupported("model", "option continuing_subword_prefix")
	case m.Suffix != "":
		return unsupported("model", "option end_of_word_suffix")
	}
	return nil
}

// readMerges takes both spellings: "left right", and ["left", "right"] in newer files.
func (m *modelFormat) readMerges(s *scanner) error {
	var left, right, both []byte
	rank, guess := int32(0), int32(0)
	m.merges = newPairMap(2 * len(m.vocab.ids)) // about what real files have
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
			both = append(append(both[:0], left...), right...)
		} else {
			both = s.text(both[:0])
			space := max(0, bytes.IndexByte(both, ' '))
			left, right = append(left[:0], both[:space]...), append(right[:0], both[min(space+1, len(both)):]...)
			both = append(both[:space], right...)
		}
		if s.err != nil {
			return
		}
		l, ok1 := m.vocab.ids[string(left)]
		r, ok2 := m.vocab.ids[string(right)]
		// Vocabularies are mostly in the order of their merges, which saves most of the searches.
		id, ok3 := guess, int(guess) < len(m.vocab.names) && m.vocab.names[guess] == string(both)
		if !ok3 {
			id, ok3 = m.vocab.ids[string(both)]
		}
		if !ok1 || !ok2 || !ok3 {
			s.err = fmt.Errorf("merge %d (%q with %q) names a token that the vocabulary does not have", rank, left, right)
			return
		}
		m.merges.put(l, r, merge{rank, id})
		m.joins.note(both)
		rank++
		guess = id + 1
	})
	return s.err
}
