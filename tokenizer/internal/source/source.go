// Package source reads the formats of tokenizers that are not a tokenizer.json into its terms: GGUF,
// SentencePiece's .model, Mistral's tekken.json and tiktoken's list of ranks.
package source

import "github.com/inferometer/inferometer/tokenizer/internal/spec"

// Tokenizer is what a file holds, with the settings that stand beside a tokenizer.json elsewhere.
type Tokenizer struct {
	Format   spec.Format
	Settings spec.Settings
}
