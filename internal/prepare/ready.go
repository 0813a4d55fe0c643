// Package prepare turns a Spec into what is ready to be sent: servers that answer, the
// model's name, a tokenizer, a dataset, a pace and a transport. It is the same for a run,
// a dry run, a lock and the plan of a fleet.
package prepare

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/inferometer/inferometer/internal/eval/ask"
	"github.com/inferometer/inferometer/internal/eval/resume"
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/send/load"
	"github.com/inferometer/inferometer/internal/send/pace"
	"github.com/inferometer/inferometer/internal/send/target"
	"github.com/inferometer/inferometer/internal/send/wire"
	"github.com/inferometer/inferometer/internal/send/workload"
	"github.com/inferometer/inferometer/internal/spec"
	"github.com/inferometer/inferometer/internal/usage"
)

// Ready is a run that can be sent. It must be closed.
type Ready struct {
	*spec.Spec            // of this client's share, with what was found out
	Asked      *spec.Spec // of the whole
	Values     *spec.Wire // that the Spec names

	Clock     *wire.Clock
	Transport wire.Transport // nil: nothing will be sent
	Servers   Servers
	Chosen    Model
	Tokens    Tokenizer
	Data      Data
	Pacing    pace.Pace
	Warmups   []*workload.Request // one at least, where something will be sent
	Earlier   *resume.Earlier     // parts of this run that were killed; nil: it is none that goes on

	host  *Host
	trace wire.Trace // see TraceID
}

// Model is the model that a run is of.
type Model struct {
	ID   string // for the result and the tokenizer
	Sent string // in the body
	Dialect
}

// Dialect is how a server must be asked, where it is no other than vLLM.
type Dialect struct {
	OldLimit bool // the body says max_tokens too
	Nvext    bool // and asks who serves it
}

// ErrStopped is the end of a run that was stopped before it began.
var ErrStopped = errors.New("stopped before the first request was sent")

func newReady(s *spec.Spec, h *Host) *Ready {
	own := *s // what is left open is filled in
	return &Ready{Spec: &own, Asked: &own, host: h, Clock: wire.NewClock()}
}

// ToSend does all that comes before the load of a Spec that is resolved and valid. Nothing
// is in flight yet, so that the first Ctrl-C ends it.
func ToSend(ctx context.Context, drain <-chan struct{}, s *spec.Spec, h *Host) (*Ready, error) {
	ctx, stop := load.UntilDrain(ctx, drain, ErrStopped)
	defer stop()
	r := newReady(s, h)
	err := r.prepare(ctx)
	if err == nil {
		return r, nil
	}
	r.Close()
	r.Earlier.Unlock()
	if context.Cause(ctx) == ErrStopped { // what failed for it is beside the point
		err = ErrStopped
	}
	return nil, err
}

func (r *Ready) prepare(ctx context.Context) (err error) {
	if err := r.connect(ctx); err != nil {
		return err
	}
	if r.Chosen.Dialect, err = r.Servers.dialect(ctx, r.Spec); err != nil {
		return err
	}
	if err := r.makeWorkload(ctx); err != nil {
		return err
	}
	if err := r.resume(ctx); err != nil {
		return err
	}
	if err := r.makePace(); err != nil {
		return err
	}
	if err := r.host.showRehearsal(ctx, r); err != nil {
		return err
	}
	r.takeShare()
	if r.Warmups, err = r.Data.Warmups(max(r.NumWarmups, 1)); err != nil {
		return fmt.Errorf("make warm-up prompts: %w", err)
	}
	for i := range r.Servers.Targets {
		if err := r.checkReady(ctx, i); err != nil {
			return err
		}
		if err := ask.CheckLikelihoods(ctx, r.configFor(i), r.Data.Task); err != nil {
			return err
		}
	}
	r.Servers.identify(ctx, r.ReadyCheckTimeoutSec > 0)
	r.sayRules()
	if err := r.Servers.findReplicas(ctx, r.Spec); err != nil {
		return err
	}
	r.Chosen.Nvext = r.Chosen.Nvext || r.ReplicaKey != spec.NoReplicaKey &&
		slices.ContainsFunc(r.Servers.Routers, func(o journal.Router) bool { return target.Identity{Kind: o.Kind}.Quirks().Nvext })
	return nil
}

// resume leaves of a run that goes on what has no answer yet.
func (r *Ready) resume(ctx context.Context) (err error) {
	if !r.Resume {
		return nil
	}
	if !r.Asks() {
		return fmt.Errorf("the run in %s asks no questions: only an eval can go on", r.RunDir)
	}
	if r.Earlier, err = resume.Open(r.RunDir); err != nil {
		return err
	}
	err = r.Earlier.Same(r.Data.Task, r.Chosen.Sent, r.Servers.Serves(r.Chosen.Sent))
	if err == nil && r.Earlier.Begun() {
		var again *Ready
		if again, err = r.again(ctx); err == nil {
			err = r.Earlier.SameQuestions(again.Data)
			again.Close()
		}
	}
	if err != nil {
		return fmt.Errorf("%w; nothing was asked", err)
	}
	words, err := r.Earlier.Left(r.Data.Task, r.Data.Len())
	if err != nil {
		return err
	}
	r.host.Note("%s", words)
	r.Data.Dataset = r.Earlier.Remaining(r.Data.Dataset)
	return nil
}

// Close ends what is open.
func (r *Ready) Close() {
	if r.Transport != nil {
		r.Transport.Close()
	}
	if r.Data.Dataset != nil {
		_ = r.Data.Close() // it was only read
	}
}

// again is the same run at the beginning of its dataset, in silence: what this one will
// send is not used up. It must be closed.
func (r *Ready) again(ctx context.Context) (*Ready, error) {
	quiet, own := *r.host, *r.Spec
	quiet.Say = nil // what there is to say was said
	dry := *r
	dry.Spec, dry.host, dry.Transport, dry.Data.Dataset = &own, &quiet, nil, nil
	if err := dry.openDataset(ctx); err != nil {
		dry.Close()
		return nil, err
	}
	return &dry, nil
}

// paced is how many times of its own the pace has to give: one for each request or conversation.
func (r *Ready) paced() int {
	if r.Talks() {
		return r.Data.Conversations
	}
	return r.Data.Len()
}

func (r *Ready) makePace() error {
	p := r.PaceSpec(r.paced())
	p.Random = workload.NumPyState(r.Data.Dataset)
	if r.SelfTimed() {
		own := &ownTimes{Dataset: r.Data.Dataset}
		r.Data.Dataset, p.Times = own, (*ownPace)(own)
	}
	var err error
	if r.Pacing, err = pace.New(p); err != nil {
		return &usage.Error{Text: err.Error()}
	}
	return nil
}

// Total is how many requests there are; 0: not known.
func (r *Ready) Total() int {
	if r.Unbounded {
		return 0
	}
	return r.Data.Len()
}
