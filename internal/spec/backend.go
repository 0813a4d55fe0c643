package spec

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/inferometer/inferometer/internal/option"
	"github.com/inferometer/inferometer/internal/outside"
	"github.com/inferometer/inferometer/internal/send/protocol"
	"github.com/inferometer/inferometer/internal/send/target"
	"github.com/inferometer/inferometer/internal/send/workload"
	"github.com/inferometer/inferometer/internal/usage"
)

// AssumeBackend takes the protocol of a server that is not known yet, so that all else can
// be checked.
func (s *Spec) AssumeBackend() (err error) {
	s.Backend, err = s.BestBackend(target.Identity{})
	return err
}

// unknownServer is what is sent to a server that does not say what it is: OpenAI's API.
var unknownServer = target.Quirks{Text: BackendOpenAI, Chat: BackendChat, Embeddings: "openai-embeddings", Rerank: "vllm-rerank"}

// BestBackend is the protocol of a server that is best for the dataset, and fits the
// endpoint where one is given.
func (s *Spec) BestBackend(id target.Identity) (string, error) {
	q := id.Quirks()
	if q.Kind == "" {
		q = unknownServer
	}
	if s.Endpoint != "" {
		return s.backendOfEndpoint(q)
	}
	var why error
	for _, name := range s.wanted(q) {
		err := s.fits(name)
		if err == nil {
			return name, nil
		}
		why = cmp.Or(why, err)
	}
	server := cmp.Or(id.Name(), "not known")
	if why == nil {
		return "", usage.Errorf("backend", "auto: the server is %s, and no protocol of it is known for the dataset %s", server, s.DatasetName).WithHint("name the backend")
	}
	return "", usage.Errorf("backend", "auto: the server is %s, and none of its protocols will do: %v", server, why)
}

// wanted are the backends for the dataset, the best first.
func (s *Spec) wanted(q target.Quirks) (names []string) {
	k, err := workload.Find(s.DatasetName)
	openAIChat := "" // every server with a chat has this one too
	if q.Chat != "" {
		openAIChat = BackendChat
	}
	switch o := s.WorkloadOptions(); {
	case err != nil: // of the batches, which are texts
		names = []string{q.Text}
	case s.Talks() || k.Holds == workload.Images:
		names = []string{q.Chat, openAIChat}
	case k.Holds == workload.Sounds:
		names = []string{"openai-audio", q.Chat}
	case k.Holds == workload.Inputs:
		names = []string{q.Rerank}
	case workload.Batched(&o):
		names = []string{q.Embeddings}
	case q.Text == "":
		names = []string{q.Embeddings}
	default:
		names = []string{q.Text, q.Chat, openAIChat}
	}
	return slices.DeleteFunc(names, func(name string) bool { return name == "" })
}

// fits says why a backend can't send the dataset; nil: it can.
func (s *Spec) fits(name string) error {
	b, err := protocol.FindBackend(name)
	if err != nil {
		return err
	}
	own := *s
	own.Backend = name
	if s.Batches != nil || s.DatasetName == BatchesName {
		return nil
	}
	if s.Talks() && !b.Chat {
		return fmt.Errorf("the dataset %s sends messages, and %s takes a text", s.DatasetName, name)
	}
	o := own.WorkloadOptions()
	return flagError(workload.Fits(&o), option.Fields(s.DatasetOptions))
}

// backendOfEndpoint is the backend whose path was given: of the server's own ones, if one
// of them has it.
func (s *Spec) backendOfEndpoint(q target.Quirks) (string, error) {
	for _, name := range backendsAt(s.Endpoint, q.Text, q.Chat, q.Embeddings, q.Rerank) {
		if s.fits(name) == nil {
			return name, nil
		}
	}
	return "", usage.Errorf("backend", "auto knows no protocol for %s %s and the dataset %s", usage.Ref("endpoint"), outside.Word(s.Endpoint), s.DatasetName).WithHint("name the backend")
}
