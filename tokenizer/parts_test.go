package tokenizer

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/inferometer/inferometer/tokenizer/internal/bytelevel"
	"github.com/inferometer/inferometer/tokenizer/internal/decode"
	"github.com/inferometer/inferometer/tokenizer/internal/normal"
	"github.com/inferometer/inferometer/tokenizer/internal/spec"
	"github.com/inferometer/inferometer/tokenizer/internal/split"
)

// part is one part of the pipeline, with what the reference makes of each text.
type part[T any] struct {
	Step json.RawMessage
	Out  []T
}

func (p *part[T]) parse(t *testing.T) *spec.Step {
	t.Helper()
	var s spec.Step
	if err := json.Unmarshal(p.Step, &s); err != nil {
		t.Fatal(err)
	}
	return &s
}

// TestParts holds each normalizer, pre-tokenizer and decoder to Hugging Face's. testdata/parts.py makes the file.
func TestParts(t *testing.T) {
	var all struct {
		Texts         []string
		Tokens        [][]string
		Normalizers   []part[string]
		PreTokenizers []part[[]string] `json:"pre_tokenizers"`
		Decoders      []part[string]
	}
	readPacked(t, "testdata/parts.json.gz", &all)
	for _, p := range all.Normalizers {
		n, err := normal.New(p.parse(t))
		if err != nil {
			t.Fatal(err)
		}
		for i, text := range all.Texts {
			if got := normal.All(n, text, &spec.Budget{}); got != p.Out[i] {
				t.Errorf("%.80s: %q becomes %q, want %q", p.Step, text, got, p.Out[i])
			}
		}
	}
	for _, p := range all.PreTokenizers {
		pre, err := split.New(p.parse(t))
		if err != nil {
			t.Fatal(err)
		}
		for i, text := range all.Texts {
			if got := piecesOf(pre, text, true, 0); !slices.Equal(got, p.Out[i]) {
				t.Errorf("%s: %q is cut into\n%q, want\n%q", p.Step, text, got, p.Out[i])
			}
		}
	}
	for _, p := range all.Decoders {
		steps, err := decode.New(p.parse(t))
		if err != nil {
			t.Fatal(err)
		}
		for i, tokens := range all.Tokens {
			names := slices.Clone(tokens)
			for _, d := range steps {
				names = d(names)
			}
			if got := strings.Join(names, ""); got != p.Out[i] {
				t.Errorf("%s: %q becomes %q, want %q", p.Step, tokens, got, p.Out[i])
			}
		}
	}
	if len(all.Texts) < 150 || len(all.Normalizers) < 15 || len(all.PreTokenizers) < 50 || len(all.Decoders) < 10 {
		t.Error("the file holds less than it should")
	}
}

// piecesOf are the pieces as the reference shows them: those of byte-level ones spelled.
func piecesOf(p *split.Pretokenizer, text string, atStart bool, depth int) (out []string) {
	if text == "" {
		return nil
	}
	if depth == len(p.Steps) {
		if p.ByteLevel {
			text = string(bytelevel.AppendSpelling(nil, text))
		}
		return []string{text}
	}
	step := p.Steps[depth]
	if step.Prepare != nil {
		text = step.Prepare(text, atStart)
	}
	spans, cut := step.Cut(text, nil, &spec.Budget{})
	if !cut {
		return piecesOf(p, text, atStart, depth+1)
	}
	for _, s := range spans {
		out = append(out, piecesOf(p, text[s.From:s.To], atStart && s.From == 0, depth+1)...)
	}
	return out
}
