package bench

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/inferometer/inferometer/internal/outside"
	"github.com/inferometer/inferometer/internal/send/protocol"
	"github.com/inferometer/inferometer/internal/send/target"
	"github.com/inferometer/inferometer/internal/send/workload"
	"github.com/inferometer/inferometer/internal/usage"
)

// BackendAuto stands for the best protocol of the server that is there. It is a word of
// flags and scenarios: a Spec holds the protocol that was taken.
const BackendAuto = "auto"

// BackendNames are the backends that can be asked for.
func BackendNames() []string { return append([]string{BackendAuto}, protocol.Backends()...) }

// BackendDoc says what they are.
func BackendDoc() string {
	return "auto asks the server what it is and takes the best one. " + protocol.BackendDoc()
}

// ChooseBackend asks the servers what they are, and takes the best protocol for the
// dataset. The Spec need not be resolved.
func (s *Spec) ChooseBackend(ctx context.Context, h *Host) error {
	r := newRun(s, h)
	r.URLs, r.Backend = slices.Clone(s.URLs), BackendOpenAI
	r.takeV1()
	var err error
	if r.wire, err = r.Wire(h); err != nil {
		return err
	}
	client := r.client()
	for _, u := range r.URLs {
		r.targets = append(r.targets, &target.Target{Base: u, Header: r.wire.Header, Client: client})
	}
	r.target, r.lists = r.targets[0], make([]modelList, len(r.targets))
	r.awaitServer(ctx)
	id, err := r.recognise(ctx)
	if err != nil {
		return err
	}
	if s.Backend, err = s.BestBackend(id); err != nil {
		return err
	}
	r.say("backend: %s, for %s", s.Backend, whatItIs(id))
	return nil
}

// whatItIs says what a server was taken for, and why.
func whatItIs(id target.Identity) string {
	if id.Kind == "" {
		return "the server does not say what it is; name another one if it speaks it"
	}
	words := fmt.Sprintf("the server is %s (%s)", id.Name(), id.Why)
	if id.Gateway != "" && id.Gateway != id.Kind {
		words += ", behind " + id.Gateway
	}
	return words
}

// recognise is what all the servers are. They must be of one kind: a run has one protocol.
func (r *Run) recognise(ctx context.Context) (target.Identity, error) {
	ids := make([]target.Identity, len(r.targets))
	eachTarget(r.targets, func(i int, t *target.Target) { ids[i] = t.Identify(ctx) })
	for i, id := range ids {
		if id.Kind == "" {
			if err := r.nobody(ctx, r.targets[i]); err != nil {
				return id, err
			}
		}
		if id.Kind != ids[0].Kind {
			return id, usage.Errorf("backend", "auto takes one protocol for all targets, and %s is %s while %s is %s",
				r.targets[0].Base, cmp.Or(ids[0].Kind, "not known"), r.targets[i].Base, cmp.Or(id.Kind, "not known")).WithHint("name the backend")
		}
	}
	return ids[0], nil
}

// nobody says that nobody answers; nil: somebody does.
func (r *Run) nobody(ctx context.Context, t *target.Target) error {
	_, err := t.Models(ctx)
	var unreachable *url.Error
	if !errors.As(err, &unreachable) {
		return nil
	}
	return cmp.Or(r.explain(ctx, t, err, "/v1/models"), fmt.Errorf("ask %s what it is, for --backend auto: %s", t.Base, r.wire.Secrets.Scrub(err.Error())))
}

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
	switch o := s.datasetOptions(); {
	case err != nil: // of the batches, which are texts
		names = []string{q.Text}
	case k.Talks || k.Holds == workload.Images:
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
	if s.talks() && !b.Chat {
		return fmt.Errorf("the dataset %s sends messages, and %s takes a text", s.DatasetName, name)
	}
	o := own.datasetOptions()
	return flagError(workload.Fits(&o), nil)
}

// backendOfEndpoint is the backend whose path was given: of the server's own ones, if one
// of them has it.
func (s *Spec) backendOfEndpoint(q target.Quirks) (string, error) {
	names := append([]string{q.Text, q.Chat, q.Embeddings, q.Rerank, BackendChat}, protocol.Backends()...)
	for _, name := range names {
		b, err := protocol.FindBackend(name)
		if err != nil || name == protocol.CustomName || !b.Takes(s.Endpoint) || !b.Chat && strings.HasSuffix(s.Endpoint, "chat/completions") {
			continue
		}
		if s.fits(name) == nil {
			return name, nil
		}
	}
	return "", usage.Errorf("backend", "auto knows no protocol for --endpoint %s and the dataset %s", outside.Word(s.Endpoint), s.DatasetName).WithHint("name the backend")
}
