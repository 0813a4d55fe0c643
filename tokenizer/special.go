package tokenizer

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/inferometer/inferometer/tokenizer/internal/spec"
)

// textHere stands in a template for the tokens of the text itself.
const textHere = -1

// newTemplate reads the post_processor: which special tokens go around one text.
func newTemplate(s *spec.Step) ([]int32, error) {
	template := []int32{textHere}
	err := wrap(&template, s)
	return template, err
}

func wrap(template *[]int32, s *spec.Step) error {
	if s == nil {
		return nil
	}
	switch s.Type {
	case "Sequence":
		for i := range s.Processors {
			if err := wrap(template, &s.Processors[i]); err != nil {
				return err
			}
		}
		return nil
	case "ByteLevel": // only moves offsets
		return nil
	case "TemplateProcessing":
		return wrapTemplate(template, s)
	case "BertProcessing", "RobertaProcessing":
		return wrapPair(template, s)
	}
	return spec.Unsupported("post_processor", s.Type)
}

// maxTemplate is beyond what any model wants around a text.
const maxTemplate = 1 << 10

var errTemplate = fmt.Errorf("post_processor: its template has more than %d tokens", maxTemplate)

func wrapTemplate(template *[]int32, s *spec.Step) error {
	var around []int32
	for _, part := range s.Single {
		if part.Sequence != nil {
			if len(around)+len(*template) > maxTemplate {
				return errTemplate
			}
			around = append(around, *template...)
			continue
		}
		if part.SpecialToken == nil {
			return fmt.Errorf("post_processor: a part of its template is neither a text nor a token")
		}
		token, ok := s.SpecialTokens[part.SpecialToken.ID]
		if !ok {
			return fmt.Errorf("post_processor: its template names %q, which it does not define", part.SpecialToken.ID)
		}
		around = append(around, token.IDs...)
		if len(around) > maxTemplate {
			return errTemplate
		}
	}
	*template = around
	return nil
}

// wrapPair reads BERT's and RoBERTa's form: a token before the text and one after it.
func wrapPair(template *[]int32, s *spec.Step) error {
	var around []int32
	for _, raw := range []json.RawMessage{s.Cls, s.Sep} {
		var name string
		var id int32
		if err := json.Unmarshal(raw, &[]any{&name, &id}); err != nil || id < 0 || id >= spec.MaxID {
			return fmt.Errorf("post_processor %s: its tokens are not pairs of a name and an id", s.Type)
		}
		around = append(around, id)
	}
	if len(*template)+2 > maxTemplate {
		return errTemplate
	}
	*template = slices.Concat(around[:1], *template, around[1:])
	return nil
}

// EncodeWithSpecial is [Tokenizer.Encode] with the special tokens that the model expects around a text, such as a
// beginning-of-text token: it is transformers' tokenizer(text).
func (t *Tokenizer) EncodeWithSpecial(text string) ([]int32, error) {
	ids, err := t.Encode(text)
	if err != nil || t.NumSpecialTokensToAdd() == 0 {
		return ids, err
	}
	out := make([]int32, 0, len(ids)+len(t.template))
	for _, id := range t.template {
		if id == textHere {
			out = append(out, ids...)
		} else {
			out = append(out, id)
		}
	}
	return out, nil
}

// NumSpecialTokensToAdd returns how many tokens EncodeWithSpecial adds.
func (t *Tokenizer) NumSpecialTokensToAdd() int {
	n := 0
	for _, id := range t.template {
		if id != textHere {
			n++
		}
	}
	return n
}

// SpecialIDs returns the ids of the special tokens that the model's tokenizer_config.json names (transformers'
// all_special_ids), in ascending order. Without that file they are the added tokens marked as special.
func (t *Tokenizer) SpecialIDs() []int32 { return slices.Clone(t.special) }

// MarkedSpecialIDs returns the ids of all added tokens that are marked as special, in ascending order: those of
// SpecialIDs, and placeholders such as that of an image.
func (t *Tokenizer) MarkedSpecialIDs() []int32 { return slices.Clone(t.marked) }

func markedSpecial(added []addedToken) []int32 {
	var ids []int32
	for _, a := range added {
		if a.Special {
			ids = append(ids, a.ID)
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

func (t *Tokenizer) findSpecial(added []addedToken) []int32 {
	var ids []int32
	for _, token := range t.settings.SpecialTokens() {
		if id := t.idOf(string(token)); token != "" && id >= 0 {
			ids = append(ids, id)
		}
	}
	if len(ids) == 0 {
		return markedSpecial(added)
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// idOf returns the id of a token, added or not, or -1.
func (t *Tokenizer) idOf(name string) int32 {
	if id, ok := t.added[name]; ok {
		return id
	}
	return t.vocab.ID(name)
}
