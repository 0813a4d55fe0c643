package prepare

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/outside"
	"github.com/inferometer/inferometer/internal/send/load"
	"github.com/inferometer/inferometer/internal/send/target"
	"github.com/inferometer/inferometer/internal/spec"
)

// Found is what a running server says of itself.
type Found struct {
	target.Identity
	Models         []target.Model // those that generate text first, what is loaded before the rest
	First          string         // the model that the server lists first; empty: it lists none
	Slots, Context int            // requests at a time, and tokens of each; 0: it does not say
}

// Discover asks the first server of a Spec what it is and what it serves. The Spec needs no
// backend. The error says what to do.
func Discover(ctx context.Context, s *spec.Spec, h *Host) (*Found, error) {
	own := *s
	own.Backend = spec.BackendOpenAI
	values, err := own.Wire(&h.Environment)
	if err != nil {
		return nil, err
	}
	servers := newServers(&own, values, h)
	t := servers.first()
	servers.await(ctx, s.ReadyCheckTimeoutSec)
	models, err := t.Models(ctx)
	servers.lists[0] = modelList{models, err}
	if why := servers.explain(ctx, t, err, "/v1/models", ""); why != nil && !(answered(err) && notFound(err)) {
		return nil, why
	}
	found := &Found{Identity: t.Identify(ctx), Models: models}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil && found.Kind == "" {
		return nil, servers.noServer(t, err)
	}
	if len(models) > 0 {
		found.First = models[0].ID
		found.Context = models[0].Context()
	} else if s.Model == "" && found.Quirks().Text != "" && found.Kind != target.Triton && found.Kind != target.TGI {
		return nil, fmt.Errorf("%s is %s and has no model: %s", t.Base, found.Name(), noModel(found.Kind))
	}
	if found.Kind == target.LlamaCPP {
		slots, each := t.Slots(ctx)
		found.Slots, found.Context = slots, cmp.Or(each, found.Context)
	}
	found.Models = t.Preferred(ctx, found.Kind, models)
	return found, nil
}

// noModel says how a server gets one.
func noModel(kind string) string {
	if kind == target.Ollama {
		return "get one with ollama pull NAME, then try again"
	}
	return "load one, or name one that it loads when asked with --model"
}

// noServer is for an address where something answers that is no server we know.
func (s *Servers) noServer(t *target.Target, err error) error {
	words := s.values.Secrets.Scrub(err.Error())
	var status *target.StatusError
	if errors.As(err, &status) {
		return fmt.Errorf("%s: no list of models there, so it may be no inference server: look at the address; if it is one, use inferometer bench serve with --backend, --endpoint and --model", words)
	}
	return fmt.Errorf("%s answers, and not as an inference server does (%s): look at the address and the port", t.Base, words)
}

func notFound(err error) bool {
	var status *target.StatusError
	return errors.As(err, &status) && status.Code == 404
}

// Speed is how a server answers one request by itself.
type Speed struct {
	Prompt, Output int           // tokens
	First          time.Duration // until the first token, or the whole answer where it is no stream
	Gap            time.Duration // from one token to the next
	Tokenizer      string        // where prompts get their tokens from: TokensByFile and so on
}

// Try sends warm-up requests of a Spec one after the other, and times the last. The first may
// take longer, for a model that is loaded when it is asked for; where its tokens come slowly it is
// the only one. The error is what the server answered.
func Try(ctx context.Context, s *spec.Spec, h *Host) (*Speed, error) {
	r, err := ToSend(ctx, nil, s, h)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	speed := &Speed{Tokenizer: r.Tokens.Source}
	for _, w := range r.Warmups {
		got, err := load.Try(ctx, r.configFor(0), w)
		if err != nil {
			return nil, err
		}
		if got.Outcome != journal.Complete && got.Outcome != journal.Short {
			return nil, &TryError{Outcome: got.Outcome, Status: got.Status, Words: outside.Line(got.Error, 300)}
		}
		speed.time(&got)
		if speed.Gap*time.Duration(speed.Output) > slowTry {
			break
		}
	}
	return speed, nil
}

// slowTry is how long the tokens of a small answer take where one such answer is enough.
const slowTry = 2 * time.Second

// TryError is a request that did not complete.
type TryError struct {
	Outcome journal.Outcome
	Status  int
	Words   string
}

func (e *TryError) Error() string { return fmt.Sprintf("%s: %s", e.Outcome, e.Words) }

func (v *Speed) time(got *journal.Request) {
	v.Prompt, v.Output = cmp.Or(got.UsagePrompt, got.PromptTokens), cmp.Or(got.UsageOutput, len(got.Events.At))
	total := time.Duration(got.End - got.Sent)
	v.First, v.Gap = total, 0
	var at time.Duration
	for i, gap := range got.Events.At {
		at += time.Duration(gap)
		if i < len(got.Events.Kind) && got.Events.Kind[i]&(journal.EventText|journal.EventReasoning|journal.EventTool) != 0 {
			v.First = at
			break
		}
	}
	if v.Output > 1 {
		v.Gap = (total - v.First) / time.Duration(v.Output-1)
	}
}
