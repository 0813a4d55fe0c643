package prepare

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/send/protocol/stream"
	"github.com/inferometer/inferometer/internal/send/target"
	"github.com/inferometer/inferometer/internal/spec"
)

// findReplicas learns which of the addresses are routers, and which servers are behind them: those that the user names,
// or else those that the routers list.
func (s *Servers) findReplicas(ctx context.Context, asked *spec.Spec) (err error) {
	if s.Replicas, err = asked.GivenReplicas(); err != nil {
		return err
	}
	routers := make([]target.Router, len(s.Targets))
	s.each(func(i int, t *target.Target) {
		if s.lists[i].err == nil || answered(s.lists[i].err) { // else nobody is there
			t.Kind = s.Kind(i)
			routers[i] = t.Router(ctx)
		}
	})
	given := len(s.Replicas)
	for i := range routers {
		r := &routers[i]
		if r.Kind == "" {
			continue
		}
		s.Routers = append(s.Routers, journal.Router{Target: i, Kind: r.Kind, Metrics: r.Quirks().Metrics})
		if asked.FindsReplicas() {
			s.addFound(i, r)
		}
	}
	s.noteRouters(asked, given)
	s.nameReplicas(ctx, asked)
	return nil
}

// nameReplicas gives replicas the names by which answers will tell them. A router that has no sign of its own passes on
// the headers of its servers, and those may name themselves.
func (s *Servers) nameReplicas(ctx context.Context, asked *spec.Spec) {
	signs, err := stream.ParseSigns(asked.ReplicaKey)
	if err != nil || signs.None || len(signs.Path) > 0 {
		return
	}
	own := func(r *journal.Router) bool { return (&target.Router{Kind: r.Kind}).Quirks().Sign != "" }
	var all sync.WaitGroup
	for i := range s.Replicas {
		one := &s.Replicas[i]
		at := slices.IndexFunc(s.Routers, func(r journal.Router) bool { return r.Target == one.Target })
		if one.URL == "" || signs.Header == "" && at >= 0 && own(&s.Routers[at]) {
			continue
		}
		all.Go(func() {
			t := &target.Target{Base: one.URL, Client: s.Targets[0].Client} // without the load's key
			if name := signs.Named(t.Says(ctx)); name != "" {
				one.Name = name
			}
		})
	}
	all.Wait()
}

// addFound adds the servers that a router names. Several routers may have the same ones.
func (s *Servers) addFound(i int, r *target.Router) {
	for _, one := range r.Behind {
		known := slices.ContainsFunc(s.Replicas, func(o journal.Replica) bool { return o.Name == one.Name })
		if known || len(s.Replicas) >= spec.MaxReplicas {
			continue
		}
		one.Target = i
		if why := target.Reachable(s.Targets[i].Base, one.URL); why != "" {
			one.URL = "" // it is known by its name, and not asked
		}
		s.Replicas = append(s.Replicas, one)
	}
}

// noteRouters says what stands at the addresses, whose metrics are read, and what to give where they can't be.
func (s *Servers) noteRouters(asked *spec.Spec, given int) {
	for i := range s.Routers {
		r := &s.Routers[i]
		words := fmt.Sprintf("router: %s is %s", s.Targets[r.Target].Base, r.Kind)
		behind, read := 0, 0
		for k := range s.Replicas {
			if given > 0 || s.Replicas[k].Target == r.Target {
				behind++
				if s.Replicas[k].URL != "" {
					read++
				}
			}
		}
		switch {
		case given > 0:
			words += fmt.Sprintf(", and the %s of --replica are behind it", counted(given, "server"))
		case behind > 0:
			words += fmt.Sprintf(" and lists %s: %s", counted(behind, "server"), s.shortNames(r.Target))
		case !asked.FindsReplicas():
		default:
			words += ", which names no server behind it"
		}
		if read < behind || behind == 0 && asked.FindsReplicas() {
			words += ". What happens inside them is not seen; --replica URL for each names addresses that this machine reaches"
		}
		if r.Metrics == journal.WorkerMetrics && read == 0 {
			words += ". Its /metrics is that of one of them, and is not read"
		}
		s.note("%s", words)
	}
}

// shortNames names a few of the servers behind an address.
func (s *Servers) shortNames(at int) string {
	const limit = 4
	var names []string
	n := 0
	for i := range s.Replicas {
		one := &s.Replicas[i]
		if one.Target != at {
			continue
		}
		if n++; n <= limit {
			name := one.Name
			if one.Role != journal.BothRoles {
				name += fmt.Sprintf(" (%s)", one.Role)
			}
			names = append(names, name)
		}
	}
	if n > limit {
		names = append(names, fmt.Sprintf("and %d more", n-limit))
	}
	return strings.Join(names, ", ")
}

func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
