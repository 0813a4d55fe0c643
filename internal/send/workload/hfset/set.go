// Package hfset knows sets of Hugging Face's: where their files lie, in which order vLLM's
// client takes their rows, and what it makes of a row. Each known set is an entry of a
// table that says so.
package hfset

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/inferometer/inferometer/internal/files/table"
)

// Sample is what a row says of a request.
type Sample struct {
	Prompt   string
	System   string            // a message before the prompt, in a chat template
	Answer   string            // recorded; its length may be asked for
	Output   int               // tokens to generate, where the row says so
	Media    []json.RawMessage // parts of a chat message
	Messages []any             // a whole chat in place of the prompt
	Tools    []any             // that the model may call
}

// Wrap says whether a prompt is put into the model's chat template.
type Wrap int

// The ways to wrap a prompt.
const (
	Bare     Wrap = iota // as it is
	Template             // unless the user skips it
	Always
)

// Set is a set that vLLM's client knows.
type Set struct {
	Names  []string
	Doc    string
	Split  string // unless the user names one
	Subset string
	// NoSubset says that the user's is not heeded, as in vLLM.
	NoSubset bool
	Columns  []string
	// Output is the tokens to generate; 0: as many as the recorded answer has.
	Output int
	// OwnOutput says that the answer's length wins over what the user asks for.
	OwnOutput bool
	// PlainAnswer says that the answer is counted without special tokens.
	PlainAnswer bool
	Wrap        Wrap
	// Limits are those of lengths; nil: none.
	Limits *Limits
	// Chat says that it can only be sent as a chat.
	Chat bool
	// Read makes a sample of a row; not ok: the row is left out.
	Read func(row table.Object, o *Options) (s Sample, ok bool, err error)
	// Guessed is the column of the prompts where only its name says so.
	Guessed string
	// files finds the set's files in another way than by split and subset.
	files func(root string, o *Options) ([]string, error)
	// shuffled makes the order in another way than datasets do.
	shuffled func(s shards, o *Options) order
}

// Limits are bounds on lengths in tokens.
type Limits struct {
	Prompt, Total int
	// Always says that they hold where the user sets the output length, too.
	Always bool
}

// shortest is the least that a prompt and an answer have under limits.
const shortest = 4

// Fit says whether the lengths are within the limits; asked: the output length is the user's.
func (l *Limits) Fit(prompt, output int, asked bool) bool {
	if l == nil || asked && !l.Always {
		return true
	}
	return prompt >= shortest && output >= shortest && prompt <= l.Prompt && prompt+output <= l.Total
}

// Options are what a set is read with.
type Options struct {
	Path          string // a file or a folder
	Subset, Split string
	Name          string // of the set
	Seed          uint64
	Shuffle       bool
	Stream        bool // by a buffer, as datasets shuffle what they stream
	MinDistance   float64
	MaxDistance   float64
	Categories    []string
	// PromptColumn, AnswerColumn and ImageColumn are those of a set that is not known.
	PromptColumn, AnswerColumn, ImageColumn string
}

// Find is the set with this name; nil where it is not known.
func Find(name string) *Set {
	for _, s := range Known {
		if slices.Contains(s.Names, name) {
			return s
		}
	}
	return nil
}

// text is the text at a place in a row.
func text(row table.Object, path ...any) (string, error) {
	v, err := table.At(row, path...)
	if err != nil {
		return "", err
	}
	s, ok := table.Text(v)
	if !ok {
		return "", fmt.Errorf("%s is no text", strings.TrimSpace(fmt.Sprintln(path...)))
	}
	return s, nil
}

// texts reads several columns.
func texts(row table.Object, columns ...string) (map[string]string, error) {
	out := make(map[string]string, len(columns))
	for _, c := range columns {
		s, err := text(row, c)
		if err != nil {
			return nil, err
		}
		out[c] = s
	}
	return out, nil
}
