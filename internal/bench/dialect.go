package bench

import (
	"context"
)

// askDialect finds out whether the server needs another word for what we ask of it. It
// is asked before any request, and only where it matters: in chat.
func (r *Run) askDialect(ctx context.Context) {
	if !r.Chat() {
		return
	}
	id := r.target.Identify(ctx, r.lists[0].models) // one without a list may still say what it is
	if r.oldLimit = id.OldLimit(); r.oldLimit {
		r.say("note: the server is %s: chat requests say max_tokens beside max_completion_tokens, which it may not know", id.Kind)
	}
}
