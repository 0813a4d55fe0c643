package prepare

import (
	"context"
	"fmt"
	"time"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/send/load"
	"github.com/inferometer/inferometer/internal/send/target"
	"github.com/inferometer/inferometer/internal/send/workload"
	"github.com/inferometer/inferometer/internal/spec"
	"github.com/inferometer/inferometer/internal/usage"
)

// readyEvery is the pause between two tries of the ready check, as in vLLM.
const readyEvery = 5 * time.Second

// checkReady sends a request until one completes, if asked to. It is a warm-up
// prompt: the measured ones must stay unknown to the server's cache.
func (r *Ready) checkReady(ctx context.Context, server int) error {
	if r.ReadyCheckTimeoutSec == 0 {
		return nil
	}
	timeout := time.Duration(r.ReadyCheckTimeoutSec) * time.Second
	cfg := r.configFor(server)
	r.host.Note("waiting up to %v for %s", timeout, cfg.URL)
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	for {
		got, err := load.Try(ctx, cfg, r.Warmups[0])
		if err != nil {
			return err
		}
		if got.Outcome == journal.Complete || got.Outcome == journal.Short {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%s was not ready within %v: %s: %s; is the server up, and is it this one?", cfg.URL, timeout, got.Outcome, got.Error)
		case <-time.After(readyEvery):
		}
	}
}

// dialect finds out whether the server needs another word for what we ask of it, and
// whether it takes what is sent. It is asked before any request, and only where it matters.
func (s *Servers) dialect(ctx context.Context, asked *spec.Spec) (d Dialect, err error) {
	k, err := workload.Find(asked.DatasetName)
	fixed := err == nil && k.IgnoreEOS && !asked.API().Pooling // lengths are meant to be
	if fixed && asked.API().Lacks.IgnoreEOS {
		s.note("note: the lengths of answers are not fixed: --backend %s does not support ignore_eos, and a model may end an answer early", asked.Backend)
	}
	ids := workload.SendsIDs(asked.DatasetOptions)
	if !asked.Chat() && !ids && !asked.IgnoreEOS {
		return d, nil
	}
	id := s.first().Identify(ctx) // one without a list of models may still say what it is
	if ids && id.TextsOnly() {
		return d, usage.Errorf("dataset-name", "%s sends token ids, and the server is %s, which takes none", asked.DatasetName, id.Name()).
			WithHint("the dataset trace can send texts")
	}
	if d.OldLimit = asked.Backend == spec.BackendChat && id.OldLimit(); d.OldLimit {
		s.note("note: the server is %s: chat requests say max_tokens beside max_completion_tokens, which it may not know", id.Kind)
	}
	if asked.IgnoreEOS && id.Quirks().IgnoreEOS == target.No {
		s.note("note: the lengths of answers are not fixed: the server is %s, which ignores ignore_eos", id.Name())
	}
	d.Nvext = id.Quirks().Nvext && asked.ReplicaKey != spec.NoReplicaKey
	return d, nil
}

// Facts are what a server says of itself.
type Facts struct {
	ModelID, SentModel string
	Name               string // the owner of its model: vllm, llamacpp, sglang…; empty: it doesn't say
	TextsOnly          bool   // it takes no token ids
	EndsEarly          bool   // it knows no ignore_eos
	Meta               target.Meta
}

// Ask finds the model and who serves it, as a run would before its load.
func Ask(ctx context.Context, s *spec.Spec, h *Host) (Facts, error) {
	r := newReady(s, h)
	defer r.Close()
	if err := r.connect(ctx); err != nil {
		return Facts{}, err
	}
	lacks := r.API().Lacks
	f := Facts{ModelID: r.Chosen.ID, SentModel: r.Chosen.Sent, TextsOnly: lacks.TokenIDs, EndsEarly: lacks.IgnoreEOS}
	models := r.Servers.lists[0].models
	if r.Servers.lists[0].err != nil {
		return f, nil // a server need not list its models; whether it answers will show
	}
	for _, m := range models {
		if m.ID == r.Chosen.Sent || len(models) == 1 {
			f.Name, f.Meta = m.OwnedBy, m.Meta
		}
	}
	id := r.Servers.first().Identify(ctx)
	f.TextsOnly = f.TextsOnly || id.TextsOnly()
	f.EndsEarly = f.EndsEarly || id.Quirks().IgnoreEOS == target.No
	return f, nil
}
