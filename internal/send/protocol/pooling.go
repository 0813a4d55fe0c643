package protocol

import (
	"encoding/json"
	"errors"

	"github.com/inferometer/inferometer/internal/ordered"
	"github.com/inferometer/inferometer/internal/send/protocol/stream"
)

// The backends whose answers are vectors or scores, as vLLM's client knows them.
var (
	openAIEmbeddings = &Backend{
		Name: "openai-embeddings", Doc: "embeddings", Pooling: true, Framing: stream.Whole, Inputs: true, Protocol: pooling("/v1/embeddings", "embeddings", embeddingsBody),
	}
	openAIEmbeddingsChat = &Backend{
		Name: "openai-embeddings-chat", Doc: "embeddings of messages", Pooling: true, Framing: stream.Whole, Chat: true, Images: true, Sounds: true,
		Protocol: pooling("/v1/embeddings", "embeddings", messagesBody),
	}
	openAIEmbeddingsCLIP = &Backend{
		Name: "openai-embeddings-clip", Doc: "embeddings of messages", Pooling: true, Framing: stream.Whole, Chat: true, Images: true,
		Protocol: pooling("/v1/embeddings", "embeddings", clipBody),
	}
	openAIEmbeddingsVLM2Vec = &Backend{
		Name: "openai-embeddings-vlm2vec", Doc: "embeddings of messages", Pooling: true, Framing: stream.Whole, Chat: true, Images: true,
		Protocol: pooling("/v1/embeddings", "embeddings", vlm2vecBody),
	}
	infinityEmbeddings = &Backend{
		Name: "infinity-embeddings", Doc: "embeddings of the Infinity server", Pooling: true, Framing: stream.Whole, Inputs: true, Protocol: pooling("/embeddings", "embeddings", infinityBody),
	}
	infinityEmbeddingsCLIP = &Backend{
		Name: "infinity-embeddings-clip", Doc: "embeddings of the Infinity server", Pooling: true, Framing: stream.Whole, Inputs: true, Images: true,
		Protocol: pooling("/embeddings", "embeddings", infinityBody),
	}
	vllmPooling = &Backend{
		Name: "vllm-pooling", Doc: "vLLM's pooling", Pooling: true, Framing: stream.Whole, Inputs: true, Protocol: pooling("/pooling", "pooling", poolingBody),
	}
	vllmRerank = &Backend{
		Name: "vllm-rerank", Doc: "reranking of documents", Pooling: true, Framing: stream.Whole, Inputs: true, Query: true, Protocol: pooling("/v1/rerank", "rerank", rerankBody),
	}
)

// pooling is a protocol with one JSON object for an answer, of which the lists are left out. fields sets
// its own fields.
func pooling(path, suffix string, fields func(b *body, c *Call) error) *described {
	return &described{path: path, suffix: suffix, event: openAIEvent(nil), meaning: openAIMeaning, body: func(c *Call) (*body, error) {
		b := newBody(ordered.Object{{"model", c.Model}})
		if err := fields(b, c); err != nil {
			return nil, err
		}
		if !b.Has("query") { // vLLM's client adds no further field to a request to rank
			b.finish(c)
		}
		return b, nil
	}}
}

var (
	errNoMedia = errors.New("this backend takes texts alone: use a chat backend for messages, images and sounds")
	// cutToFit asks vLLM to cut a text to what the model takes, rather than to refuse it.
	cutToFit = -1
)

// input is the text of a call, or its list of texts.
func input(c *Call) any {
	if c.Inputs != nil {
		return c.Inputs
	}
	return c.promptOrIDs()
}

func hasMedia(c *Call) bool { return c.Messages != nil || c.Media != nil || c.Sound != nil }

func embeddingsBody(b *body, c *Call) error {
	if hasMedia(c) {
		return errNoMedia
	}
	b.Set("input", input(c))
	b.Set("truncate_prompt_tokens", cutToFit)
	return nil
}

func poolingBody(b *body, c *Call) error {
	if hasMedia(c) {
		return errNoMedia
	}
	b.Set("truncate_prompt_tokens", cutToFit)
	b.Set("input", input(c))
	return nil
}

func rerankBody(b *body, c *Call) error {
	if len(c.Inputs) < 2 || hasMedia(c) {
		return errors.New("a query and at least one document are needed: use the dataset random-rerank")
	}
	b.Set("query", c.Inputs[0])
	b.Set("documents", c.Inputs[1:])
	b.Set("truncate_prompt_tokens", cutToFit)
	return nil
}

func messagesBody(b *body, c *Call) error { return setMessages(b, c, c.Prompt, false) }

func setMessages(b *body, c *Call, words string, mediaFirst bool) error {
	messages, err := chatMessages(c, words, mediaFirst)
	b.Set("messages", messages)
	b.Set("truncate_prompt_tokens", cutToFit)
	return err
}

// clipBody: CLIP takes a text or an image, so that an image's text is empty.
func clipBody(b *body, c *Call) error {
	if len(c.Media) > 0 {
		return setMessages(b, c, "", false)
	}
	return setMessages(b, c, c.Prompt, false)
}

// vlm2vecBody: every second image has the prompt as a question.
func vlm2vecBody(b *body, c *Call) error {
	words := c.Prompt
	switch {
	case len(c.Media) == 0:
	case c.NoIndex || c.Index%2 == 0:
		words = "Represent the given image."
	default:
		words = "Represent the given image with the following question: " + words
	}
	return setMessages(b, c, words, true)
}

// infinityBody: an image takes the place of the text.
func infinityBody(b *body, c *Call) error {
	if len(c.Media) == 0 && c.Messages == nil && c.Sound == nil {
		b.Set("input", input(c))
		return nil
	}
	if len(c.Media) != 1 || c.Messages != nil || c.Sound != nil {
		return errors.New("a request to Infinity takes one image and no messages: use one item for each")
	}
	var part struct {
		Type  string                         `json:"type"`
		Image *struct{ URL json.RawMessage } `json:"image_url"`
	}
	if err := json.Unmarshal(c.Media[0], &part); err != nil || part.Image == nil {
		return errors.New("of media, Infinity takes images only")
	}
	b.Set("input", part.Image.URL)
	b.Set("modality", "image")
	return nil
}
