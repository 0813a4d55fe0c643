package prepare

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"sync"
	"time"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/outside"
	"github.com/inferometer/inferometer/internal/send/target"
	"github.com/inferometer/inferometer/internal/spec"
)

// Servers are the servers of a run, with what they say of themselves.
type Servers struct {
	Targets  []*target.Target
	Identity []journal.Target // of each, where there are several
	Balance  target.Balancer  // nil with one server

	Replicas []journal.Replica // the servers behind them, as far as they are known
	Routers  []journal.Router  // those of them that send requests on

	lists  []modelList // what each says that it serves
	values *spec.Wire
	note   func(format string, args ...any)
}

// first is the server that is asked where one is enough.
func (s *Servers) first() *target.Target { return s.Targets[0] }

// awaitEvery is the pause between two looks whether a server has come up.
const awaitEvery = 200 * time.Millisecond

// await waits, as long as the ready check may, until somebody answers at the first
// server's address: its models and its tokenizer are asked for before that check. If
// nobody ever does, the next question says so.
func (s *Servers) await(ctx context.Context, seconds int) {
	ctx, cancel := context.WithTimeout(ctx, time.Duration(seconds)*time.Second)
	defer cancel()
	for said := false; ctx.Err() == nil; said = true {
		var unreachable *url.Error
		if _, err := s.first().Models(ctx); !errors.As(err, &unreachable) {
			return
		}
		if !said {
			s.note("no server answers at %s yet: waiting up to %d s", s.first().Base, seconds)
		}
		select {
		case <-ctx.Done():
		case <-time.After(awaitEvery):
		}
	}
}

// ask asks each server for its models; with failed only those that have not told them yet.
func (s *Servers) ask(ctx context.Context, failed bool) {
	s.each(func(i int, t *target.Target) {
		if failed && s.lists[i].err == nil {
			return
		}
		ctx, cancel := context.WithTimeout(ctx, preflightTime)
		defer cancel()
		s.lists[i].models, s.lists[i].err = t.Models(ctx)
	})
}

// each calls f for all servers at once and waits.
func (s *Servers) each(f func(i int, t *target.Target)) {
	var all sync.WaitGroup
	for i, t := range s.Targets {
		all.Go(func() { f(i, t) })
	}
	all.Wait()
}

// identify notes what each of several servers is, for the journal: a set that
// does not serve the same model is not what most want to measure. Where the run waited
// for servers, some may have come up since they were asked.
func (s *Servers) identify(ctx context.Context, waited bool) {
	if waited {
		s.ask(ctx, true)
	}
	if len(s.Targets) == 1 {
		return
	}
	s.Identity = make([]journal.Target, len(s.Targets))
	for i, t := range s.Targets {
		id := &s.Identity[i]
		id.URL = t.Base
		if models := s.lists[i].models; len(models) > 0 {
			id.Model, id.Root, id.MaxModelLen, id.OwnedBy = models[0].ID, models[0].Root, models[0].MaxModelLen, models[0].OwnedBy
		}
	}
	if words := journal.DifferentModels(s.Identity); words != "" {
		s.note("note: %s", words)
	}
}

// Serves is what the servers say that they serve, for the journal.
func (s *Servers) Serves(sent string) (list []journal.Served) {
	const limit = 20 // of a server: a gateway may list hundreds
	for i := range s.lists {
		for k := range s.lists[i].models {
			if m := &s.lists[i].models[k]; k < limit || m.ID == sent {
				list = append(list, journal.Served{
					Target: i, ID: outside.Word(m.ID), Root: outside.Word(m.Root), OwnedBy: outside.Word(m.OwnedBy),
					MaxModelLen: m.Context(), Params: m.Meta.Params, Bytes: m.Meta.Bytes,
				})
			}
		}
	}
	return list
}

// Kind is what a server's list of models says that it is; empty: it does not tell.
func (s *Servers) Kind(i int) string { return target.KindOfModels(s.lists[i].models) }

// balancer is the rule of --balance; nil with one server.
func balancer(s *spec.Spec) (target.Balancer, error) {
	if !s.Several() {
		return nil, nil
	}
	b, err := target.NewBalancer(s.Balance, len(s.URLs))
	if err != nil {
		return nil, fmt.Errorf("--balance: %w", err)
	}
	return b, nil
}
