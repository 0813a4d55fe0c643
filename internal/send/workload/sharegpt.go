package workload

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
)

// The bounds within which vLLM takes a conversation, in tokens.
const (
	shareGPTMin       = 4
	shareGPTMaxPrompt = 1024
	shareGPTMaxTotal  = 2048
)

// shareGPT reads conversations: the first turn is the prompt, the second says how
// long an answer to ask for.
type shareGPT struct {
	tok       Tokenizer
	outputLen int
}

func openShareGPT(o Options) (Dataset, error) {
	switch {
	case o.Tokenizer == nil:
		return nil, fmt.Errorf("its lengths are in tokens, and there is no tokenizer: give --tokenizer, or leave out --skip-tokenizer-init")
	case o.NumPrompts <= 0:
		return nil, fmt.Errorf("%d prompts are asked for: --num-prompts must be above 0", o.NumPrompts)
	}
	type turns struct{ Conversations []struct{} }
	c, err := openCorpus(o.Path, func(r io.Reader) ([]span, error) {
		return indexArray(r, func(t turns) bool { return len(t.Conversations) >= 2 })
	})
	if err != nil {
		return nil, err
	}
	d, err := newFileDataset(c, &shareGPT{o.Tokenizer, o.ShareGPT.OutputLen}, o, o.NumPrompts)
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

func (s *shareGPT) request(raw []byte) (*Request, error) {
	prompt, answer, err := firstTurns(raw)
	if err != nil {
		return nil, err
	}
	in, err := countTokens(s.tok, prompt)
	if err != nil || in < shareGPTMin || in > shareGPTMaxPrompt {
		return nil, err
	}
	out := s.outputLen
	if out == 0 {
		if out, err = countTokens(s.tok, answer); err != nil || out < shareGPTMin {
			return nil, err
		}
	}
	if in+out > shareGPTMaxTotal {
		return nil, nil
	}
	return &Request{Prompt: prompt, PromptTokens: in, OutputTokens: out}, nil
}

func (s *shareGPT) prompt(raw []byte) (string, error) {
	prompt, _, err := firstTurns(raw)
	return prompt, err
}
