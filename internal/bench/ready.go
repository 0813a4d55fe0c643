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

// askDialect finds out whether the server needs another word for what we ask of it. It
// is asked before any request, and only where it matters: in chat.
func (r *Run) askDialect(ctx context.Context) {
	if !r.Chat() {
		return
	}
	id := r.target.Identify(ctx) // one without a list may still say what it is
	if r.oldLimit = id.OldLimit(); r.oldLimit {
		r.say("note: the server is %s: chat requests say max_tokens beside max_completion_tokens, which it may not know", id.Kind)
	}
}

// Facts are what a server says of itself.
type Facts struct {
	ModelID, SentModel string
	Name               string // the owner of its model: vllm, llamacpp, sglang…; empty: it doesn't say
	TextsOnly          bool   // it takes no token ids, and knows no ignore_eos
	Meta               target.Meta
}

// Ask finds the model and who serves it, as a run would before its load.
func Ask(ctx context.Context, s *Spec, h *Host) (Facts, error) {
	r := newRun(s, h)
	defer r.close()
	if err := r.connect(ctx); err != nil {
		return Facts{}, err
	}
	f := Facts{ModelID: r.modelID, SentModel: r.sentModel}
	models := r.lists[0].models
	if r.lists[0].err != nil {
		return f, nil // a server need not list its models; whether it answers will show
	}
	for _, m := range models {
		if m.ID == r.sentModel || len(models) == 1 {
			f.Name, f.Meta = m.OwnedBy, m.Meta
		}
	}
	f.TextsOnly = r.target.Identify(ctx).TextsOnly()
	return f, nil
}
