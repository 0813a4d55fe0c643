package workload

import (
	_ "embed"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/inferometer/inferometer/internal/compat/numpy"
	"github.com/inferometer/inferometer/internal/option"
	"github.com/inferometer/inferometer/internal/send/workload/prompts"
)

const (
	sonnetTask = "Pick as many lines as you can from these poem lines:\n"
	// sonnetPatience is how many prompts in a row may come out too long before we
	// say so; vLLM would try for ever.
	sonnetPatience = 10_000
)

// poem is what is read without a file: the text that vLLM's client had, when it had
// this dataset. Shakespeare's words are free; the choice of them is vLLM's (Apache-2.0).
//
//go:embed text/sonnet.txt
var poem string

var sonnet = NewKind(Kind{Name: "sonnet", Doc: "Prompts of the lines of a poem, the first of which all share: Shakespeare's sonnets, or those of a file. Of older vLLM: 0.32 no longer has it.", File: true, BuiltIn: true, SharedKeys: []string{keySkipChatTemplate, keyChatTemplateDate}}, openSonnet)

// SonnetOptions shape the sonnet dataset.
type SonnetOptions struct {
	InputLen  int `json:"input_len" flag:"sonnet-input-len" follows:"input-len" default:"550" min:"1" help:"tokens of a prompt. Older vLLM."`
	OutputLen int `json:"output_len" flag:"sonnet-output-len" follows:"output-len" default:"150" min:"1" help:"tokens to generate. Older vLLM."`
	PrefixLen int `json:"prefix_len" flag:"sonnet-prefix-len" follows:"prefix-len" default:"200" min:"0" help:"tokens that all prompts begin with. Older vLLM."`
}

// Check implements [option.Checker].
func (o *SonnetOptions) Check() error {
	if o.InputLen <= o.PrefixLen {
		return option.Errorf("input_len", "must be above %s, and %d is not above %d", option.Ref("prefix_len"), o.InputLen, o.PrefixLen)
	}
	return nil
}

// sonnetDataset makes prompts of lines of a poem: first lines that all prompts share,
// then lines drawn at random. No prompt is longer than the input length.
type sonnetDataset struct {
	opts   Options
	own    *SonnetOptions
	lines  []string
	prefix string // the task and the shared lines
	extra  int    // lines to draw
	random *numpy.Python
	drafts *prompts.Ahead[*sonnetDraft]
	next   int
}

// sonnetDraft is a prompt that may be too long. How many lines are drawn for it
// does not depend on the drafts before, so drafts may be made before it is known
// whether they are wanted.
type sonnetDraft struct {
	text   string
	tokens int
	err    error
}

func openSonnet(o Options, own *SonnetOptions) (Dataset, error) {
	if o.Tokenizer == nil {
		return nil, prompts.ErrNoTokenizer
	}
	text := poem
	if o.Path != "" {
		b, err := os.ReadFile(o.Path)
		if err != nil {
			return nil, err
		}
		text = string(b)
	}
	lines := strings.SplitAfter(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	if len(lines) == 0 {
		return nil, fmt.Errorf("%s is empty", o.Path)
	}
	return newSonnet(o, own, lines, o.Seed)
}

func newSonnet(o Options, own *SonnetOptions, lines []string, seed uint64) (*sonnetDataset, error) {
	s := &sonnetDataset{opts: o, own: own, lines: lines, random: numpy.NewPython(seed)}
	total, err := prompts.CountAll(o.Tokenizer, lines)
	if err != nil {
		return nil, err
	}
	perLine := float64(total) / float64(len(lines))
	_, base, err := s.render(sonnetTask)
	if err != nil {
		return nil, err
	}
	if own.InputLen <= base {
		return nil, fmt.Errorf("an input of %d tokens leaves no room for a line: the task alone has %d; raise --sonnet-input-len", own.InputLen, base)
	}
	fitting := func(tokens, least int) int { // Python rounds halves to even
		return max(int(math.RoundToEven(float64(tokens-base)/perLine)), least)
	}
	shared := fitting(own.PrefixLen, 0)
	s.extra = fitting(own.InputLen, 1) - shared
	s.prefix = sonnetTask + strings.Join(lines[:min(shared, len(lines))], "")
	s.drafts = prompts.NewAhead(own.InputLen, s.draft, func(d *sonnetDraft) {
		d.text, d.tokens, d.err = s.render(d.text)
	})
	if _, known := o.Tokenizer.(prompts.Vocabulary); !known {
		// The server is not to be asked for much that nobody wants.
		s.drafts.Workers = min(prompts.ThroughAtOnce, o.NumPrompts)
		s.drafts.Window = s.drafts.Workers
	}
	return s, nil
}

// render gives the prompt as it is sent, and its length as the server will see it.
func (s *sonnetDataset) render(prompt string) (string, int, error) {
	if s.opts.SkipChatTemplate {
		n, err := prompts.CountTokens(s.opts.Tokenizer, prompt)
		return prompt, n, err
	}
	text, err := prompts.AsChat(s.opts.Tokenizer, prompt)
	if err != nil {
		if !s.opts.Chat {
			return "", 0, err
		}
		text = prompt // only the count would have been better
	}
	n, err := prompts.CountTokens(s.opts.Tokenizer, text)
	if s.opts.Chat {
		return prompt, n, err
	}
	return text, n, err
}

// draft draws the lines of a prompt. There is no end of drafts: Next stops them.
func (s *sonnetDataset) draft() (*sonnetDraft, bool) {
	var b strings.Builder
	b.WriteString(s.prefix)
	for range s.extra {
		b.WriteString(s.lines[s.random.Choices(len(s.lines))])
	}
	return &sonnetDraft{text: b.String()}, true
}

// Next implements Source.
func (s *sonnetDataset) Next() (*Request, error) {
	if s.next >= s.opts.NumPrompts {
		return nil, io.EOF
	}
	for range sonnetPatience {
		d, ok := s.drafts.Next()
		if !ok {
			return nil, io.EOF
		}
		if d.err != nil {
			return nil, d.err
		}
		if d.tokens <= s.own.InputLen {
			r := &Request{Index: s.next, Prompt: d.text, PromptTokens: d.tokens, OutputTokens: s.own.OutputLen}
			if s.next++; s.next == s.opts.NumPrompts {
				s.drafts.Stop()
			}
			return r, nil
		}
	}
	return nil, errors.New("sonnet: no prompt fits: the shared lines leave too little room; lower --sonnet-prefix-len or raise --sonnet-input-len")
}

func (s *sonnetDataset) start() { s.drafts.Start() }

// Len implements Dataset.
func (s *sonnetDataset) Len() int { return s.opts.NumPrompts }

// Close implements Dataset.
func (s *sonnetDataset) Close() error {
	s.drafts.Stop()
	return nil
}

// Warmups implements Dataset. The poem is turned round, so that the shared lines
// are others too.
func (s *sonnetDataset) Warmups(n int) ([]*Request, error) {
	if n <= 0 {
		return nil, nil
	}
	lines := slices.Clone(s.lines)
	slices.Reverse(lines)
	o := s.opts
	o.NumPrompts = n
	w, err := newSonnet(o, s.own, lines, warmSeed(o.Seed))
	if err != nil {
		return nil, err
	}
	defer w.Close()
	return take(w, n)
}
