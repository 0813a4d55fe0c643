package workload

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	"github.com/inferometer/inferometer/internal/send/workload/prompts"
)

// The bounds within which vLLM takes a conversation, in tokens.
const (
	shareGPTMin       = 4
	shareGPTMaxPrompt = 1024
	shareGPTMaxTotal  = 2048
)

var shareGPT = NewKind(Kind{
	Name: "sharegpt", Doc: "Conversations of a file in ShareGPT's form: the first turn is sent.", File: true,
	SharedKeys: []string{keyNoOversample, keyDisableShuffle},
}, openShareGPT)

// ShareGPTOptions shape the sharegpt dataset.
type ShareGPTOptions struct {
	OutputLen *int `json:"output_len" flag:"sharegpt-output-len" follows:"output-len" min:"1" shown:"as long as the recorded answer" help:"tokens to generate."`
}

// shareGPTEntries reads conversations: the first turn is the prompt, the second says how
// long an answer to ask for.
type shareGPTEntries struct {
	tok       prompts.Tokenizer
	outputLen *int // nil: as long as the answer in the file
}

func openShareGPT(o Options, own *ShareGPTOptions) (Dataset, error) {
	if o.Tokenizer == nil {
		return nil, prompts.ErrNoTokenizer
	}
	type turns struct{ Conversations []struct{} }
	c, err := openCorpus(o.Path, func(r io.Reader) ([]span, error) {
		return indexArray(r, func(t turns) bool { return len(t.Conversations) >= 2 })
	})
	if err != nil {
		return nil, err
	}
	d, err := newFileDataset(c, &shareGPTEntries{o.Tokenizer, own.OutputLen}, o, o.NumPrompts)
	if err != nil {
		c.file.Close()
		return nil, err
	}
	return d, nil
}

// firstTurns reads the prompt and the answer of a conversation.
func firstTurns(raw []byte) (prompt, answer string, err error) {
	var entry struct {
		Conversations []struct{ Value *string }
	}
	// An element's span begins behind the one before, at its comma.
	if err := json.Unmarshal(bytes.TrimLeft(raw, ", \t\r\n"), &entry); err != nil {
		return "", "", err
	}
	turns := entry.Conversations
	if len(turns) < 2 || turns[0].Value == nil || turns[1].Value == nil {
		return "", "", fmt.Errorf("its first two conversations must have a value")
	}
	return *turns[0].Value, *turns[1].Value, nil
}

func (s *shareGPTEntries) request(raw []byte) (*Request, error) {
	prompt, answer, err := firstTurns(raw)
	if err != nil {
		return nil, err
	}
	in, err := prompts.CountTokens(s.tok, prompt)
	if err != nil || in < shareGPTMin || in > shareGPTMaxPrompt {
		return nil, err
	}
	var out int
	if s.outputLen != nil {
		out = *s.outputLen
	} else if out, err = prompts.CountTokens(s.tok, answer); err != nil || out < shareGPTMin {
		return nil, err
	}
	if in+out > shareGPTMaxTotal {
		return nil, nil
	}
	return &Request{Prompt: prompt, PromptTokens: in, OutputTokens: out}, nil
}

func (s *shareGPTEntries) prompt(raw []byte) (string, error) {
	prompt, _, err := firstTurns(raw)
	return prompt, err
}
