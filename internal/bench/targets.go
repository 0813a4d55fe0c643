package bench

import (
	"context"
	"crypto/tls"
	"fmt"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/outside"
	"github.com/inferometer/inferometer/internal/send/protocol"
	"github.com/inferometer/inferometer/internal/send/target"
)

// shownURL is the first server for the journal: that there is a login, but not which.
func (r *Run) shownURL() string {
	u, err := url.Parse(r.URLs[0])
	if err != nil || r.Login.IsZero() {
		return r.URLs[0]
	}
	u.User = url.User("redacted")
	return u.String()
}

// urls are where requests go, one for each server, without a login.
func (r *Run) urls() []string {
	var list []string
	for _, s := range r.URLs {
		list = append(list, s+r.path())
	}
	return list
}

// path is the endpoint, with the model's name where it has a place for it.
func (r *Run) path() string { return protocol.FillPath(r.Endpoint, r.sentModel) }

// identify notes what each of several servers is, for the journal: a set that
// does not serve the same model is not what most want to measure.
func (r *Run) identify(ctx context.Context) {
	r.askAgain(ctx)
	if !r.Several() {
		return
	}
	r.identity = make([]journal.Target, len(r.targets))
	for i, t := range r.targets {
		id := &r.identity[i]
		id.URL = t.Base
		if models := r.lists[i].models; len(models) > 0 {
			id.Model, id.Root, id.MaxModelLen, id.OwnedBy = models[0].ID, models[0].Root, models[0].MaxModelLen, models[0].OwnedBy
		}
	}
	if words := journal.DifferentModels(r.identity); words != "" {
		r.say("note: %s", words)
	}
}

// askAgain is for servers that came up after the preflight, while the ready check waited.
func (r *Run) askAgain(ctx context.Context) {
	eachTarget(r.targets, func(i int, t *target.Target) {
		if r.lists[i].err != nil && r.ReadyCheckTimeoutSec > 0 {
			ctx, cancel := context.WithTimeout(ctx, preflightTime)
			defer cancel()
			r.lists[i].models, r.lists[i].err = t.Models(ctx)
		}
	})
}

// serves is what the servers say that they serve, for the journal.
func (r *Run) serves() (list []journal.Served) {
	const most = 20 // of a server: a gateway may list hundreds
	for i := range r.lists {
		for k := range r.lists[i].models {
			if m := &r.lists[i].models[k]; k < most || m.ID == r.sentModel {
				list = append(list, journal.Served{
					Target: i, ID: outside.Word(m.ID), Root: outside.Word(m.Root), OwnedBy: outside.Word(m.OwnedBy),
					MaxModelLen: m.Context(), Params: m.Meta.Params, Bytes: m.Meta.Bytes,
				})
			}
		}
	}
	return list
}

// eachTarget calls f for all servers at once and waits.
func eachTarget(targets []*target.Target, f func(i int, t *target.Target)) {
	var all sync.WaitGroup
	for i, t := range targets {
		all.Go(func() { f(i, t) })
	}
	all.Wait()
}

// balancer is the rule of --balance; nil with one server.
func (r *Run) balancer() (target.Balancer, error) {
	if !r.Several() {
		return nil, nil
	}
	b, err := target.NewBalancer(r.Balance, len(r.URLs))
	if err != nil {
		return nil, fmt.Errorf("--balance: %w", err)
	}
	return b, nil
}

// client is for questions beside the load: models, metrics, tokenize.
func (r *Run) client() *http.Client {
	return &http.Client{
		Timeout: 30 * time.Second,
		Transport: &http.Transport{
			Proxy:           r.wire.Proxy,
			DialContext:     r.host.Dial,
			TLSClientConfig: &tls.Config{InsecureSkipVerify: r.Insecure}, //nolint:gosec // the user's --insecure
			IdleConnTimeout: 10 * time.Second,
			// Prompts that the server's tokenizer makes ask side by side, and a new connection is a way there and back more.
			MaxIdleConnsPerHost: 16,
		},
	}
}
