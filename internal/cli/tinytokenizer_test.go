package cli

import (
	"encoding/json"
	"os"
	"strings"
)

// writeTinyTokenizer writes a byte-level tokenizer.json with all bytes and some
// short words, each with its space: enough for the simulator to speak. As in real
// vocabularies the replacement character is one token; were it three, a prompt that
// is cut to its length in the middle of it would grow again.
func writeTinyTokenizer(path string) error {
	var tokens []string
	for r := '!'; r <= 'ń'; r++ { // as in GPT-2: printable bytes stand for themselves, the others from U+0100 on
		if r <= '~' || r >= '¡' && r <= '¬' || r >= '®' && r <= 'ÿ' || r >= 'Ā' {
			tokens = append(tokens, string(r))
		}
	}
	var merges []string
	seen := map[string]bool{}
	for word := range strings.FieldsSeq("ï¿½ Ġof Ġto Ġin Ġis Ġit Ġon Ġas Ġat Ġbe Ġor Ġby Ġwe Ġan Ġif Ġdo Ġup Ġso Ġno Ġme Ġmy") { // Ġ is a space
		left := ""
		for _, r := range word {
			if left == "" {
				left = string(r)
				continue
			}
			merged := left + string(r)
			if !seen[merged] {
				seen[merged] = true
				merges = append(merges, left+" "+string(r))
				tokens = append(tokens, merged)
			}
			left = merged
		}
	}
	vocab := map[string]int{}
	for i, t := range tokens {
		vocab[t] = i
	}
	byteLevel := map[string]any{"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true, "use_regex": true}
	b, err := json.Marshal(map[string]any{
		"version": "1.0", "added_tokens": []any{}, "normalizer": nil, "post_processor": nil,
		"pre_tokenizer": byteLevel, "decoder": byteLevel,
		"model": map[string]any{"type": "BPE", "vocab": vocab, "merges": merges},
	})
	if err != nil {
		return err
	}
	return os.WriteFile(path, b, 0o644)
}
