// Package tokenizer turns text into tokens and back.
//
// A benchmark needs a tokenizer for two things: to make prompts of an exact length, and to count
// the tokens of a text that the server did not count. Both only mean something if the ids are
// those of the server, so this package follows Hugging Face's tokenizers id for id.
//
// There are two tokenizers. [File] reads a model's tokenizer.json and runs its pipeline here:
//
//	text ─▶ added tokens ─▶ normalizer ─▶ pre-tokenizer ─▶ BPE ─▶ ids      (Encode)
//	ids ─▶ token names ─▶ decoder ─▶ text                                  (Decode)
//
// [Server] asks the server under test over HTTP, for models whose tokenizer.json is not at hand
// or has a part that File does not know. A file with such a part is refused when it is loaded,
// by name, since a tokenizer that is nearly right gives lengths that are silently wrong.
package tokenizer

// Tokenizer is a vocabulary with the two directions. Safe for use by several goroutines.
type Tokenizer interface {
	// Encode adds no special tokens of its own.
	Encode(text string) ([]int32, error)
	Decode(ids []int32) (string, error)
}
