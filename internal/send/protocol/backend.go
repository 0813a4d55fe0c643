package protocol

import (
	"fmt"
	"strings"

	"github.com/inferometer/inferometer/internal/option"
	"github.com/inferometer/inferometer/internal/send/protocol/stream"
)

// Backend is a protocol under the name that --backend knows it by. It is all that
// flags, scenarios, schemas and documents know of it.
type Backend struct {
	Name string
	Doc  string // what it is, as in "chat completions"
	Chat bool   // the server makes the prompt of messages, by the model's chat template
	// Pooling says that an answer is one JSON object with vectors or scores: no stream, and no tokens.
	Pooling bool
	// What a request may hold beside one text.
	Inputs, Images, Sounds bool
	// Query says that each request needs a query and documents.
	Query bool
	// Framing is how the events of an answer are told apart.
	Framing stream.Framing
	// EndsWithBody says that nothing but the end of the body tells that an answer is over.
	EndsWithBody bool
	// Lacks are what the protocol has no word for.
	Lacks Lacks
	// Echoes says that an answer may repeat its prompt with the log-probability of each token:
	// Call.Echo asks for it.
	Echoes bool
	// Sampling are the names that the protocol has for OpenAI's, such as temperature. nil:
	// it has the same ones. A name that is not listed can't be sent.
	Sampling map[string]string
	// Model is whom requests go to where no model is named; empty: the first that the
	// server lists.
	Model string
	// NoModel says that requests name none, so that none need be known.
	NoModel bool
	// Header is sent with each request, beside the API key.
	Header map[string]string
	// KeyHeader is a second header that the API key is sent in; empty: none.
	KeyHeader string
	// OtherSuffix is how a URL that speaks it may end too; empty: in one way only.
	OtherSuffix string
	Protocol
}

// Lacks are what a protocol has no word for.
type Lacks struct {
	IgnoreEOS bool // the length of an answer can be bounded, and not fixed
	TokenIDs  bool // a prompt is a text
	Usage     bool // nobody counts the tokens of an answer but us
}

// Streams says whether an answer comes in events.
func (b *Backend) Streams() bool { return b.Framing != stream.Whole }

// Unstreamed is the same backend with answers that are one JSON object.
func (b *Backend) Unstreamed() (*Backend, error) {
	whole := *b
	whole.Framing, whole.Protocol = stream.Whole, nil
	if p, ok := b.Protocol.(Unstreamer); ok && b.Streams() {
		whole.Protocol = p.Unstreamed()
	}
	if whole.Protocol == nil {
		return nil, fmt.Errorf("the answers of %s are never streams, or never anything else", b.Name)
	}
	return &whole, nil
}

// TakesSampling says whether a field such as temperature can be sent.
func (b *Backend) TakesSampling(name string) bool {
	if b.Pooling || b.Sounds && !b.Chat {
		return false
	}
	return b.Sampling == nil || b.Sampling[name] != ""
}

// backends is the one place where a backend is listed.
var backends = option.NewTable("backend", func(b *Backend) string { return b.Name }, vllm, openAI, openAIChat, openAIAudio, sglangBackend, tgiBackend,
	openAIEmbeddings, openAIEmbeddingsChat, openAIEmbeddingsCLIP, openAIEmbeddingsVLM2Vec, infinityEmbeddings, infinityEmbeddingsCLIP, vllmPooling, vllmRerank, ollama, ollamaChat, llamaCPP, trtLLM, openInference,
	openAIResponses, anthropic, undescribed)

// Add puts a backend into the table for the rest of the process. It is for an init function, of a test's program: nobody
// has looked at the table before.
func Add(b *Backend) { backends = backends.With(b) }

// Backends lists the names in the order of the table.
func Backends() []string { return backends.Names() }

// FindBackend is the backend with this name.
func FindBackend(name string) (*Backend, error) { return backends.Find(name) }

// Takes says whether a URL's path is one of the backend's.
func (b *Backend) Takes(path string) bool {
	return strings.HasSuffix(path, b.Suffix()) || b.OtherSuffix != "" && strings.HasSuffix(path, b.OtherSuffix)
}

// Suffixes is how such a path ends, in words.
func (b *Backend) Suffixes() string {
	if b.OtherSuffix == "" {
		return b.Suffix()
	}
	return b.Suffix() + " or " + b.OtherSuffix
}

// BackendDoc says of all backends what they are, those of one kind together.
func BackendDoc() string { return docOf(backends.All()) }

func docOf(list []*Backend) string {
	var docs []string
	names := map[string][]string{}
	for _, b := range list {
		if names[b.Doc] == nil {
			docs = append(docs, b.Doc)
		}
		names[b.Doc] = append(names[b.Doc], b.Name)
	}
	for i, doc := range docs {
		verb := " is "
		if len(names[doc]) > 1 {
			verb = " are "
		}
		last := len(names[doc]) - 1
		list := strings.Join(names[doc][:last], ", ")
		if last > 0 {
			list += " and "
		}
		docs[i] = list + names[doc][last] + verb + doc
	}
	return strings.Join(docs, ", ")
}
