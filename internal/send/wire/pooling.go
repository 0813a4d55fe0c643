package wire

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// The backends whose answers are vectors or scores, as vLLM's client knows them.
var (
	openAIEmbeddings = &Backend{
		Name: "openai-embeddings", Doc: "embeddings", Pooling: true, Inputs: true, Protocol: pooling{body: embeddingsBody, path: "/v1/embeddings", suffix: "embeddings"},
	}
	openAIEmbeddingsChat = &Backend{
		Name: "openai-embeddings-chat", Doc: "embeddings of messages", Pooling: true, Chat: true, Images: true, Sounds: true,
		Protocol: pooling{body: messagesBody, path: "/v1/embeddings", suffix: "embeddings"},
	}
	openAIEmbeddingsCLIP = &Backend{
		Name: "openai-embeddings-clip", Doc: "embeddings of messages", Pooling: true, Chat: true, Images: true,
		Protocol: pooling{body: clipBody, path: "/v1/embeddings", suffix: "embeddings"},
	}
	openAIEmbeddingsVLM2Vec = &Backend{
		Name: "openai-embeddings-vlm2vec", Doc: "embeddings of messages", Pooling: true, Chat: true, Images: true,
		Protocol: pooling{body: vlm2vecBody, path: "/v1/embeddings", suffix: "embeddings"},
	}
	infinityEmbeddings = &Backend{
		Name: "infinity-embeddings", Doc: "embeddings of the Infinity server", Pooling: true, Inputs: true, Protocol: pooling{body: infinityBody, path: "/embeddings", suffix: "embeddings"},
	}
	infinityEmbeddingsCLIP = &Backend{
		Name: "infinity-embeddings-clip", Doc: "embeddings of the Infinity server", Pooling: true, Inputs: true, Images: true,
		Protocol: pooling{body: infinityBody, path: "/embeddings", suffix: "embeddings"},
	}
	vllmPooling = &Backend{
		Name: "vllm-pooling", Doc: "vLLM's pooling", Pooling: true, Inputs: true, Protocol: pooling{body: poolingBody, path: "/pooling", suffix: "pooling"},
	}
	vllmRerank = &Backend{
		Name: "vllm-rerank", Doc: "reranking of documents", Pooling: true, Inputs: true, Query: true, Protocol: pooling{body: rerankBody, path: "/v1/rerank", suffix: "rerank"},
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
func (pooling) whole()           {}

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

// isWhole says whether a protocol's answers are one JSON value, not a stream of events.
func isWhole(p Protocol) bool {
	_, ok := p.(interface{ whole() })
	return ok
}

const (
	// maxWhole bounds an answer that is one JSON value: 32 texts of 1,024 tokens with a
	// vector of 1,024 numbers for each token take some 400 MB.
	maxWhole = 1 << 30
	// maxSkimmed bounds what is kept of it: all but its lists.
	maxSkimmed = 64 << 10
	maxNesting = 64
)

// skim reads a JSON value piece by piece and keeps nothing of its lists but how many
// items the longest has: an answer of vectors may be far larger than all else that a
// run holds. What is left is small JSON.
type skim struct {
	kept  []byte
	stack []byte // open brackets
	size  int    // bytes read
	// Inside a list of the top level, or a list that is the top level itself.
	list        bool
	items       int // of this list; of the longest when it is over
	longest     int // -1: there was no list
	begun       bool
	inString    bool
	escaped     bool
	overflow    bool // too much to be kept
	over        bool // the value has ended
	err         error
	listNesting int
}

func (k *skim) reset() { *k = skim{kept: shrink(k.kept), stack: k.stack[:0], longest: -1} }

// feed reads the next piece.
func (k *skim) feed(data []byte) error {
	if k.size += len(data); k.size > maxWhole {
		k.fail(tooMuch("it is longer than %d MiB", maxWhole>>20))
	}
	for _, c := range data {
		if k.err != nil {
			return k.err
		}
		k.next(c)
	}
	return k.err
}

func (k *skim) fail(err error) {
	if k.err == nil {
		k.err = err
	}
}

func (k *skim) keep(c byte) {
	switch {
	case k.overflow:
	case len(k.kept) == maxSkimmed:
		k.overflow = true
	default:
		k.kept = append(k.kept, c)
	}
}

func (k *skim) next(c byte) {
	if k.inString {
		k.string(c)
		return
	}
	switch c {
	case ' ', '\n', '\r', '\t':
		return
	case '{', '[':
		k.open(c)
		return
	}
	if len(k.stack) == 0 {
		k.fail(errNotJSON)
		return
	}
	switch c {
	case '}', ']':
		k.close(c)
		return
	case '"':
		k.inString = true
	case ',':
		if k.list && len(k.stack) == k.listNesting {
			k.items++
		}
	}
	k.take(c)
}

// take keeps a byte that is part of no list, and notes that a list has an item.
func (k *skim) take(c byte) {
	if k.list {
		k.begun = true
		return
	}
	k.keep(c)
}

func (k *skim) string(c byte) {
	switch {
	case k.escaped:
		k.escaped = false
	case c == '\\':
		k.escaped = true
	case c == '"':
		k.inString = false
	}
	if !k.list {
		k.keep(c)
	}
}

func (k *skim) open(c byte) {
	switch {
	case k.over:
		k.fail(errors.New("something follows the answer's end"))
		return
	case len(k.stack) == maxNesting:
		k.fail(errTooDeep)
		return
	}
	k.take(c)
	k.stack = append(k.stack, c)
	if c == '[' && !k.list && len(k.stack) <= 2 {
		k.list, k.items, k.begun, k.listNesting = true, 0, false, len(k.stack)
	}
}

func (k *skim) close(c byte) {
	opened := k.stack[len(k.stack)-1]
	if opened == '{' && c != '}' || opened == '[' && c != ']' {
		k.fail(errNotJSON)
		return
	}
	if k.list && len(k.stack) == k.listNesting {
		k.list = false
		if k.begun {
			k.items++
		}
		k.longest = max(k.longest, k.items)
	}
	k.stack = k.stack[:len(k.stack)-1]
	k.take(c)
	k.over = len(k.stack) == 0
}

// finishWhole reads what was kept of an answer that has come to its end.
func (s *Stream) finishWhole() {
	t, k := &s.Trace, &s.skim
	switch {
	case t.Malformed != nil:
		return
	case s.binary:
		t.Items = -1
		s.metadata()
	case !k.over:
		return // it was cut off, or there was none
	case len(k.kept) > 0 && k.kept[0] == '{' && !k.overflow:
		if err := s.protocol.Decode(&s.decoder, k.kept, &s.chunk); err != nil {
			s.giveUp(err)
			return
		}
		if s.chunk.Error != nil {
			s.fail(s.chunk.Error)
			return
		}
		s.chunk.Text = nil
		t.Items = max(k.longest, 0)
	default: // a bare list, as SGLang's of scores
		s.chunk = Chunk{Tokens: -1}
		t.Items = max(k.longest, 0)
	}
	t.Done = true
	s.chunk.Kind = s.chunk.Kind&EventUsage | EventChoices // one event, which is the whole answer
	if s.chunk.Kind&EventUsage != 0 {
		t.HasUsage, t.Usage = true, s.chunk.Usage
	}
	if t.ServerID == "" && len(s.chunk.ID) > 0 {
		t.ServerID = string(s.chunk.ID[:min(len(s.chunk.ID), maxWord)])
	}
	t.Events = append(t.Events, Event{Stamp: s.at, Kind: s.chunk.Kind, Tokens: -1})
	t.TextEnds = append(t.TextEnds, 0)
}

// metadata is the usage of an answer in bytes, which vLLM tells in a header.
func (s *Stream) metadata() {
	s.chunk = Chunk{Tokens: -1}
	var said struct {
		Usage struct {
			Prompt int `json:"prompt_tokens"`
		} `json:"usage"`
	}
	if json.Unmarshal([]byte(s.header), &said) == nil && said.Usage.Prompt > 0 && said.Usage.Prompt <= maxTokenCount {
		s.chunk.Kind, s.chunk.Usage.Prompt = EventUsage, said.Usage.Prompt
	}
}

// headWhole looks at what the answer says that it is.
func (s *Stream) headWhole(h Header) {
	kind, _, _ := strings.Cut(strings.ToLower(h.Get("Content-Type")), ";")
	if s.binary = kind == "application/octet-stream"; s.binary {
		s.header = h.Get("Metadata")
		s.header = s.header[:min(len(s.header), maxSkimmed)]
	}
}

// bodyWhole takes in a piece of an answer that is one JSON value.
func (s *Stream) bodyWhole(data []byte, at Stamp) {
	s.at = at
	if s.binary || s.over {
		return
	}
	s.whole = appendUpTo(s.whole, data, maxErrorBody)
	if err := s.skim.feed(data); err != nil {
		if errors.Is(err, errNotJSON) {
			err = fmt.Errorf("the answer is not JSON but: %.200s", s.whole)
		}
		s.giveUp(err)
	}
}
