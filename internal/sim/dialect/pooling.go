package dialect

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/inferometer/inferometer/internal/sim/vocab"
)

// The paths whose answers are vectors or scores, as vLLM and Infinity have them.
var PoolingPaths = []string{PathEmbeddings, "/embeddings", "/pooling", "/rerank", "/v1/rerank", "/v2/rerank"}

// pooledBody is the part of such a request that the sim heeds.
type pooledBody struct {
	Input     json.RawMessage `json:"input"`
	Messages  []Message       `json:"messages"`
	Query     string          `json:"query"`
	Documents []string        `json:"documents"`
}

// ReadPooled gives the tokens of each input, and how many images, videos and sounds are in them.
func ReadPooled(m *Model, path string, raw []byte) (inputs [][]int32, media int, err error) {
	var b pooledBody
	if err := json.Unmarshal(raw, &b); err != nil {
		return nil, 0, err
	}
	inputs, err = b.tokens(m.Tokenizer, strings.HasSuffix(path, "rerank"))
	if err != nil {
		return nil, 0, err
	}
	return inputs, mediaParts(b.Messages), nil
}

// tokens are the ids of each input. Of documents to rank each is read with the query.
func (b *pooledBody) tokens(t vocab.Tokenizer, rank bool) ([][]int32, error) {
	switch {
	case rank && (b.Query == "" || len(b.Documents) == 0):
		return nil, errors.New("a query and documents are needed")
	case rank:
		var all [][]int32
		for _, d := range b.Documents {
			ids, err := t.Encode(b.Query + " " + d)
			if err != nil {
				return nil, err
			}
			all = append(all, ids)
		}
		return all, nil
	case len(b.Messages) > 0:
		ids, err := ChatPrompt(b.Messages, t)
		return [][]int32{ids}, err
	}
	return embeddingInputs(b.Input, t)
}

// mediaParts counts the images, videos and sounds of messages.
func mediaParts(messages []Message) int {
	n := 0
	for _, m := range messages {
		var parts []struct {
			Type string `json:"type"`
		}
		if json.Unmarshal(m.Content, &parts) != nil {
			continue
		}
		for _, p := range parts {
			if p.Type != "text" {
				n++
			}
		}
	}
	return n
}

// embeddingInputs reads one text, a list of texts, or token ids.
func embeddingInputs(raw json.RawMessage, t vocab.Tokenizer) ([][]int32, error) {
	var texts []string
	if json.Unmarshal(raw, &texts) != nil {
		ids, err := promptTokens(raw, t)
		if err != nil {
			return nil, fmt.Errorf("input: %w", err)
		}
		return [][]int32{ids}, nil
	}
	var all [][]int32
	for _, text := range texts {
		ids, err := t.Encode(text)
		if err != nil {
			return nil, fmt.Errorf("input: %w", err)
		}
		all = append(all, ids)
	}
	return all, nil
}
