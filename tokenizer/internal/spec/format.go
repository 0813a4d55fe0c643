package spec

// Format is a whole tokenizer: a tokenizer.json, or what another format means in its words.
type Format struct {
	AddedTokens   []AddedToken
	Normalizer    *Step
	PreTokenizer  *Step
	PostProcessor *Step
	Decoder       *Step
	Model         Model

	// What other formats than tokenizer.json say.
	Special []int32          // the special tokens, where the settings do not name them
	Decoded map[int32]string // what tokens read as, where that is not their name; "" is nothing at all
	Size    int              // of the vocabulary, where two tokens have one name
}

// Model is the vocabulary and how it is searched.
type Model struct {
	Type         string   `json:"type"` // BPE, Unigram, WordPiece or WordLevel
	UnkToken     *string  `json:"unk_token"`
	UnkID        *int32   `json:"unk_id"` // Unigram's
	ByteFallback bool     `json:"byte_fallback"`
	IgnoreMerges bool     `json:"ignore_merges"`
	FuseUnk      bool     `json:"fuse_unk"`
	Dropout      *float64 `json:"dropout"`
	Prefix       string   `json:"continuing_subword_prefix"`
	Suffix       string   `json:"end_of_word_suffix"`
	MaxChars     *int     `json:"max_input_chars_per_word"`

	Vocab  Vocabulary `json:"-"`
	Merges []Merge    `json:"-"` // BPE's
	Scores []float64  `json:"-"` // Unigram's, by id

	// SentencePiece's own way, where it differs from Hugging Face's.
	SentencePiece bool           `json:"-"` // scores are summed in 32 bits; a merge's rank may be another's
	Outside       map[int32]bool `json:"-"` // tokens that no text becomes: control, byte and unused pieces
	UserDefined   map[int32]bool `json:"-"` // tokens that are always taken whole
}

// Merge joins two tokens to a third. The lower rank goes first.
type Merge struct{ Left, Right, ID, Rank int32 }

// MaxID bounds the table of names, whatever a broken file says.
const MaxID = 1 << 22
