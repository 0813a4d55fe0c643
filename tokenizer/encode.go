package tokenizer

import (
	"unicode/utf8"

	"github.com/inferometer/inferometer/tokenizer/internal/bytelevel"
	"github.com/inferometer/inferometer/tokenizer/internal/model"
	"github.com/inferometer/inferometer/tokenizer/internal/normal"
	"github.com/inferometer/inferometer/tokenizer/internal/spec"
	"github.com/inferometer/inferometer/tokenizer/internal/split"
)

// Encode returns the token ids of text. It recognizes added tokens such as <|im_end|> in the text, and adds
// none around it: it is tokenizers' encode(text, add_special_tokens=False).
func (t *Tokenizer) Encode(text string) ([]int32, error) {
	return t.AppendEncode(make([]int32, 0, len(text)/3+4), text)
}

// AppendEncode is [Tokenizer.Encode] that appends the ids to dst, and allocates nothing where they have room there.
// After an error dst is as it was.
func (t *Tokenizer) AppendEncode(dst []int32, text string) ([]int32, error) {
	w := t.lend()
	defer t.workers.Put(w)
	return t.encodeWith(w, dst, text)
}

// Count returns how many tokens text has: the length of what [Tokenizer.Encode] gives, without allocating it.
func (t *Tokenizer) Count(text string) (int, error) {
	w := t.lend()
	defer t.workers.Put(w)
	ids, err := t.encodeWith(w, w.counted[:0], text)
	w.counted = ids[:0]
	return len(ids), err
}

func (t *Tokenizer) encodeWith(w *worker, dst []int32, text string) ([]int32, error) {
	w.err = nil
	return t.encodeOrGiveUp(w, dst, text), w.err
}

// encodeOrGiveUp leaves its error in the worker: a result that is recovered into would be allocated.
func (t *Tokenizer) encodeOrGiveUp(w *worker, dst []int32, text string) (ids []int32) {
	ids = dst // what it stays if the encoding is given up
	defer spec.Caught(&w.err)
	w.budget = spec.NewBudget(len(text))
	defer w.budget.End()
	return t.encode(w, text, dst)
}

func (t *Tokenizer) lend() *worker {
	if w, lent := t.workers.Get().(*worker); lent {
		return w
	}
	return &worker{spans: make([][]split.Span, len(t.split.Steps)), Worker: model.NewWorker()}
}

// worker is the memory of one goroutine that encodes. Workers are lent out and taken back, so that
// several goroutines encode without waiting for one another and without allocating.
type worker struct {
	spans   [][]split.Span // one list for each step
	budget  spec.Budget    // of the text, for the file's patterns
	counted []int32        // the ids of a text that is only counted
	err     error
	*model.Worker
}

func (t *Tokenizer) encode(w *worker, text string, ids []int32) []int32 {
	if !utf8.ValidString(text) {
		text = bytelevel.Lossy([]byte(text)) // vocabularies are defined on UTF-8 only
	}
	for from := 0; from < len(text); {
		start, end, id, found := t.raw.next(text, from)
		if !found {
			return t.encodeRest(w, text[from:], from == 0, ids)
		}
		ids = t.encodeRest(w, text[from:start], from == 0, ids)
		ids = append(ids, id)
		from = end
	}
	return ids
}

// encodeRest encodes text between added tokens that are matched before normalization.
func (t *Tokenizer) encodeRest(w *worker, text string, atStart bool, ids []int32) []int32 {
	text = normal.All(t.normalize, text, &w.budget)
	for from := 0; from < len(text); {
		start, end, id, found := t.normalized.next(text, from)
		if !found {
			return t.encodePlain(w, text[from:], atStart && from == 0, ids)
		}
		ids = t.encodePlain(w, text[from:start], atStart && from == 0, ids)
		ids = append(ids, id)
		from = end
	}
	return ids
}

// encodePlain encodes text without added tokens.
func (t *Tokenizer) encodePlain(w *worker, text string, atStart bool, ids []int32) []int32 {
	if text == "" {
		return ids
	}
	return t.encodePieces(w, text, atStart, 0, ids)
}

func (t *Tokenizer) encodePieces(w *worker, text string, atStart bool, depth int, ids []int32) []int32 {
	if depth == len(t.split.Steps) {
		return t.model.Encode(w.Worker, text, ids)
	}
	step := &t.split.Steps[depth]
	if step.Prepare != nil {
		text = step.Prepare(text, atStart)
	}
	var cut bool
	if w.spans[depth], cut = step.Cut(text, w.spans[depth][:0], &w.budget); !cut {
		return t.encodePieces(w, text, atStart, depth+1, ids)
	}
	for _, s := range w.spans[depth] {
		ids = t.encodePieces(w, text[s.From:s.To], atStart && s.From == 0, depth+1, ids)
	}
	return ids
}
