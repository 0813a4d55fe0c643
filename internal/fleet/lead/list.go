package lead

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"github.com/inferometer/inferometer/internal/fleet/merge"
	"github.com/inferometer/inferometer/internal/send/load"
)

// list is what is to be sent, and by whom.
type list struct {
	requests []merge.Request // nil: nobody knows before
	whole    string          // the hash of a single run
	parts    []string        // of each agent's
}

// makeList makes it while the agents get ready.
func (l *leader) makeList(ctx context.Context) <-chan error {
	done := make(chan error, 1)
	if !l.plan.Spec.Listed() {
		done <- nil
		return done
	}
	go func() {
		var made list
		made.requests = make([]merge.Request, 0, l.plan.Total())
		var err error
		made.whole, made.parts, err = l.plan.Requests(ctx, l.kept.weights(), func(p *load.Planned, client int) {
			r := p.Request
			made.requests = append(made.requests, merge.Request{
				Index: r.Index, Agent: client, Conversation: r.Conversation, Turn: r.Turn, Due: int64(p.Due),
				PromptTokens: r.PromptTokens, OutputTokens: r.OutputTokens,
			})
		})
		if err == nil && len(made.requests) == 0 {
			err = fmt.Errorf("the dataset %s gives no requests", l.plan.Spec.DatasetName)
		}
		l.list = made
		done <- err
	}()
	return done
}

// planned is the list for merge; nil: there is none.
func (l *list) planned() iter.Seq[merge.Request] {
	if l.requests == nil {
		return nil
	}
	return slices.Values(l.requests)
}
