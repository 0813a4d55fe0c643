package workload

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/inferometer/inferometer/internal/option"
	"github.com/inferometer/inferometer/internal/send/workload/prompts"
)

var custom = NewKind(Kind{
	Name: "custom", Doc: "Lines of JSON with a prompt, and output_tokens where wanted.", File: true, AllOfFile: true,
	SharedKeys: []string{keySkipChatTemplate, keyNoOversample, keyDisableShuffle, keyChatTemplateKwargs, keyChatTemplateDate},
}, openCustom)

// CustomOptions shape the custom dataset.
type CustomOptions struct {
	OutputLen int `json:"output_len" flag:"custom-output-len" follows:"output-len" default:"256" min:"-1" help:"tokens to generate. -1 takes output_tokens of the row."`
}

// Check implements [option.Checker].
func (o *CustomOptions) Check() error {
	if o.OutputLen == 0 {
		return option.Errorf("output_len", "must be at least 1, or -1, not 0")
	}
	return nil
}

// customEntries reads lines of JSON that hold a prompt.
type customEntries struct {
	parse     func(raw []byte) (customLine, error)
	tok       prompts.Tokenizer
	template  bool
	outputLen int
}

func openCustom(o Options, own *CustomOptions) (Dataset, error) {
	return openPrompts(o, own.OutputLen, "", parseCustomLine)
}

// openPrompts makes requests of the lines of a file, or of those of one category.
func openPrompts(o Options, outputLen int, category string, parse func([]byte) (customLine, error)) (Dataset, error) {
	c, err := openCorpus(o.Path, indexLines)
	if err != nil {
		return nil, err
	}
	if err := keepCategory(c, category); err != nil {
		c.file.Close()
		return nil, err
	}
	n := o.NumPrompts
	if n <= 0 {
		n = len(c.spans)
	}
	// Without a tokenizer there is no template to apply, and vLLM applies none.
	entries := &customEntries{parse, o.Tokenizer, o.Tokenizer != nil && !o.SkipChatTemplate, outputLen}
	d, err := newFileDataset(c, entries, o, n)
	if err != nil {
		c.file.Close()
		return nil, err
	}
	return d, nil
}

// customLine is {"prompt": ..., "output_tokens": ...}.
type customLine struct {
	Prompt       *string         `json:"prompt"`
	OutputTokens json.RawMessage `json:"output_tokens"`
}

func parseCustomLine(raw []byte) (customLine, error) {
	var line customLine
	if err := json.Unmarshal(raw, &line); err != nil {
		return line, fmt.Errorf("each line must be a JSON object with a prompt: %w", err)
	}
	if line.Prompt == nil {
		return line, fmt.Errorf("it has no prompt")
	}
	return line, nil
}

func (c *customEntries) request(raw []byte) (*Request, error) {
	line, err := c.parse(raw)
	if err != nil {
		return nil, err
	}
	r := &Request{}
	if r.OutputTokens, err = c.outputTokens(line.OutputTokens); err != nil {
		return nil, err
	}
	if r.Prompt, err = c.render(line); err != nil {
		return nil, err
	}
	if c.tok != nil {
		r.PromptTokens, err = prompts.CountTokens(c.tok, r.Prompt)
	}
	return r, err
}

// outputTokens is how many are asked for: by the option, or by the row.
func (c *customEntries) outputTokens(row json.RawMessage) (int, error) {
	if c.outputLen != -1 {
		return c.outputLen, nil
	}
	n, err := wholeNumber(row)
	if err != nil {
		return 0, fmt.Errorf("output_tokens: %w (it is needed with --custom-output-len -1)", err)
	}
	return n, nil
}

func (c *customEntries) prompt(raw []byte) (string, error) {
	line, err := c.parse(raw)
	if err != nil {
		return "", err
	}
	return c.render(line)
}

func (c *customEntries) render(line customLine) (string, error) {
	if !c.template {
		return *line.Prompt, nil
	}
	return prompts.AsChat(c.tok, *line.Prompt)
}

// wholeNumber reads a JSON number, cut to a whole one, or a string that holds a
// whole one.
func wholeNumber(raw json.RawMessage) (int, error) {
	text := string(raw)
	switch {
	case text == "" || text == "null":
		return 0, fmt.Errorf("it is not there")
	case strings.HasPrefix(text, `"`):
		var s string
		if err := json.Unmarshal(raw, &s); err != nil {
			return 0, err
		}
		return strconv.Atoi(strings.TrimSpace(s))
	}
	f, err := strconv.ParseFloat(text, 64)
	return int(f), err
}
