package protocol

import (
	"encoding/json"
	"errors"
)

// The backends whose answers are vectors or scores, as vLLM's client knows them.
var (
	openAIEmbeddings = &Backend{
		Name: "openai-embeddings", Doc: "embeddings", Pooling: true, Framing: Whole, Inputs: true, Protocol: pooling{body: embeddingsBody, path: "/v1/embeddings", suffix: "embeddings"},
	}
	openAIEmbeddingsChat = &Backend{
		Name: "openai-embeddings-chat", Doc: "embeddings of messages", Pooling: true, Framing: Whole, Chat: true, Images: true, Sounds: true,
		Protocol: pooling{body: messagesBody, path: "/v1/embeddings", suffix: "embeddings"},
	}
	openAIEmbeddingsCLIP = &Backend{
		Name: "openai-embeddings-clip", Doc: "embeddings of messages", Pooling: true, Framing: Whole, Chat: true, Images: true,
		Protocol: pooling{body: clipBody, path: "/v1/embeddings", suffix: "embeddings"},
	}
	openAIEmbeddingsVLM2Vec = &Backend{
		Name: "openai-embeddings-vlm2vec", Doc: "embeddings of messages", Pooling: true, Framing: Whole, Chat: true, Images: true,
		Protocol: pooling{body: vlm2vecBody, path: "/v1/embeddings", suffix: "embeddings"},
	}
	infinityEmbeddings = &Backend{
		Name: "infinity-embeddings", Doc: "embeddings of the Infinity server", Pooling: true, Framing: Whole, Inputs: true, Protocol: pooling{body: infinityBody, path: "/embeddings", suffix: "embeddings"},
	}
	infinityEmbeddingsCLIP = &Backend{
		Name: "infinity-embeddings-clip", Doc: "embeddings of the Infinity server", Pooling: true, Framing: Whole, Inputs: true, Images: true,
		Protocol: pooling{body: infinityBody, path: "/embeddings", suffix: "embeddings"},
	}
	vllmPooling = &Backend{
		Name: "vllm-pooling", Doc: "vLLM's pooling", Pooling: true, Framing: Whole, Inputs: true, Protocol: pooling{body: poolingBody, path: "/pooling", suffix: "pooling"},
	}
	vllmRerank = &Backend{
		Name: "vllm-rerank", Doc: "reranking of documents", Pooling: true, Framing: Whole, Inputs: true, Query: true, Protocol: pooling{body: rerankBody, path: "/v1/rerank", suffix: "rerank"},
	}
)

// pooling is a protocol with one JSON object for an answer. body sets its fields; further
// ones of the call follow, unless last says so.
type pooling struct {
	body         func(b *body, c *Call) (last bool, err error)
	path, suffix string
}

func (p pooling) Path() string   { return p.path }
func (p pooling) Suffix() string { return p.suffix }

func (p pooling) AppendBody(dst []byte, c *Call) ([]byte, error) {
	b := &body{}
	if err := b.set("model", c.Model); err != nil {
		return nil, err
	}
	last, err := p.body(b, c)
	if err != nil {
		return nil, err
	}
	own := *c
	if last {
		own.IgnoreEOS, own.Extra = false, nil
	}
	return b.finish(dst, &own)
}

// Decode reads an answer of which the lists were left out.
func (pooling) Decode(d *Decoder, data []byte, c *Chunk) error {
	return d.openAI(data, c, func(s *scanner, _ []byte, _ *Chunk) { s.skip() })
}

var (
	errNoMedia = errors.New("this backend takes texts alone: use a chat backend for messages, images and sounds")
	// cutToFit asks vLLM to cut a text to what the model takes, rather than to refuse it.
	cutToFit = json.RawMessage("-1")
)

// input is the text of a call, or its list of texts.
func input(c *Call) any {
	switch {
	case c.Inputs != nil:
		return c.Inputs
	case c.TokenIDs:
		return json.RawMessage(c.Prompt)
	}
	return c.Prompt
}

func hasMedia(c *Call) bool { return c.Messages != nil || c.Media != nil || c.Sound != nil }

func embeddingsBody(b *body, c *Call) (bool, error) {
	if hasMedia(c) {
		return false, errNoMedia
	}
	return false, errors.Join(b.set("input", input(c)), b.set("truncate_prompt_tokens", cutToFit))
}

func poolingBody(b *body, c *Call) (bool, error) {
	if hasMedia(c) {
		return false, errNoMedia
	}
	return false, errors.Join(b.set("truncate_prompt_tokens", cutToFit), b.set("input", input(c)))
}

// rerankBody is all that a request holds: vLLM's client adds no further field to it.
func rerankBody(b *body, c *Call) (bool, error) {
	if len(c.Inputs) < 2 || hasMedia(c) {
		return true, errors.New("a query and at least one document are needed: use the dataset random-rerank")
	}
	return true, errors.Join(b.set("query", c.Inputs[0]), b.set("documents", c.Inputs[1:]), b.set("truncate_prompt_tokens", cutToFit))
}

func messagesBody(b *body, c *Call) (bool, error) { return setMessages(b, c, c.Prompt, false) }

func setMessages(b *body, c *Call, words string, mediaFirst bool) (bool, error) {
	messages, err := chatMessages(c, words, mediaFirst)
	return false, errors.Join(err, b.set("messages", messages), b.set("truncate_prompt_tokens", cutToFit))
}

// clipBody: CLIP takes a text or an image, so that an image's text is empty.
func clipBody(b *body, c *Call) (bool, error) {
	if len(c.Media) > 0 {
		return setMessages(b, c, "", false)
	}
	return setMessages(b, c, c.Prompt, false)
}

// vlm2vecBody: every second image has the prompt as a question.
func vlm2vecBody(b *body, c *Call) (bool, error) {
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
func infinityBody(b *body, c *Call) (bool, error) {
	if len(c.Media) == 0 && c.Messages == nil && c.Sound == nil {
		return false, b.set("input", input(c))
	}
	if len(c.Media) != 1 || c.Messages != nil || c.Sound != nil {
		return false, errors.New("a request to Infinity takes one image and no messages: use one item for each")
	}
	var part struct {
		Type  string                         `json:"type"`
		Image *struct{ URL json.RawMessage } `json:"image_url"`
	}
	if err := json.Unmarshal(c.Media[0], &part); err != nil || part.Image == nil {
		return false, errors.New("of media, Infinity takes images only")
	}
	return false, errors.Join(b.set("input", part.Image.URL), b.set("modality", "image"))
}
