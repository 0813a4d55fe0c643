package prepare

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/outside"
	"github.com/inferometer/inferometer/internal/send/load"
	"github.com/inferometer/inferometer/internal/send/target"
	"github.com/inferometer/inferometer/internal/send/workload"
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
	if err != nil && found.Kind == "" && s.Model == "" {
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
	var status *target.StatusError
	if errors.As(err, &status) {
		return fmt.Errorf("%s/v1/models answers HTTP %d: this may be no inference server, or its API is below another path. Check the address; if it is one, give its --model", t.Base, status.Code)
	}
	return fmt.Errorf("something answers at %s, and it is no inference server: check the address and the port (%s)", t.Base, s.values.Secrets.Scrub(err.Error()))
}

func notFound(err error) bool {
	var status *target.StatusError
	return errors.As(err, &status) && status.Code == http.StatusNotFound
}

// Speed is how a server answers.
type Speed struct {
	Prompt, Output int           // tokens of a request
	First          time.Duration // until the first token, or the whole answer where it is no stream
	Gap            time.Duration // from one token to the next
}

// Tried is how a server answers one small request, and several together.
type Tried struct {
	Alone, Together Speed
	AtOnce          int // how many were together; 1 where it does not take several
}

// Try sends the warm-ups of a Spec: one or two by themselves, and the rest together. The first may
// take longer, for a model that is loaded when it is asked for; where its tokens come slowly there is no
// second. The error is what the server answered.
func Try(ctx context.Context, s *spec.Spec, h *Host) (*Tried, error) {
	r, err := ToSend(ctx, nil, s, h)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	cfg := r.configFor(0)
	tried := &Tried{AtOnce: 1}
	for _, w := range r.Warmups[:min(2, len(r.Warmups))] {
		if _, tried.Alone, err = tryOne(ctx, cfg, w); err != nil {
			return nil, err
		}
		if tried.Alone.Gap*time.Duration(tried.Alone.Output) > slowTry {
			break
		}
	}
	tried.Together = tried.Alone
	if len(r.Warmups) > 3 {
		tried.together(ctx, cfg, r.Warmups[2:])
	}
	return tried, ctx.Err()
}

// slowTry is how long the tokens of a small answer take where one such answer is enough.
const slowTry = 2 * time.Second

func (t *Tried) together(ctx context.Context, cfg load.Config, requests []*workload.Request) {
	all := make([]Speed, len(requests))
	errs := make([]error, len(requests))
	var wait sync.WaitGroup
	for i, w := range requests {
		wait.Go(func() { _, all[i], errs[i] = tryOne(ctx, cfg, w) })
	}
	wait.Wait()
	if errors.Join(errs...) != nil {
		return // it does not take so many
	}
	t.AtOnce = len(requests)
	t.Together = slices.MaxFunc(all, func(a, b Speed) int { return cmp.Compare(a.took(), b.took()) })
}

func (v Speed) took() time.Duration { return v.First + v.Gap*time.Duration(v.Output) }

// TryError is a request that did not complete.
type TryError struct {
	Outcome journal.Outcome
	Status  int
	Words   string
}

func (e *TryError) Error() string { return fmt.Sprintf("%s: %s", e.Outcome, e.Words) }

func tryOne(ctx context.Context, cfg load.Config, w *workload.Request) (got journal.Request, v Speed, err error) {
	if got, err = load.Try(ctx, cfg, w); err != nil {
		return got, v, err
	}
	if got.Outcome != journal.Complete && got.Outcome != journal.Short {
		return got, v, &TryError{Outcome: got.Outcome, Status: got.Status, Words: outside.Line(got.Error, 300)}
	}
	v.Prompt, v.Output = cmp.Or(got.UsagePrompt, got.PromptTokens), cmp.Or(got.UsageOutput, len(got.Events.At))
	total := time.Duration(got.End - got.Sent)
	v.First = total
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
	return got, v, nil
}
