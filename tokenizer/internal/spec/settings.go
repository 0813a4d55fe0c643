package spec

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Settings is what transformers reads from the files beside tokenizer.json.
type Settings struct {
	Class      string     `json:"tokenizer_class"`
	BOS        TokenText  `json:"bos_token"`
	EOS        TokenText  `json:"eos_token"`
	Unknown    TokenText  `json:"unk_token"`
	Separator  TokenText  `json:"sep_token"`
	Padding    TokenText  `json:"pad_token"`
	Classifier TokenText  `json:"cls_token"`
	Mask       TokenText  `json:"mask_token"`
	Additional TokenTexts `json:"additional_special_tokens"`
	Extra      TokenTexts `json:"extra_special_tokens"`

	// ChatTemplate is a template, or a list of named ones. It is compiled when it is first used.
	ChatTemplate json.RawMessage `json:"chat_template"`
}

// TokenText is a token that is written as a text, as an object with a content, or as null.
type TokenText string

func (t *TokenText) UnmarshalJSON(data []byte) error {
	var object struct{ Content string }
	if len(data) > 0 && data[0] == '{' {
		err := json.Unmarshal(data, &object)
		*t = TokenText(object.Content)
		return err
	}
	var text *string
	err := json.Unmarshal(data, &text)
	if text != nil {
		*t = TokenText(*text)
	}
	return err
}

// TokenTexts is a list of them, or an object whose values they are; of that the order is lost, and
// it does not matter.
type TokenTexts []TokenText

func (t *TokenTexts) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && data[0] == '{' {
		var named map[string]TokenText
		err := json.Unmarshal(data, &named)
		for _, token := range named {
			*t = append(*t, token)
		}
		return err
	}
	return json.Unmarshal(data, (*[]TokenText)(t))
}

// ParseSettings reads special_tokens_map.json, tokenizer_config.json and chat_template.jinja; nil: there is none.
func ParseSettings(special, config, template []byte) (s Settings, err error) {
	// The configuration is read last: where both say something, transformers takes it from there.
	for _, file := range []struct {
		name string
		data []byte
	}{{"special_tokens_map.json", special}, {"tokenizer_config.json", config}} {
		if file.data == nil {
			continue
		}
		if err := json.Unmarshal(file.data, &s); err != nil {
			return s, fmt.Errorf("%s: %w", file.name, err)
		}
	}
	s.fillDefaults()
	if template != nil {
		s.ChatTemplate, err = json.Marshal(string(template))
	}
	return s, err
}

// SpecialTokens lists the special tokens in the order of transformers' all_special_tokens.
func (s *Settings) SpecialTokens() []TokenText {
	all := []TokenText{s.BOS, s.EOS, s.Unknown, s.Separator, s.Padding, s.Classifier, s.Mask}
	return append(append(all, s.Additional...), s.Extra...)
}

// fillDefaults adds the special tokens that transformers' classes have by themselves.
func (s *Settings) fillDefaults() {
	fill := func(token *TokenText, name TokenText) {
		if *token == "" {
			*token = name
		}
	}
	switch strings.TrimSuffix(s.Class, "Fast") {
	case "GemmaTokenizer":
		fill(&s.Mask, "<mask>")
	case "CohereTokenizer":
		fill(&s.Separator, "<SEP>")
		fill(&s.Classifier, "<CLS>")
		fill(&s.Mask, "<MASK_TOKEN>")
	}
}
