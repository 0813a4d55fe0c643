package bus

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/nats-io/nats.go"

	"github.com/inferometer/inferometer/internal/outside"
)

// RefusedError says that the server does not permit something to this user.
type RefusedError struct{ Doing, Subject string }

func (e *RefusedError) Error() string {
	return fmt.Sprintf("NATS does not permit this user to %s %s: use the file that inferometer fleet init wrote for the role (leader.json, agent.json or viewer.json)", e.Doing, e.Subject)
}

var violation = regexp.MustCompile(`(?i)permissions violation for (publish|subscription) to "([^"]*)"`)

// refusal is what the server said, or nil if it said something else.
func refusal(err error) *RefusedError {
	if !errors.Is(err, nats.ErrPermissionViolation) {
		return nil
	}
	r := &RefusedError{"use", "that"}
	if found := violation.FindStringSubmatch(err.Error()); found != nil {
		r.Doing, r.Subject = "publish to", outside.Word(found[2])
		if strings.EqualFold(found[1], "subscription") {
			r.Doing = "listen to"
		}
	}
	return r
}

// refusals are the calls that wait for an answer. The server tells of a refusal by the
// side, and the answer never comes: so they are told here.
type refusals struct {
	mu  sync.Mutex
	all map[*waiter]bool
}

type waiter struct {
	subjects []string // or what they begin with, with a dot at the end
	cancel   context.CancelCauseFunc
}

// tell says whether a call waited for it, which then fails by it.
func (r *refusals) tell(refused *RefusedError) (heard bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for w := range r.all {
		for _, subject := range w.subjects {
			if refused.Subject == subject || strings.HasSuffix(subject, ".") && strings.HasPrefix(refused.Subject, subject) {
				w.cancel(refused)
				heard = true
			}
		}
	}
	return heard
}

// unless is a context that ends as well when the server refuses what is published to these
// subjects. explain gives the reason in place of the context's own; it must be called.
func (r *refusals) unless(ctx context.Context, subjects ...string) (within context.Context, explain func(error) error) {
	within, cancel := context.WithCancelCause(ctx)
	w := &waiter{subjects, cancel}
	r.mu.Lock()
	if r.all == nil {
		r.all = map[*waiter]bool{}
	}
	r.all[w] = true
	r.mu.Unlock()
	return within, func(err error) error {
		r.mu.Lock()
		delete(r.all, w)
		r.mu.Unlock()
		var refused *RefusedError
		if err != nil && errors.As(context.Cause(within), &refused) {
			err = refused
		}
		cancel(nil)
		return err
	}
}

// What requests to JetStream begin with, and what goes into its stores.
const (
	jetStream = "$JS.API."
	valueSubj = "$KV."
	fileSubj  = "$O."
)
