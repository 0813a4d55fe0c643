// Package tokenizer turns text into the token ids of a language model and back, and conversations into
// the text that the model's chat template makes of them.
//
// It reads a model's tokenizer.json and follows Hugging Face's tokenizers id for id, in Go alone: no cgo,
// no Python, no network. It also reads SentencePiece's .model, Mistral's tekken.json, tiktoken's ranks and the
// tokenizer inside a GGUF, and follows what reads them elsewhere. [Load] reads a file or a model's folder, [LoadFS]
// one of a file system, [Parse] bytes; the methods of [Tokenizer] run the pipeline:
//
//	text ─▶ added tokens ─▶ normalizer ─▶ pre-tokenizer ─▶ model ─▶ ids    (Encode, AppendEncode, Count, EncodeOffsets)
//	ids ─▶ token names ─▶ decoder ─▶ text                                  (Decode)
//	messages ─▶ chat template ─▶ text                                      (ApplyChatTemplate)
//
// A tokenizer that is nearly right gives token counts that are silently wrong. So a file with a part that
// this package does not implement is refused when it is loaded, with an error that names the part and
// wraps [ErrUnsupported].
//
// Files are untrusted input: the time and memory that a pattern, a normalizer or a template may take are
// bounded.
package tokenizer

import (
	"sync"

	"github.com/inferometer/inferometer/tokenizer/internal/decode"
	"github.com/inferometer/inferometer/tokenizer/internal/model"
	"github.com/inferometer/inferometer/tokenizer/internal/normal"
	"github.com/inferometer/inferometer/tokenizer/internal/spec"
	"github.com/inferometer/inferometer/tokenizer/internal/split"
	"github.com/inferometer/inferometer/tokenizer/jinja"
)

// The settings beside a tokenizer, as transformers reads them.
type (
	settings  = spec.Settings
	tokenText = spec.TokenText
)

// A Tokenizer is what a file describes: a vocabulary and the pipeline around it. Its methods may
// be called by several goroutines at once.
type Tokenizer struct {
	vocab      spec.Vocabulary
	model      model.Model
	normalize  []normal.Normalizer
	split      *split.Pretokenizer
	raw        addedSet // added tokens that are matched in the text as given
	normalized addedSet // added tokens that are matched in the normalized text
	decoders   []decode.Decoder
	spelling   spelling
	names      []string // by id, including added tokens
	added      map[string]int32
	special    []int32
	marked     []int32  // added tokens marked as special
	settings   settings // from the files beside tokenizer.json
	template   []int32  // what EncodeWithSpecial adds around the text; textHere stands for the text
	size       int      // without added tokens
	length     int
	chat       func() (*jinja.Template, error)

	// workers lends to each core the worker that it gave back last. With any other, a goroutine that
	// encodes nearly the same text again would not find its words.
	workers sync.Pool
	lists   sync.Pool // of the names that are decoded
}

func newTokenizer(data []byte, s settings) (*Tokenizer, error) {
	format, err := spec.ParseJSON(data)
	if err != nil {
		return nil, err
	}
	return build(format, s)
}

// build makes the pipeline that a format describes.
func build(f *spec.Format, s settings) (t *Tokenizer, err error) {
	defer spec.Caught(&err)
	t = &Tokenizer{settings: s, chat: lazyChat(s.ChatTemplate), vocab: f.Model.Vocab}
	if t.normalize, err = normal.New(f.Normalizer); err != nil {
		return nil, err
	}
	if t.split, err = split.New(f.PreTokenizer); err != nil {
		return nil, err
	}
	t.spelling.read(f.Decoder)
	if t.decoders, err = decode.New(f.Decoder); err != nil {
		return nil, err
	}
	if t.model, err = model.New(&f.Model, t.split.ByteLevel); err != nil {
		return nil, err
	}
	if cut := model.Cuts(&f.Model, t.split.ByteLevel); cut != nil {
		t.split.Steps = append(t.split.Steps, split.Step{Split: cut})
	}
	t.size = max(f.Size, len(t.vocab.IDs))
	t.nameTokens(f.AddedTokens)
	for id, text := range f.Decoded {
		t.names[id] = text
	}
	if t.special = f.Special; t.special == nil {
		t.special = t.findSpecial(f.AddedTokens)
	}
	t.marked = markedSpecial(f.AddedTokens)
	if f.Special != nil {
		t.marked = f.Special
	}
	t.template, err = newTemplate(f.PostProcessor)
	return t, err
}

// nameTokens enters the added tokens into the tables.
func (t *Tokenizer) nameTokens(added []addedToken) {
	size := len(t.vocab.Names)
	for _, a := range added {
		size = max(size, int(a.ID)+1)
	}
	t.names = append(make([]string, 0, size), t.vocab.Names...)[:size]
	t.length = t.size
	t.added = make(map[string]int32, len(added))
	bytes := 0
	for _, a := range added {
		bytes += len(a.Content)
	}
	budget := spec.NewBudget(bytes)
	defer budget.End()
	for _, a := range added {
		if id, known := t.vocab.IDs[a.Content]; known {
			a.ID = id // whatever the file says, as Hugging Face does
		} else {
			t.length++
		}
		t.names[a.ID] = a.Content
		t.added[a.Content] = a.ID
		if a.Escaped {
			t.normalized.add(a)
		} else if a.Normalized {
			a.Content = normal.All(t.normalize, a.Content, &budget)
			t.normalized.add(a)
		} else {
			t.raw.add(a)
		}
	}
}

// VocabSize returns the number of tokens without the added ones: transformers' vocab_size.
func (t *Tokenizer) VocabSize() int { return t.size }

// Len returns the number of tokens including the added ones: Python's len(tokenizer).
func (t *Tokenizer) Len() int { return t.length }
