package tokenizer

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"github.com/inferometer/inferometer/tokenizer/internal/source"
	"github.com/inferometer/inferometer/tokenizer/internal/spec"
)

// Load reads a tokenizer: a tokenizer.json, a SentencePiece .model, a tekken.json, a list of tiktoken's ranks, or the
// tokenizer inside a GGUF. Which of them a file is, its content says. Beside it, tokenizer_config.json,
// special_tokens_map.json and chat_template.jinja are read where they exist.
//
// Of a folder it takes the first of: tokenizer.json, tekken.json, tokenizer.model, another .model or .tiktoken file,
// and the only .gguf file.
func Load(path string) (*Tokenizer, error) {
	return load(path, []string{"tokenizer.json", "tekken.json", "tokenizer.model", "tokenizer.model.v*", "tiktoken.model", "*.tiktoken", "*.model", "*.gguf"})
}

// LoadMistral is [Load] for a folder of Mistral's: it takes tekken.json or the SentencePiece model, whatever else there
// is, as mistral-common does. In their terms special tokens are not found in a text.
func LoadMistral(path string) (*Tokenizer, error) {
	return load(path, []string{"tekken.json", "tekken_*.json", "tokenizer.model.v*", "*.model.v*", "tokenizer.model"})
}

func load(path string, names []string) (*Tokenizer, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		if path, err = first(path, names); err != nil {
			return nil, err
		}
	}
	s, err := spec.LoadSettings(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	t, err := open(path, s)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: a tokenizer is a tokenizer.json or another tokenizer's file, or the folder that holds it", err)
	}
	if err != nil {
		var inPath *fs.PathError
		if errors.As(err, &inPath) {
			return nil, err
		}
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return t, nil
}

// first is the first of the names that a folder has. Of several that fit a pattern, none is the right one.
func first(dir string, names []string) (string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", err
	}
	for _, name := range names {
		var fit []string
		for _, e := range entries {
			if ok, _ := filepath.Match(name, e.Name()); ok && !e.IsDir() {
				fit = append(fit, e.Name())
			}
		}
		switch len(fit) {
		case 0:
		case 1:
			return filepath.Join(dir, fit[0]), nil
		default:
			slices.Sort(fit)
			return "", fmt.Errorf("%s holds more than one tokenizer: %s and %s; name the file", dir, fit[0], fit[1])
		}
	}
	return filepath.Join(dir, names[0]), nil // reading it says that it does not exist
}

// maxFile is far above the largest tokenizer that is known. Of a GGUF only the head is read.
const maxFile = 1 << 29

// magicGGUF is how a GGUF begins.
const magicGGUF = "GGUF"

func open(path string, s settings) (*Tokenizer, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("it is no file")
	}
	head := make([]byte, 4)
	if n, _ := file.ReadAt(head, 0); n == len(head) && string(head) == magicGGUF {
		from, err := source.GGUF(file)
		return finish(from, s, err)
	}
	if info.Size() > maxFile {
		return nil, fmt.Errorf("it is larger than %d MiB, so it is no tokenizer", maxFile>>20)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return read(data, path, s)
}

var ranks = regexp.MustCompile(`^[A-Za-z0-9+/]+={0,2} [0-9]+\r?(\n|$)`)

// read reads a file that is in memory, by what it looks like.
func read(data []byte, path string, s settings) (*Tokenizer, error) {
	switch {
	case len(data) > 0 && data[0] == '\n': // the first field of a protobuf message
		from, err := source.SentencePiece(data)
		return finish(from, s, err)
	case ranks.Match(data):
		config, err := os.ReadFile(filepath.Join(filepath.Dir(path), "tokenizer_config.json"))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		from, err := source.Tiktoken(data, path, config)
		return finish(from, s, err)
	case bytes.Contains(data[:min(len(data), 1<<12)], []byte(`"token_bytes"`)) || bytes.Contains(data, []byte(`"default_num_special_tokens"`)):
		from, err := source.Tekken(data)
		return finish(from, s, err)
	}
	return newTokenizer(data, s)
}

// finish builds what another format says. What stands beside the file goes before what is in it.
func finish(from *source.Tokenizer, s settings, err error) (*Tokenizer, error) {
	if err != nil {
		return nil, err
	}
	for _, token := range []struct{ to, from *tokenText }{
		{&s.BOS, &from.Settings.BOS},
		{&s.EOS, &from.Settings.EOS},
		{&s.Unknown, &from.Settings.Unknown},
		{&s.Separator, &from.Settings.Separator},
		{&s.Padding, &from.Settings.Padding},
		{&s.Classifier, &from.Settings.Classifier},
		{&s.Mask, &from.Settings.Mask},
	} {
		if *token.to == "" {
			*token.to = *token.from
		}
	}
	if len(s.ChatTemplate) == 0 {
		s.ChatTemplate = from.Settings.ChatTemplate
	}
	return build(&from.Format, s)
}
