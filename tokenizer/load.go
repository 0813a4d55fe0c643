package tokenizer

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"

	"github.com/inferometer/inferometer/tokenizer/internal/source"
	"github.com/inferometer/inferometer/tokenizer/internal/spec"
)

// Options say how a tokenizer is read. The zero value is what most models want.
type Options struct {
	// PreferMistral takes tekken.json or the SentencePiece model of a folder, whatever else there is, as
	// mistral-common does. In their terms special tokens are not found in a text.
	PreferMistral bool

	// The files that stand beside a tokenizer: what tokenizer_config.json, special_tokens_map.json and
	// chat_template.jinja hold. [Load] and [LoadFS] read those that are nil where they exist.
	Config           []byte
	SpecialTokensMap []byte
	ChatTemplate     []byte

	// Name is the file's, which says what some lists of tiktoken's ranks are; [Load] and [LoadFS] know it.
	Name string
}

// The files that a folder may hold, the first that is there is taken.
var (
	fileNames    = []string{"tokenizer.json", "tekken.json", "tokenizer.model", "tokenizer.model.v*", "tiktoken.model", "*.tiktoken", "*.model", "*.gguf"}
	mistralNames = []string{"tekken.json", "tekken_*.json", "tokenizer.model.v*", "*.model.v*", "tokenizer.model"}
)

// Load reads a tokenizer: a tokenizer.json, a SentencePiece .model, a tekken.json, a list of tiktoken's ranks, or the
// tokenizer inside a GGUF. Which of them a file is, its content says. Beside it, tokenizer_config.json,
// special_tokens_map.json and chat_template.jinja are read where they exist.
//
// Of a folder it takes the first of: tokenizer.json, tekken.json, tokenizer.model, another .model or .tiktoken file,
// and the only .gguf file.
func Load(path string) (*Tokenizer, error) {
	dir, name := filepath.Split(path)
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		dir, name = path, "."
	}
	if dir == "" {
		dir = "."
	}
	return load(os.DirFS(dir), name, dir, Options{})
}

// LoadFS is [Load] from a file system, such as one that is embedded in a program. Name is a file or a folder
// of it; "." is the whole.
func LoadFS(fsys fs.FS, name string, o Options) (*Tokenizer, error) {
	if info, err := fs.Stat(fsys, name); err == nil && !info.IsDir() {
		dir, err := fs.Sub(fsys, path.Dir(name))
		if err != nil {
			return nil, err
		}
		return load(dir, path.Base(name), path.Dir(name), o)
	}
	dir, err := fs.Sub(fsys, name)
	if err != nil {
		return nil, err
	}
	return load(dir, ".", name, o)
}

// Parse reads a tokenizer that is in memory: the content of any of the files that [Load] reads.
func Parse(data []byte, o Options) (*Tokenizer, error) {
	s, err := spec.ParseSettings(o.SpecialTokensMap, o.Config, o.ChatTemplate)
	if err != nil {
		return nil, err
	}
	switch {
	case bytes.HasPrefix(data, []byte(magicGGUF)):
		from, err := source.GGUF(bytes.NewReader(data))
		return finish(from, s, err)
	case len(data) > 0 && data[0] == '\n': // the first field of a protobuf message
		from, err := source.SentencePiece(data)
		return finish(from, s, err)
	case ranks.Match(data):
		from, err := source.Tiktoken(data, o.Name, o.Config)
		return finish(from, s, err)
	case bytes.Contains(data[:min(len(data), 1<<12)], []byte(`"token_bytes"`)) || bytes.Contains(data, []byte(`"default_num_special_tokens"`)):
		from, err := source.Tekken(data)
		return finish(from, s, err)
	}
	return newTokenizer(data, s)
}

// load reads a file of a folder, or of "." the first of those that may be there. Shown is the folder in errors.
func load(folder fs.FS, name, shown string, o Options) (*Tokenizer, error) {
	t, name, err := loadFile(folder, name, o)
	var inPath *fs.PathError
	switch {
	case errors.As(err, &inPath):
		err = &fs.PathError{Op: inPath.Op, Path: filepath.Join(shown, inPath.Path), Err: inPath.Err}
		if errors.Is(err, fs.ErrNotExist) {
			err = fmt.Errorf("%w: a tokenizer is a tokenizer.json or another tokenizer's file, or the folder that holds it", err)
		}
		return nil, err
	case err != nil:
		return nil, fmt.Errorf("%s: %w", filepath.Join(shown, name), err)
	}
	return t, nil
}

func loadFile(folder fs.FS, name string, o Options) (*Tokenizer, string, error) {
	names := fileNames
	if o.PreferMistral {
		names = mistralNames
	}
	if name == "." {
		var err error
		if name, err = first(folder, names); err != nil {
			return nil, name, err
		}
	}
	o.Name = name
	for _, beside := range []struct {
		name string
		to   *[]byte
	}{{"tokenizer_config.json", &o.Config}, {"special_tokens_map.json", &o.SpecialTokensMap}, {"chat_template.jinja", &o.ChatTemplate}} {
		if *beside.to != nil {
			continue
		}
		data, err := fs.ReadFile(folder, beside.name)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, beside.name, err
		}
		*beside.to = data
	}
	t, err := open(folder, o)
	return t, name, err
}

// first is the first of the names that a folder has. Of several that fit a pattern, none is the right one.
func first(folder fs.FS, names []string) (string, error) {
	entries, err := fs.ReadDir(folder, ".")
	if err != nil {
		return ".", err
	}
	for _, name := range names {
		var fit []string // in order
		for _, e := range entries {
			if ok, _ := path.Match(name, e.Name()); ok && !e.IsDir() {
				fit = append(fit, e.Name())
			}
		}
		switch len(fit) {
		case 0:
		case 1:
			return fit[0], nil
		default:
			return ".", fmt.Errorf("it holds more than one tokenizer: %s and %s; name the file", fit[0], fit[1])
		}
	}
	return names[0], nil // reading it says that it does not exist
}

// maxFile is far above the largest tokenizer that is known. Of a GGUF only the head is read.
const maxFile = 1 << 29

// magicGGUF is how a GGUF begins.
const magicGGUF = "GGUF"

func open(folder fs.FS, o Options) (*Tokenizer, error) {
	file, err := folder.Open(o.Name)
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
	in := bufio.NewReader(file)
	if head, _ := in.Peek(len(magicGGUF)); string(head) == magicGGUF {
		s, err := spec.ParseSettings(o.SpecialTokensMap, o.Config, o.ChatTemplate)
		if err != nil {
			return nil, err
		}
		from, err := source.GGUF(in)
		return finish(from, s, err)
	}
	if info.Size() > maxFile {
		return nil, fmt.Errorf("it is larger than %d MiB, so it is no tokenizer", maxFile>>20)
	}
	data := make([]byte, info.Size())
	if _, err := io.ReadFull(in, data); err != nil {
		return nil, err
	}
	return Parse(data, o)
}

var ranks = regexp.MustCompile(`^[A-Za-z0-9+/]+={0,2} [0-9]+\r?(\n|$)`)

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
