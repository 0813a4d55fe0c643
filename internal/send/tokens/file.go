// Package tokens gives a run its tokenizer: a model's on this machine, or the /tokenize endpoint of the server
// under test. Its errors say what the user of bench serve can do instead.
package tokens

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/inferometer/inferometer/tokenizer"
)

// instead is what a user can do about a tokenizer that can't be used.
const instead = "let the server count (its /tokenize endpoint), or go without a tokenizer (--skip-tokenizer-init)"

// File is a tokenizer that was read from a file.
type File struct{ *tokenizer.Tokenizer }

// Load reads a tokenizer's file or the folder that holds one.
func Load(path string) (File, error) { return LoadMode(path, "auto") }

// LoadMode is Load with vLLM's --tokenizer-mode: mistral takes tekken.json or a SentencePiece model of a folder,
// whatever else there is.
func LoadMode(path, mode string) (File, error) {
	t, err := load(path, mode)
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("%w; without one, %s", err, instead)
	}
	return File{t}, hint(err)
}

func load(path, mode string) (*tokenizer.Tokenizer, error) {
	if info, err := os.Stat(path); mode != "mistral" || err != nil || !info.IsDir() {
		return tokenizer.Load(path)
	}
	t, err := tokenizer.LoadFS(os.DirFS(path), ".", tokenizer.Options{PreferMistral: true})
	if err != nil {
		err = fmt.Errorf("%s: %w", path, err)
	}
	return t, err
}

// Encode is the Tokenizer's, with a hint in its error.
func (f File) Encode(text string) ([]int32, error) {
	ids, err := f.Tokenizer.Encode(text)
	return ids, hint(err)
}

// EncodeWithSpecial is the Tokenizer's, with a hint in its error.
func (f File) EncodeWithSpecial(text string) ([]int32, error) {
	ids, err := f.Tokenizer.EncodeWithSpecial(text)
	return ids, hint(err)
}

func hint(err error) error {
	if errors.Is(err, tokenizer.ErrUnsupported) {
		return fmt.Errorf("%w; %s", err, instead)
	}
	return err
}
