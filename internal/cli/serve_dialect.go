package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/measure"
)

// askDialect finds out whether the server needs another word for what we ask of it. It
// is asked before any request, and only where it matters: in chat.
func (r *serveRun) askDialect(ctx context.Context) {
	if r.Backend != backendChat {
		return
	}
	id := r.target.Identify(ctx, r.lists[0].models) // one without a list may still say what it is
	if r.oldLimit = id.OldLimit(); r.oldLimit {
		r.say("note: the server is %s: chat requests say max_tokens beside max_completion_tokens, which it may not know", id.Kind)
	}
}

// overlong is the end of a run whose answers are far longer than asked for.
func (r *serveRun) overlong(res *measure.Result) error {
	field, other := "max_tokens", "max_completion_tokens"
	if r.Backend == backendChat {
		field, other = other, field
	}
	cut := 0
	for _, o := range res.Outcomes {
		if o.Outcome == journal.Long {
			cut = o.Count
		}
	}
	words := fmt.Sprintf("the run was stopped: answers are far longer than asked for (%d were cut off), so the server ignores %s", cut, field)
	if r.oldLimit {
		return coded{errors.New(words + " and " + other), exitNothing}
	}
	return coded{fmt.Errorf(`%s; say the length in a field that it knows, such as --extra-body '{"%s": 128}'`, words, other), exitNothing}
}
