package bus

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/inferometer/inferometer/internal/fleet/message"
)

// mostListed bounds how much of a store is listed.
const mostListed = 10_000

// Runs are the ids under which values are kept.
func (b *Bus) Runs(ctx context.Context) (runs []string, err error) {
	ctx, explain := b.waiting.unless(ctx, jetStream)
	defer func() { err = explain(err) }()
	prefix := valueSubj + RunsBucket + "."
	subjects, err := b.subjects(ctx, "KV_"+RunsBucket, prefix+">")
	if err != nil || len(subjects) == 0 {
		return nil, err
	}
	kv, err := b.js.KeyValue(ctx, RunsBucket)
	if err != nil {
		return nil, explainStore(err)
	}
	for _, subject := range subjects {
		run := strings.TrimPrefix(subject, prefix)
		if message.CheckID(run) != nil {
			continue
		}
		// What was removed has left a mark.
		if _, err := kv.Get(ctx, run); err == nil {
			runs = append(runs, run)
		} else if !errors.Is(err, jetstream.ErrKeyNotFound) {
			return nil, explainStore(err)
		}
	}
	return runs, nil
}

// LastStatuses are the last status of each agent in each run, as far as the server keeps
// them: of runs under way, and of those that nobody ended.
func (b *Bus) LastStatuses(ctx context.Context) (all []message.Status, err error) {
	ctx, explain := b.waiting.unless(ctx, jetStream)
	defer func() { err = explain(err) }()
	subjects, err := b.subjects(ctx, StatusStream, statusSubject("*", "*"))
	if err != nil {
		return nil, err
	}
	for _, subject := range subjects {
		run, agent, ok := strings.Cut(strings.TrimPrefix(subject, Prefix+".status."), ".")
		if !ok || message.CheckID(run) != nil || message.CheckID(agent) != nil {
			continue
		}
		s, err := b.LastStatus(ctx, run, agent)
		if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
			return all, err
		}
		// Another's word about an agent, or no message at all, is passed over.
		if err == nil && s != nil && s.Run == run && s.Agent == agent {
			all = append(all, *s)
		}
	}
	return all, nil
}

// subjects are those that a stream has messages of, sorted. It needs no consumer: who may
// make one could let the server publish in its place.
func (b *Bus) subjects(ctx context.Context, stream, filter string) ([]string, error) {
	s, err := b.js.Stream(ctx, stream)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, explainStore(err)
	}
	info, err := s.Info(ctx, jetstream.WithSubjectFilter(filter))
	if err != nil {
		return nil, explainStore(err)
	}
	all := make([]string, 0, len(info.State.Subjects))
	for subject := range info.State.Subjects {
		all = append(all, subject)
	}
	slices.Sort(all)
	return all[:min(len(all), mostListed)], nil
}
