package tokenizer

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// settings is what transformers reads from the files beside tokenizer.json.
type settings struct {
	Class      string     `json:"tokenizer_class"`
	BOS        tokenText  `json:"bos_token"`
	EOS        tokenText  `json:"eos_token"`
	Unknown    tokenText  `json:"unk_token"`
	Separator  tokenText  `json:"sep_token"`
	Padding    tokenText  `json:"pad_token"`
	Classifier tokenText  `json:"cls_token"`
	Mask       tokenText  `json:"mask_token"`
	Additional tokenTexts `json:"additional_special_tokens"`
	Extra      tokenTexts `json:"extra_special_tokens"`

	// ChatTemplate is a template, or a list of named ones. It is compiled when it is first used.
	ChatTemplate json.RawMessage `json:"chat_template"`
}

// tokenText is a token that is written as a text, as an object with a content, or as null.
type tokenText string

func (t *tokenText) UnmarshalJSON(data []byte) error {
	var object struct{ Content string }
	if len(data) > 0 && data[0] == '{' {
		err := json.Unmarshal(data, &object)
		*t = tokenText(object.Content)
		return err
	}
	var text *string
	err := json.Unmarshal(data, &text)
	if text != nil {
		*t = tokenText(*text)
	}
	return err
}

// tokenTexts is a list of them, or an object whose values they are; of that the order is lost, and
// it does not matter.
type tokenTexts []tokenText

func (t *tokenTexts) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && data[0] == '{' {
		var named map[string]tokenText
		err := json.Unmarshal(data, &named)
		for _, token := range named {
			*t = append(*t, token)
		}
		return err
	}
	return json.Unmarshal(data, (*[]tokenText)(t))
}

func loadSettings(dir string) (settings, error) {
	var s settings
	// The configuration is read last: where both say something, transformers takes it from there.
	for _, name := range []string{"special_tokens_map.json", "tokenizer_config.json"} {
		data, err := readOptional(filepath.Join(dir, name))
		if err != nil {
			return s, err
		}
		if data == nil {
			continue
		}
		if err := json.Unmarshal(data, &s); err != nil {
			return s, fmt.Errorf("%s: %w", filepath.Join(dir, name), err)
		}
	}
	s.fillDefaults()
	template, err := readOptional(filepath.Join(dir, "chat_template.jinja"))
	if err != nil || template == nil {
		return s, err
	}
	s.ChatTemplate, err = json.Marshal(string(template))
	return s, err
}

func readOptional(path string) ([]byte, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return data, err
}

// special lists the special tokens in the order of transformers' all_special_tokens.
func (s *settings) special() []tokenText {
	all := []tokenText{s.BOS, s.EOS, s.Unknown, s.Separator, s.Padding, s.Classifier, s.Mask}
	return append(append(all, s.Additional...), s.Extra...)
}

// fillDefaults adds the special tokens that transformers' classes have by themselves.
func (s *settings) fillDefaults() {
	fill := func(token *tokenText, name tokenText) {
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
