package bench

import (
	"context"
	"errors"
	"fmt"
	"net/url"
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

// awaitServer waits, as long as the ready check may, until somebody answers at the
// server's address: its models and its tokenizer are asked for before that check. If
// nobody ever does, the next question says so.
func (r *Run) awaitServer(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, time.Duration(r.ReadyCheckTimeoutSec)*time.Second)
	defer cancel()
	for said := false; ctx.Err() == nil; said = true {
		var unreachable *url.Error
		if _, err := r.target.Models(ctx); !errors.As(err, &unreachable) {
			return
		}
		if !said {
			r.say("nobody answers at %s yet: waiting up to %d s", r.URLs[0], r.ReadyCheckTimeoutSec)
		}
		select {
		case <-ctx.Done():
		case <-time.After(awaitEvery):
		}
	}
}

// awaitEvery is the pause between two looks whether a server has come up.
const awaitEvery = 200 * time.Millisecond

// checkReady sends a request until one completes, if asked to. It is a warm-up
// prompt: the measured ones must stay unknown to the server's cache.
func (r *Run) checkReady(ctx context.Context, url string, w *workload.Request) error {
	if r.ReadyCheckTimeoutSec == 0 {
		return nil
	}
	timeout := time.Duration(r.ReadyCheckTimeoutSec) * time.Second
	r.say("waiting up to %v for %s", timeout, url)
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	cfg := r.loadConfig(nil, nil)
	cfg.URL, cfg.Targets, cfg.Balance = url, nil, nil
	for {
		got, err := load.Try(ctx, cfg, w)
		if err != nil {
			return err
		}
		if got.Outcome == journal.Complete || got.Outcome == journal.Short {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%s was not ready within %v: %s: %s; is the server up, and is it this one?", url, timeout, got.Outcome, got.Error)
		case <-time.After(readyEvery):
		}
	}
}

// askDialect finds out whether the server needs another word for what we ask of it, and
// whether it takes what is sent. It is asked before any request, and only where it matters.
func (r *Run) askDialect(ctx context.Context) error {
	k, err := workload.Find(r.DatasetName)
	fixed := err == nil && k.IgnoreEOS && !r.API().Pooling // lengths are meant to be
	if fixed && r.API().Lacks.IgnoreEOS {
		r.say("note: the lengths of answers are not fixed: --backend %s has no word for ignore_eos, and a model may end an answer early", r.Backend)
	}
	ids := workload.SendsIDs(r.DatasetOptions)
	if !r.Chat() && !ids && !r.IgnoreEOS {
		return nil
	}
	id := r.target.Identify(ctx) // one without a list of models may still say what it is
	if ids && id.TextsOnly() {
		return usage.Errorf("dataset-name", "%s sends token ids, and the server is %s, which takes none", r.DatasetName, id.Name()).
			WithHint("the dataset trace can send texts")
	}
	if r.oldLimit = r.Backend == spec.BackendChat && id.OldLimit(); r.oldLimit {
		r.say("note: the server is %s: chat requests say max_tokens beside max_completion_tokens, which it may not know", id.Kind)
	}
	if r.IgnoreEOS && id.Quirks().IgnoreEOS == target.No {
		r.say("note: the lengths of answers are not fixed: the server is %s, which passes over ignore_eos", id.Name())
	}
	return nil
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
	r := newRun(s, h)
	defer r.close()
	if err := r.connect(ctx); err != nil {
		return Facts{}, err
	}
	lacks := r.API().Lacks
	f := Facts{ModelID: r.modelID, SentModel: r.sentModel, TextsOnly: lacks.TokenIDs, EndsEarly: lacks.IgnoreEOS}
	models := r.lists[0].models
	if r.lists[0].err != nil {
		return f, nil // a server need not list its models; whether it answers will show
	}
	for _, m := range models {
		if m.ID == r.sentModel || len(models) == 1 {
			f.Name, f.Meta = m.OwnedBy, m.Meta
		}
	}
	id := r.target.Identify(ctx)
	f.TextsOnly = f.TextsOnly || id.TextsOnly()
	f.EndsEarly = f.EndsEarly || id.Quirks().IgnoreEOS == target.No
	return f, nil
}
