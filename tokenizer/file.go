package tokenizer

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/inferometer/inferometer/tokenizer/jinja"
)

// File is a tokenizer that was read from a tokenizer.json. It is a [Tokenizer].
type File struct {
	vocab      vocabulary
	model      *bpe
	normalize  []normalizer
	split      pretokenizer
	raw        addedSet // added tokens that are found in the text as it is
	normalized addedSet // and those found in the normalized text
	decoders   []decoder
	names      []string // by id, with the added tokens
	added      map[string]int32
	special    []int32
	settings   settings // what stands beside tokenizer.json
	template   []int32  // what EncodeWithSpecial puts around the text, with textHere for the text
	length     int
	chat       func() (*jinja.Template, error)

	// workers lends to each core the worker that it gave back last. With any other, a goroutine that
	// encodes nearly the same text again would not find its words.
	workers sync.Pool
}

// Load reads a tokenizer.json, and the tokenizer_config.json, special_tokens_map.json and
// chat_template.jinja beside it where they exist. The path is their folder or the file itself.
func Load(path string) (*File, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		path = filepath.Join(path, "tokenizer.json")
	}
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: a tokenizer is a tokenizer.json or the folder that holds it; without one, %s", err, instead)
	}
	if err != nil {
		return nil, err
	}
	s, err := loadSettings(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	f, err := newFile(data, s)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return f, nil
}

func newFile(data []byte, s settings) (*File, error) {
	spec, err := parse(data)
	if err != nil {
		return nil, err
	}
	return build(spec, s)
}

func build(spec *format, s settings) (f *File, err error) {
	defer caught(&err)
	f = &File{settings: s, chat: lazyChat(s.ChatTemplate)}
	if f.normalize, err = newNormalizers(spec.normalizer); err != nil {
		return nil, err
	}
	if f.split, err = newPretokenizer(spec.preTokenizer); err != nil {
		return nil, err
	}
	if f.decoders, err = newDecoders(spec.decoder); err != nil {
		return nil, err
	}
	f.vocab, f.model = spec.model.vocab, newBPE(&spec.model, f.split.byteLevel)
	if !f.split.byteLevel && !spec.model.IgnoreMerges && f.vocab.id(spaceMark) >= 0 {
		f.split.splitters = append(f.split.splitters, spec.model.joins.split)
	}
	f.nameTokens(spec.addedTokens)
	f.special = f.findSpecial(spec.addedTokens)
	f.template, err = newTemplate(spec.postProcessor)
	return f, err
}

// nameTokens enters the added tokens into the tables.
func (f *File) nameTokens(added []addedToken) {
	size := len(f.vocab.names)
	for _, t := range added {
		size = max(size, int(t.ID)+1)
	}
	f.names = append(make([]string, 0, size), f.vocab.names...)[:size]
	f.length = len(f.vocab.ids)
	f.added = make(map[string]int32, len(added))
	for _, t := range added {
		if id, known := f.vocab.ids[t.Content]; known {
			t.ID = id // whatever the file says, as Hugging Face does
		} else {
			f.length++
		}
		f.names[t.ID] = t.Content
		f.added[t.Content] = t.ID
		if t.Normalized {
			t.Content = f.normal(t.Content)
			f.normalized.add(t)
		} else {
			f.raw.add(t)
		}
	}
}

func (f *File) normal(text string) string {
	from := len(text)
	for _, n := range f.normalize {
		text = n(text)
		bounded(text, from)
	}
	return text
}

// Encode gives the tokens of text. Added tokens such as <|im_end|> are found in it; none are put around it.
func (f *File) Encode(text string) (ids []int32, err error) {
	defer caught(&err)
	w, lent := f.workers.Get().(*worker)
	if !lent {
		w = f.newWorker()
	}
	defer f.workers.Put(w)
	return f.encode(w, text, make([]int32, 0, len(text)/3+4)), nil
}

func (f *File) newWorker() *worker {
	return &worker{spans: make([][]span, len(f.split.splitters)), cache: newWordCache()}
}

func (f *File) encode(w *worker, text string, ids []int32) []int32 {
	if !utf8.ValidString(text) {
		text = lossy([]byte(text)) // the models know no text but UTF-8
	}
	for from := 0; from < len(text); {
		start, end, id, found := f.raw.next(text, from)
		if !found {
			return f.encodeRest(w, text[from:], from == 0, ids)
		}
		ids = f.encodeRest(w, text[from:start], from == 0, ids)
		ids = append(ids, id)
		from = end
	}
	return ids
}

// encodeRest encodes what lies between added tokens of the first kind.
func (f *File) encodeRest(w *worker, text string, atStart bool, ids []int32) []int32 {
	text = f.normal(text)
	for from := 0; from < len(text); {
		start, end, id, found := f.normalized.next(text, from)
		if !found {
			return f.encodePlain(w, text[from:], atStart && from == 0, ids)
		}
		ids = f.encodePlain(w, text[from:start], atStart && from == 0, ids)
		ids = append(ids, id)
		from = end
	}
	return ids
}

// encodePlain encodes text without added tokens.
func (f *File) encodePlain(w *worker, text string, atStart bool, ids []int32) []int32 {
	if text == "" {
		return ids
	}
	if f.split.prepare != nil {
		text = f.split.prepare(text, atStart)
	}
	return f.encodePieces(w, text, 0, ids)
}

func (f *File) encodePieces(w *worker, text string, depth int, ids []int32) []int32 {
	if depth == len(f.split.splitters) {
		return f.model.encode(w, text, ids)
	}
	w.spans[depth] = f.split.splitters[depth](text, w.spans[depth][:0])
	for _, s := range w.spans[depth] {
		ids = f.encodePieces(w, text[s.from:s.to], depth+1, ids)
	}
	return ids
}

// Decode gives the text of tokens, special ones among them. Ids that the vocabulary does not have are left out.
func (f *File) Decode(ids []int32) (string, error) {
	names := make([]string, 0, len(ids))
	for _, id := range ids {
		if id >= 0 && int(id) < len(f.names) && f.names[id] != "" {
			names = append(names, f.names[id])
		}
	}
	for _, d := range f.decoders {
		names = d(names)
	}
	return strings.Join(names, ""), nil
}

// VocabSize is the number of tokens without the added ones, as transformers' vocab_size.
func (f *File) VocabSize() int { return len(f.vocab.ids) }

// Len is the number of tokens with the added ones, as Python's len of the tokenizer.
func (f *File) Len() int { return f.length }
