package source

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/inferometer/inferometer/tokenizer/internal/bytelevel"
	"github.com/inferometer/inferometer/tokenizer/internal/spec"
)

// A tiktoken file is a list of ranks alone. Its pattern and its special tokens are in the code that reads it.
const (
	patternO200k = `[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|` +
		`[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|` +
		`\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+`
	patternCL3 = `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`
	patternCL1 = `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`
	// Kimi's sets runs of ideographs apart. The reference writes the exclusion as &&[^\p{Han}].
	patternKimi = `[\p{Han}]+|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}-[\p{Han}]]*[\p{Ll}\p{Lm}\p{Lo}\p{M}-[\p{Han}]]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|` +
		`[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}-[\p{Han}]]+[\p{Ll}\p{Lm}\p{Lo}\p{M}-[\p{Han}]]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|` +
		`\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`
)

// encoding is what the file does not say.
type encoding struct {
	name, pattern string
	digest        string // of OpenAI's file, whatever it is called here
	special       map[string]int32
}

var encodings = []encoding{
	{"r50k_base", gptPattern, "306cd27f03c1a714eca7108e03d66b7dc042abe8c258b44c199a7ed9838dd930", map[string]int32{"<|endoftext|>": 50256}},
	{"p50k_base", gptPattern, "94b5ca7dff4d00767bc256fdd1b27e5b17361d7b8a5f968547f9f23eb70d2069", map[string]int32{"<|endoftext|>": 50256}},
	{"cl100k_base", patternCL3, "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7", map[string]int32{
		"<|endoftext|>": 100257, "<|fim_prefix|>": 100258, "<|fim_middle|>": 100259, "<|fim_suffix|>": 100260, "<|endofprompt|>": 100276,
	}},
	{"o200k_base", patternO200k, "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d", map[string]int32{"<|endoftext|>": 199999, "<|endofprompt|>": 200018}},
	{"qwen", patternCL1, "", qwenSpecial()},
}

// qwenSpecial are the tokens of the first Qwen models, which come after the 151,643 of qwen.tiktoken.
func qwenSpecial() map[string]int32 {
	special := map[string]int32{"<|endoftext|>": 151643, "<|im_start|>": 151644, "<|im_end|>": 151645}
	for i := range int32(205) {
		special[fmt.Sprintf("<|extra_%d|>", i)] = 151646 + i
	}
	return special
}

// tiktokenConfig is what a tokenizer_config.json beside the file says.
type tiktokenConfig struct {
	Class   string                     `json:"tokenizer_class"`
	AutoMap map[string]json.RawMessage `json:"auto_map"`
	Added   map[string]spec.AddedToken `json:"added_tokens_decoder"`
}

// Tiktoken reads a list of ranks. Which encoding it is, its digest says, its name, or the tokenizer_config.json beside it.
func Tiktoken(data []byte, path string, config []byte) (*Tokenizer, error) {
	e, err := findEncoding(data, path, config)
	if err != nil {
		return nil, err
	}
	tokens, err := readRanks(data)
	if err != nil {
		return nil, err
	}
	t := &Tokenizer{}
	if err := setRanks(&t.Format, tokens, e.pattern, 0); err != nil {
		return nil, err
	}
	for name, id := range e.special {
		t.Format.AddedTokens = append(t.Format.AddedTokens, spec.AddedToken{ID: id, Content: name, Special: true})
	}
	slices.SortFunc(t.Format.AddedTokens, func(a, b spec.AddedToken) int { return int(a.ID) - int(b.ID) })
	return t, nil
}

func findEncoding(data []byte, path string, config []byte) (encoding, error) {
	sum := sha256.Sum256(data)
	name := strings.TrimSuffix(filepath.Base(path), ".tiktoken")
	for _, e := range encodings {
		if e.digest == hex.EncodeToString(sum[:]) || e.name == name {
			return e, nil
		}
	}
	var c tiktokenConfig
	if len(config) > 0 {
		if err := json.Unmarshal(config, &c); err != nil {
			return encoding{}, fmt.Errorf("tokenizer_config.json: %w", err)
		}
	}
	switch {
	case c.Class == "QWenTokenizer":
		return encodings[len(encodings)-1], nil
	case c.Class == "TikTokenTokenizer" && strings.Contains(string(c.AutoMap["AutoTokenizer"]), "tokenization_kimi"):
		e := encoding{name: "kimi", pattern: patternKimi, special: map[string]int32{}}
		for number, token := range c.Added {
			id, err := strconv.Atoi(number)
			if err != nil || id < 0 || id >= spec.MaxID {
				return e, fmt.Errorf("tokenizer_config.json: an added token has the impossible id %q", number)
			}
			e.special[token.Content] = int32(id)
		}
		return e, nil
	}
	return encoding{}, spec.Unsupported("tiktoken", "of an encoding whose pattern is not known (known: r50k_base, p50k_base, cl100k_base, o200k_base, Qwen's, Kimi's)")
}

var errTiktoken = errors.New("the file is no list of tiktoken's ranks")

// readRanks reads lines of a token in base64 and its rank. Ranks may leave holes.
func readRanks(data []byte) ([]string, error) {
	var tokens []string
	for line := range bytes.Lines(data) {
		line = bytes.TrimSpace(line)
		if len(line) == 0 {
			continue
		}
		code, number, found := bytes.Cut(line, []byte{' '})
		token, err := base64.StdEncoding.DecodeString(string(code))
		rank, err2 := strconv.Atoi(string(number))
		if !found || err != nil || err2 != nil || len(token) == 0 || rank < 0 || rank >= spec.MaxID {
			return nil, errTiktoken
		}
		for rank >= len(tokens) {
			tokens = append(tokens, "")
		}
		tokens[rank] = string(token)
	}
	if len(tokens) == 0 {
		return nil, errTiktoken
	}
	return tokens, nil
}

// setRanks makes a byte-level BPE of tokens in the order of their ranks. Their ids begin at first.
func setRanks(f *spec.Format, tokens []string, pattern string, first int) error {
	names := make([]string, first+len(tokens))
	for rank, token := range tokens {
		names[first+rank] = string(bytelevel.AppendSpelling(nil, token))
	}
	f.Model = spec.Model{Type: "BPE", IgnoreMerges: true, Vocab: spec.NewVocabulary(names)}
	delete(f.Model.Vocab.IDs, "")
	for rank, token := range tokens {
		if len(token) < 2 {
			continue
		}
		if err := addMerges(&f.Model, int32(first+rank), int32(rank), func(int) bool { return true }); err != nil {
			return err
		}
	}
	f.PreTokenizer = &spec.Step{Type: "Sequence", Pretokenizers: []spec.Step{
		{Type: "Split", Behavior: "Isolated", Pattern: spec.Pattern{Regex: pattern}}, byteLevel(),
	}}
	f.Decoder = &spec.Step{Type: "ByteLevel"}
	return nil
}
