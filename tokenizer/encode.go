package tokenizer

import "unicode/utf8"

// Encode returns the token ids of text. It recognizes added tokens such as <|im_end|> in the text, and adds
// none around it: it is tokenizers' encode(text, add_special_tokens=False).
func (t *Tokenizer) Encode(text string) (ids []int32, err error) {
	defer caught(&err)
	w, lent := t.workers.Get().(*worker)
	if !lent {
		w = t.newWorker()
	}
	defer t.workers.Put(w)
	return t.encode(w, text, make([]int32, 0, len(text)/3+4)), nil
}

func (t *Tokenizer) newWorker() *worker {
	return &worker{spans: make([][]span, len(t.split.splitters)), cache: newWordCache()}
}

func (t *Tokenizer) encode(w *worker, text string, ids []int32) []int32 {
	if !utf8.ValidString(text) {
		text = lossy([]byte(text)) // vocabularies are defined on UTF-8 only
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
	text = t.normal(text)
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
	if t.split.prepare != nil {
		text = t.split.prepare(text, atStart)
	}
	return t.encodePieces(w, text, 0, ids)
}

func (t *Tokenizer) encodePieces(w *worker, text string, depth int, ids []int32) []int32 {
	if depth == len(t.split.splitters) {
		return t.model.encode(w, text, ids)
	}
	w.spans[depth] = t.split.splitters[depth](text, w.spans[depth][:0])
	for _, s := range w.spans[depth] {
		ids = t.encodePieces(w, text[s.from:s.to], depth+1, ids)
	}
	return ids
}

func (t *Tokenizer) normal(text string) string {
	from := len(text)
	for _, n := range t.normalize {
		text = n(text)
		checkGrowth(text, from)
	}
	return text
}
