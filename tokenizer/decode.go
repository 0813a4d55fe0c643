package tokenizer

import (
	"slices"
	"strings"

	"github.com/inferometer/inferometer/tokenizer/internal/spec"
)

// Decode returns the text of token ids, special tokens included. Ids outside the vocabulary are skipped.
func (t *Tokenizer) Decode(ids []int32) (text string, err error) {
	defer spec.Caught(&err)
	list, lent := t.lists.Get().(*[]string)
	if !lent {
		list = new([]string)
	}
	defer t.lists.Put(list)
	*list = slices.Grow((*list)[:0], len(ids))
	names := *list
	for _, id := range ids {
		if id >= 0 && int(id) < len(t.names) && t.names[id] != "" {
			names = append(names, t.names[id])
		}
	}
	for _, d := range t.decoders {
		names = d(names)
	}
	return strings.Join(names, ""), nil
}
