// Package spec is what a tokenizer is, as data: its vocabulary and the parts of its pipeline, in the words of
// Hugging Face's tokenizer.json. Every other format is read into the same.
package spec

import "encoding/json"

// Step is a part of the pipeline: the format gives each a type and puts its options beside it.
type Step struct {
	Type             string          `json:"type"`
	Normalizers      []Step          `json:"normalizers"`
	Pretokenizers    []Step          `json:"pretokenizers"`
	Decoders         []Step          `json:"decoders"`
	Processors       []Step          `json:"processors"`
	Pattern          Pattern         `json:"pattern"`
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
	Length           int             `json:"length"`
	Delimiter        string          `json:"delimiter"`
	Prefix           string          `json:"prefix"`
	Suffix           string          `json:"suffix"`
	Cleanup          *bool           `json:"cleanup"`
	PadToken         string          `json:"pad_token"`
	WordDelimiter    string          `json:"word_delimiter_token"`
	Single           []TemplatePart  `json:"single"`
	SpecialTokens    map[string]struct {
		IDs []int32 `json:"ids"`
	} `json:"special_tokens"`
	Sep json.RawMessage `json:"sep"` // ["[SEP]", 102]
	Cls json.RawMessage `json:"cls"`

	StripLeft     bool   `json:"strip_left"`
	StripRight    bool   `json:"strip_right"`
	CleanText     *bool  `json:"clean_text"`
	HandleChinese *bool  `json:"handle_chinese_chars"`
	StripAccents  *bool  `json:"strip_accents"`
	Lowercase     *bool  `json:"lowercase"`
	Charsmap      []byte `json:"precompiled_charsmap"` // base64

	// UserDefined are pieces that SentencePiece's normalizer leaves as they are.
	UserDefined []string `json:"-"`
	// Of SentencePiece's normalizer, which no tokenizer.json has.
	DummyPrefix, ExtraSpaces, EscapeSpaces bool `json:"-"`
}

// Pattern is one of the two.
type Pattern struct{ Regex, String string }

// TemplatePart is one of the two.
type TemplatePart struct {
	SpecialToken *struct{ ID string }
	Sequence     *struct{ ID string }
}

// Flatten makes the parts of a sequence, which may hold sequences.
func Flatten[T any](steps []Step, build func(*Step) ([]T, error)) ([]T, error) {
	var all []T
	for i := range steps {
		parts, err := build(&steps[i])
		if err != nil {
			return nil, err
		}
		all = append(all, parts...)
	}
	return all, nil
}

// Or is an option that may be absent.
func Or(option *bool, otherwise bool) bool {
	if option == nil {
		return otherwise
	}
	return *option
}

// AddedToken is a token that is found in the text before anything else is done to it.
type AddedToken struct {
	ID         int32  `json:"id"`
	Content    string `json:"content"`
	SingleWord bool   `json:"single_word"` // not inside a word
	Lstrip     bool   `json:"lstrip"`      // takes the white space before it
	Rstrip     bool   `json:"rstrip"`      // and after it
	Normalized bool   `json:"normalized"`  // is looked for in the normalized text
	Special    bool   `json:"special"`

	// Escaped is matched in the normalized text as it stands here: its spaces are marked already.
	Escaped bool `json:"-"`
}
