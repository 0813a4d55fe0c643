package source

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/inferometer/inferometer/tokenizer/internal/spec"
)

// The kinds of tokens that SentencePiece and GGUF have.
const (
	kindNormal = iota + 1
	kindUnknown
	kindControl
	kindUserDefined
	kindUnused
	kindByte
)

const spaceMark = "▁"

// GGUF reads the tokenizer inside a GGUF, as llama.cpp understands it. It reads the head of the file only.
func GGUF(file io.Reader) (*Tokenizer, error) {
	m, err := readGGUF(file)
	if err != nil {
		return nil, err
	}
	g := &gguf{metadata: m, names: m.texts("ggml.tokens")}
	if len(g.names) == 0 {
		return nil, errors.New("the GGUF holds no tokenizer")
	}
	g.out.Settings = g.settings()
	g.readKinds()
	switch model := m.text("ggml.model"); model {
	case "gpt2":
		err = g.gpt2(m.text("ggml.pre"))
	case "gemma4":
		err = g.gpt2("gemma4")
	case "llama":
		err = g.llama()
	case "bert":
		err = g.bert()
	case "t5":
		err = g.t5()
	default:
		err = spec.Unsupported("tokenizer.ggml.model", fmt.Sprintf("%q", model))
	}
	return &g.out, err
}

type gguf struct {
	metadata
	names []string
	kinds []int64
	out   Tokenizer
}

func (g *gguf) name(id int32) string {
	if id < 0 || int(id) >= len(g.names) {
		return ""
	}
	return g.names[id]
}

func (g *gguf) settings() (s spec.Settings) {
	for key, token := range map[string]*spec.TokenText{
		"bos": &s.BOS, "eos": &s.EOS, "unknown": &s.Unknown, "seperator": &s.Separator, "padding": &s.Padding, "cls": &s.Classifier, "mask": &s.Mask,
	} {
		*token = spec.TokenText(g.name(g.id("ggml."+key+"_token_id", -1)))
	}
	if template := g.text("chat_template"); template != "" {
		s.ChatTemplate, _ = json.Marshal(template) // a text always has a JSON
	}
	return s
}

// readKinds makes added tokens of the control and the user-defined ones: llama.cpp looks for both in the text.
func (g *gguf) readKinds() {
	g.kinds, _ = g.metadata["tokenizer.ggml.token_type"].([]int64)
	for id, name := range g.names {
		if name == "" {
			g.names[id] = fmt.Sprintf("[EMPTY_%d]", id)
		}
		switch g.kind(id) {
		case kindControl, kindUnknown, kindUserDefined:
			g.out.Format.AddedTokens = append(g.out.Format.AddedTokens, spec.AddedToken{
				ID: int32(id), Content: g.names[id], Special: g.kind(id) != kindUserDefined,
				// llama.cpp's attributes for a few families, by their name, are not in the file.
			})
		}
	}
}

func (g *gguf) kind(id int) int64 {
	if id < len(g.kinds) {
		return g.kinds[id]
	}
	return kindNormal
}

// around adds the tokens before and after a text.
func (g *gguf) around(before, after int32) {
	g.out.Format.PostProcessor = template(before, after, g.name)
}

// template is the post-processor that adds tokens around a text; below 0 there is none.
func template(before, after int32, name func(int32) string) *spec.Step {
	s := &spec.Step{Type: "TemplateProcessing", SpecialTokens: map[string]struct {
		IDs []int32 `json:"ids"`
	}{}}
	add := func(id int32) {
		if id < 0 {
			return
		}
		s.Single = append(s.Single, spec.TemplatePart{SpecialToken: &struct{ ID string }{name(id)}})
		s.SpecialTokens[name(id)] = struct {
			IDs []int32 `json:"ids"`
		}{[]int32{id}}
	}
	add(before)
	s.Single = append(s.Single, spec.TemplatePart{Sequence: &struct{ ID string }{"A"}})
	add(after)
	return s
}

// when is the token if the switch is on.
func when(on bool, id int32) int32 {
	if on {
		return id
	}
	return -1
}

func (g *gguf) gpt2(pre string) error {
	rule, ok := pretokenizers[pre]
	if !ok {
		return spec.Unsupported("tokenizer.ggml.pre", fmt.Sprintf("%q", pre))
	}
	f := &g.out.Format
	f.Model = spec.Model{Type: "BPE", IgnoreMerges: rule.ignoreMerges, Vocab: spec.NewVocabulary(g.names), ByteFallback: rule.marks}
	if err := f.Model.SetMerges(g.texts("ggml.merges")); err != nil {
		return err
	}
	f.PreTokenizer = &spec.Step{Type: "Sequence"}
	for _, pattern := range rule.patterns {
		f.PreTokenizer.Pretokenizers = append(f.PreTokenizer.Pretokenizers,
			spec.Step{Type: "Split", Behavior: "Isolated", Pattern: spec.Pattern{Regex: pattern}})
	}
	if rule.marks {
		f.Normalizer = replaceSpaces()
		f.Decoder = &spec.Step{Type: "Sequence", Decoders: []spec.Step{restoreSpaces(), {Type: "ByteFallback"}, {Type: "Fuse"}}}
	} else {
		f.PreTokenizer.Pretokenizers = append(f.PreTokenizer.Pretokenizers, byteLevel())
		f.Decoder = &spec.Step{Type: "ByteLevel"}
	}
	g.around(when(g.flag("ggml.add_bos_token", rule.addBOS), g.id("ggml.bos_token_id", 11)), when(g.flag("ggml.add_eos_token", false), g.id("ggml.eos_token_id", 11)))
	return nil
}

func byteLevel() spec.Step {
	off := false
	return spec.Step{Type: "ByteLevel", AddPrefixSpace: &off, UseRegex: &off}
}

func replaceSpaces() *spec.Step {
	return &spec.Step{Type: "Replace", Pattern: spec.Pattern{String: " "}, Content: json.RawMessage(`"▁"`)}
}

func restoreSpaces() spec.Step {
	return spec.Step{Type: "Replace", Pattern: spec.Pattern{String: spaceMark}, Content: json.RawMessage(`" "`)}
}

// llama is SentencePiece's BPE: the merge with the highest score goes first. It has no normalizer but for spaces.
func (g *gguf) llama() error {
	scores, _ := g.metadata["tokenizer.ggml.scores"].([]float64)
	if len(scores) < len(g.names) {
		return errors.New("the GGUF has fewer scores than tokens")
	}
	f := &g.out.Format
	f.Model = spec.Model{Type: "BPE", ByteFallback: true, FuseUnk: false, Vocab: spec.NewVocabulary(g.names)}
	unknown := g.name(g.id("ggml.unknown_token_id", 0))
	f.Model.UnkToken = &unknown
	if err := mergesByScore(&f.Model, scores[:len(g.names)], func(int) bool { return true }); err != nil {
		return err
	}
	f.Normalizer = &spec.Step{Type: "Sequence"}
	decoders := []spec.Step{restoreSpaces(), {Type: "ByteFallback"}, {Type: "Fuse"}}
	if g.flag("ggml.add_space_prefix", true) {
		f.Normalizer.Normalizers = append(f.Normalizer.Normalizers, spec.Step{Type: "Prepend", Prepend: " "})
		decoders = append(decoders, spec.Step{Type: "Strip", Content: json.RawMessage(`" "`), Start: 1})
	}
	f.Normalizer.Normalizers = append(f.Normalizer.Normalizers, *replaceSpaces())
	f.Decoder = &spec.Step{Type: "Sequence", Decoders: decoders}
	g.around(when(g.flag("ggml.add_bos_token", true), g.id("ggml.bos_token_id", 1)), when(g.flag("ggml.add_eos_token", false), g.id("ggml.eos_token_id", 2)))
	return nil
}

// bert is WordPiece. Its file marks the tokens that begin words, where others mark those that go on.
func (g *gguf) bert() error {
	names := make([]string, len(g.names))
	for id, name := range g.names {
		switch word, begins := strings.CutPrefix(name, spaceMark); {
		case g.kind(id) == kindControl || g.kind(id) == kindUnknown:
			names[id] = name
		case begins:
			names[id] = word
		default:
			names[id] = "##" + name
		}
	}
	g.names = names
	for i, t := range g.out.Format.AddedTokens {
		g.out.Format.AddedTokens[i].Content = names[t.ID]
	}
	f := &g.out.Format
	long := math.MaxInt
	unknown := g.name(g.id("ggml.unknown_token_id", 100))
	f.Model = spec.Model{Type: "WordPiece", Prefix: "##", MaxChars: &long, UnkToken: &unknown, Vocab: spec.NewVocabulary(names)}
	lower := g.flag("ggml.normalizer.lowercase", true)
	accents := g.flag("ggml.normalizer.strip_accents", lower)
	f.Normalizer = &spec.Step{Type: "BertNormalizer", Lowercase: &lower, StripAccents: &accents}
	f.PreTokenizer = &spec.Step{Type: "BertPreTokenizer"}
	f.Decoder = &spec.Step{Type: "WordPiece", Prefix: "##"}
	g.around(g.id("ggml.bos_token_id", g.id("ggml.cls_token_id", 101)), g.id("ggml.seperator_token_id", 102))
	return nil
}

// t5 is SentencePiece's Unigram.
func (g *gguf) t5() error {
	scores, _ := g.metadata["tokenizer.ggml.scores"].([]float64)
	if len(scores) < len(g.names) {
		return errors.New("the GGUF has fewer scores than tokens")
	}
	f := &g.out.Format
	f.Model = spec.Model{Type: "Unigram", Vocab: spec.NewVocabulary(g.names), Scores: scores[:len(g.names)], Outside: map[int32]bool{}, UserDefined: map[int32]bool{}}
	unknown := g.id("ggml.unknown_token_id", 2)
	if g.name(unknown) == "" {
		return errors.New("the GGUF names an unknown token that it does not have")
	}
	f.Model.UnkID = &unknown
	charsmap, _ := g.metadata["tokenizer.ggml.precompiled_charsmap"].([]byte)
	f.Normalizer = &spec.Step{
		Type: "SentencePiece", Charsmap: charsmap, EscapeSpaces: true,
		DummyPrefix: g.flag("ggml.add_space_prefix", true), ExtraSpaces: !g.flag("ggml.remove_extra_whitespaces", false),
	}
	for id, name := range g.names {
		switch g.kind(id) {
		case kindNormal, kindUnused:
		case kindUserDefined:
			f.Model.UserDefined[int32(id)] = true
			f.Model.Scores[id] = 0
			f.Normalizer.UserDefined = append(f.Normalizer.UserDefined, name)
		default:
			f.Model.Outside[int32(id)] = true
		}
	}
	decoders := []spec.Step{restoreSpaces(), {Type: "Fuse"}, {Type: "Strip", Content: json.RawMessage(`" "`), Start: 1}}
	f.Decoder = &spec.Step{Type: "Sequence", Decoders: decoders}
	g.around(when(g.flag("ggml.add_bos_token", false), g.id("ggml.bos_token_id", -1)), when(g.flag("ggml.add_eos_token", true), g.id("ggml.eos_token_id", 1)))
	return nil
}
