package bus

import (
	"context"
	"errors"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/inferometer/inferometer/internal/fleet/message"
)

// ErrHeld says that another leader holds a run.
var ErrHeld = errors.New("another leader holds the run")

// holdKey is no id, so that Runs passes it over.
func holdKey(run string) string { return "leader." + run }

// Hold writes down that a leader lives, if nobody has since the revision that is given; 0:
// nobody ever has. It gives the new revision, or ErrHeld.
func (b *Bus) Hold(ctx context.Context, run, leader string, since uint64) (revision uint64, err error) {
	if err := message.CheckID(run); err != nil {
		return 0, err
	}
	kv, err := b.js.KeyValue(ctx, RunsBucket)
	if err != nil {
		return 0, explainStore(err)
	}
	if since == 0 {
		revision, err = kv.Create(ctx, holdKey(run), []byte(leader))
	} else {
		revision, err = kv.Update(ctx, holdKey(run), []byte(leader), since)
	}
	var api *jetstream.APIError
	if errors.Is(err, jetstream.ErrKeyExists) || errors.As(err, &api) && api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence {
		return 0, ErrHeld
	}
	return revision, err
}

// Holder is the leader that wrote last, and its revision; 0: none did.
func (b *Bus) Holder(ctx context.Context, run string) (leader string, revision uint64, err error) {
	if err := message.CheckID(run); err != nil {
		return "", 0, err
	}
	kv, err := b.js.KeyValue(ctx, RunsBucket)
	if err != nil {
		return "", 0, explainStore(err)
	}
	entry, err := kv.Get(ctx, holdKey(run))
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return "", 0, nil
	}
	if err != nil {
		return "", 0, explainStore(err)
	}
	return string(entry.Value()), entry.Revision(), nil
}
