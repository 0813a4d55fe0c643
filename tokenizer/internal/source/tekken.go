package source

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/inferometer/inferometer/tokenizer/internal/spec"
)

// tekken is Mistral's tekken.json.
type tekkenFile struct {
	Config struct {
		Pattern    string
		Vocabulary int    `json:"default_vocab_size"`
		Special    int    `json:"default_num_special_tokens"`
		Version    string `json:"version"`
	}
	Vocab []struct {
		Rank  int
		Bytes []byte `json:"token_bytes"`
	}
	Special []struct {
		Rank int
		Text string `json:"token_str"`
	} `json:"special_tokens"`
}

// tekkenSpecial are the special tokens of files up to version 7, which do not list them.
var tekkenSpecial = []string{
	"<unk>", "<s>", "</s>", "[INST]", "[/INST]", "[AVAILABLE_TOOLS]", "[/AVAILABLE_TOOLS]", "[TOOL_RESULTS]", "[/TOOL_RESULTS]", "[TOOL_CALLS]",
	"[IMG]", "<pad>", "[IMG_BREAK]", "[IMG_END]", "[PREFIX]", "[MIDDLE]", "[SUFFIX]", "[SYSTEM_PROMPT]", "[/SYSTEM_PROMPT]", "[TOOL_CONTENT]",
}

var errTekken = errors.New("the file is no tekken.json")

// Tekken reads a tekken.json. Its special tokens come first, and are not found in a text.
func Tekken(data []byte) (*Tokenizer, error) {
	var file tekkenFile
	if err := json.Unmarshal(data, &file); err != nil {
		return nil, err
	}
	c := file.Config
	inner := c.Vocabulary - c.Special
	if c.Pattern == "" || c.Special < 0 || inner <= 0 || inner > len(file.Vocab) || c.Vocabulary > spec.MaxID {
		return nil, errTekken
	}
	special, err := file.special()
	if err != nil {
		return nil, err
	}
	tokens := make([]string, inner)
	for i, v := range file.Vocab[:inner] {
		if v.Rank != i || len(v.Bytes) == 0 {
			return nil, errTekken
		}
		tokens[i] = string(v.Bytes)
	}
	t := &Tokenizer{}
	f := &t.Format
	if err := setRanks(f, tokens, c.Pattern, c.Special); err != nil {
		return nil, err
	}
	f.Size, f.Decoded = c.Vocabulary, map[int32]string{}
	begin := int32(-1)
	for id, name := range special {
		f.Decoded[int32(id)] = name
		f.Special = append(f.Special, int32(id))
		if name == "<s>" {
			begin = int32(id)
		}
	}
	f.PostProcessor = template(begin, -1, func(id int32) string { return special[id] })
	t.Settings.BOS, t.Settings.EOS, t.Settings.Unknown, t.Settings.Padding = "<s>", "</s>", "<unk>", "<pad>"
	return t, nil
}

// special are the names of the special tokens, by id.
func (t *tekkenFile) special() ([]string, error) {
	names := make([]string, t.Config.Special)
	for id := range names {
		names[id] = fmt.Sprintf("<SPECIAL_%d>", id)
	}
	if t.Special == nil {
		copy(names, tekkenSpecial)
		return names, nil
	}
	for _, s := range t.Special {
		if s.Rank < 0 || s.Rank >= len(names) || s.Text == "" {
			return nil, errTekken
		}
		names[s.Rank] = s.Text
	}
	return names, nil
}
