// Package decode holds the decoders: what is done to the names of tokens on their way to text.
package decode

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/inferometer/inferometer/tokenizer/internal/bytelevel"
	"github.com/inferometer/inferometer/tokenizer/internal/normal"
	"github.com/inferometer/inferometer/tokenizer/internal/spec"
)

// A Decoder rewrites the names of tokens on their way to text.
type Decoder func(names []string) []string

// New flattens the decoder section into steps.
func New(s *spec.Step) ([]Decoder, error) {
	if s != nil && s.Type == "Metaspace" && s.Replacement != "" {
		return []Decoder{joinMetaspace(s)}, nil // no other step sees its names
	}
	return newSteps(s)
}

func newSteps(s *spec.Step) ([]Decoder, error) {
	if s == nil {
		// Without a decoder the format says: names, with a space between them.
		return []Decoder{func(names []string) []string { return []string{strings.Join(names, " ")} }}, nil
	}
	switch s.Type {
	case "Sequence":
		return spec.Flatten(s.Decoders, newSteps)
	case "ByteLevel":
		return []Decoder{decodeBytes}, nil
	case "ByteFallback":
		return []Decoder{decodeFallback}, nil
	case "Fuse":
		return []Decoder{func(names []string) []string { return []string{strings.Join(names, "")} }}, nil
	case "Metaspace":
		if s.Replacement == "" {
			return nil, errors.New("decoder Metaspace: no replacement")
		}
		return []Decoder{decodeMetaspace(s)}, nil
	case "Replace", "Strip":
		return newEditDecoder(s)
	case "WordPiece":
		return []Decoder{decodeWordPiece(s)}, nil
	case "BPEDecoder":
		return []Decoder{decodeBPE(s)}, nil
	case "SentencePiece": // no tokenizer.json has it
		return []Decoder{decodeSentencePiece(s)}, nil
	case "CTC":
		return []Decoder{decodeCTC(s)}, nil
	}
	return nil, spec.Unsupported("decoder", s.Type)
}

func newEditDecoder(s *spec.Step) ([]Decoder, error) {
	var content string
	if err := json.Unmarshal(s.Content, &content); err != nil {
		return nil, fmt.Errorf("decoder %s: its content is no text: %w", s.Type, err)
	}
	if s.Type == "Strip" {
		return []Decoder{each(func(name string) string { return strip(name, content, s.Start, s.Stop) })}, nil
	}
	if s.Pattern.Regex != "" {
		replace, err := normal.ReplaceRegexp(s.Pattern.Regex, content)
		return []Decoder{func(names []string) []string {
			budget := spec.NewBudget(total(names)) // of all names together
			defer budget.End()
			return each(func(name string) string { return replace(name, &budget) })(names)
		}}, err
	}
	if s.Pattern.String == "" {
		return nil, errors.New("decoder Replace: no pattern")
	}
	return []Decoder{each(func(name string) string { return strings.ReplaceAll(name, s.Pattern.String, content) })}, nil
}

func total(names []string) (bytes int) {
	for _, name := range names {
		bytes += len(name)
	}
	return bytes
}

func each(edit func(string) string) Decoder {
	return func(names []string) []string {
		for i, name := range names {
			names[i] = edit(name)
		}
		return names
	}
}

// strip takes up to start copies of content from the front, and up to stop from the back.
func strip(name, content string, start, stop int) string {
	for ; start > 0 && content != "" && strings.HasPrefix(name, content); start-- {
		name = name[len(content):]
	}
	for ; stop > 0 && content != "" && strings.HasSuffix(name, content); stop-- {
		name = name[:len(name)-len(content)]
	}
	return name
}

func decodeBytes(names []string) []string {
	size := 0
	for _, name := range names {
		size += len(name)
	}
	b := make([]byte, 0, size)
	for _, name := range names {
		b = bytelevel.AppendBytes(b, name)
	}
	return []string{bytelevel.Lossy(b)}
}

// decodeFallback turns runs of names such as <0xE4> into the text of their bytes, or, where these are
// no text, into one U+FFFD for each.
func decodeFallback(names []string) []string {
	out := make([]string, 0, len(names))
	var run []byte
	flush := func() {
		if utf8.Valid(run) {
			out = append(out, string(run))
		} else {
			out = append(out, strings.Repeat("\uFFFD", len(run)))
		}
		run = run[:0]
	}
	for _, name := range names {
		if b, ok := FallbackByte(name); ok {
			run = append(run, b)
			continue
		}
		flush()
		out = append(out, name)
	}
	flush()
	return out
}

// FallbackByte is the byte that a name such as <0xE4> stands for.
func FallbackByte(name string) (byte, bool) {
	if len(name) != 6 || name[:3] != "<0x" || name[5] != '>' {
		return 0, false
	}
	b, err := strconv.ParseUint(name[3:5], 16, 8)
	return byte(b), err == nil
}
