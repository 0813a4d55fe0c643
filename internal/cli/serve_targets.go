package cli

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"sync"

	"github.com/inferometer/inferometer/internal/cli/argv"
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/outside"
	"github.com/inferometer/inferometer/internal/send/target"
)

// defineTargets declares the flags of several servers loaded as one.
func defineTargets(set *argv.Set, o *serveOptions, g argv.Option) {
	set.CSV(&o.Targets, "targets", nil, "Several servers, loaded together as one, in place of --base-url.", g,
		argv.Metavar("URL,URL,…"), argv.Redact(redactURLs))
	set.Choice(&o.Balance, "balance", target.RoundRobin, target.Balances(),
		"How one of --targets is chosen for a request. sticky: by the beginning of its prompt.", g)
}

// redactURLs hides logins in several URLs.
func redactURLs(text string) string {
	words := strings.Split(text, ",")
	for i, w := range words {
		words[i] = argv.RedactURL(w)
	}
	return strings.Join(words, ",")
}

// baseURLs are all servers, without a path of the API.
func (o *serveOptions) baseURLs() []string {
	if len(o.Targets) == 0 {
		return []string{o.baseURL()}
	}
	var list []string
	for _, t := range o.Targets {
		list = append(list, strings.TrimRight(t, "/"))
	}
	return list
}

// several says that the run loads more than one server.
func (o *serveOptions) several() bool { return len(o.Targets) > 1 }

// checkTargets looks at --targets by itself and beside the flags of one server.
func (o *serveOptions) checkTargets(set *argv.Set) error {
	if !set.Seen("targets") {
		return nil
	}
	for _, one := range []string{"base-url", "host", "port"} {
		if set.Seen(one) {
			return argv.Errorf("targets", "can't be used together with --%s: both say where requests go", one)
		}
	}
	if len(o.Targets) == 0 {
		return argv.Errorf("targets", "needs at least one URL, as in http://host:8000,http://host:8001")
	}
	var login url.Userinfo
	seen := map[string]bool{}
	for i, text := range o.baseURLs() {
		if err := checkURL("targets", text, "http", "https"); err != nil {
			return err
		}
		server, user := splitLogin(text)
		if user == nil {
			user = &url.Userinfo{}
		}
		if seen[server] {
			return argv.Errorf("targets", "names %s twice", server)
		}
		seen[server] = true
		if i > 0 && *user != login {
			return argv.Errorf("targets", "must have the same user and password, or none").
				WithHint("measure servers of different logins one by one")
		}
		login = *user
	}
	return nil
}

// findTargets takes the logins out of the URLs; checkTargets has seen to it that
// they are the same.
func (r *serveRun) findTargets() (login *url.Userinfo) {
	r.servers = nil
	for _, base := range r.baseURLs() {
		server, user := splitLogin(base)
		r.servers, login = append(r.servers, server), user
	}
	r.server = r.servers[0]
	return login
}

// urls are where requests go, one for each server, without a login.
func (r *serveRun) urls() []string {
	var list []string
	for _, s := range r.servers {
		list = append(list, s+r.Endpoint)
	}
	return list
}

// identify notes what each of several servers is, for the journal: a set that
// does not serve the same model is not what most want to measure.
func (r *serveRun) identify(ctx context.Context) {
	r.askAgain(ctx)
	if !r.several() {
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
func (r *serveRun) askAgain(ctx context.Context) {
	eachTarget(r.targets, func(i int, t *target.Target) {
		if r.lists[i].err != nil && r.ReadyCheckTimeoutSec > 0 {
			ctx, cancel := context.WithTimeout(ctx, preflightTime)
			defer cancel()
			r.lists[i].models, r.lists[i].err = t.Models(ctx)
		}
	})
}

// serves is what the servers say that they serve, for the journal.
func (r *serveRun) serves() (list []journal.Served) {
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
func (r *serveRun) balancer() (target.Balancer, error) {
	if !r.several() {
		return nil, nil
	}
	b, err := target.NewBalancer(r.Balance, len(r.servers))
	if err != nil {
		return nil, fmt.Errorf("--balance: %w", err)
	}
	return b, nil
}
