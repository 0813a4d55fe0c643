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
func (t *Tokenizer) Encode(text string) (ids []int32, err error) {
	defer spec.Caught(&err)
	w, lent := t.workers.Get().(*worker)
	if !lent {
		w = t.newWorker()
	}
	defer t.workers.Put(w)
	w.budget = spec.NewBudget(len(text))
	defer w.budget.End()
	return t.encode(w, text, make([]int32, 0, len(text)/3+4)), nil
}

// worker is the memory of one goroutine that encodes. Workers are lent out and taken back, so that
// several goroutines encode without waiting for one another and without allocating.
type worker struct {
	spans  [][]split.Span // one list for each step
	budget spec.Budget    // of the text, for the file's patterns
	*model.Worker
}

func (t *Tokenizer) newWorker() *worker {
	return &worker{spans: make([][]split.Span, len(t.split.Steps)), Worker: model.NewWorker()}
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
