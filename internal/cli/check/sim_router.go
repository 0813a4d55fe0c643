package check

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/inferometer/inferometer/internal/cli/argv"
	"github.com/inferometer/inferometer/internal/cli/command"
	"github.com/inferometer/inferometer/internal/option"
	"github.com/inferometer/inferometer/internal/sim/router"
)

const routerGroup = "Router"

// sharedFlags are those of a server that mean something for a router too.
var sharedFlags = []string{"listen", "seed", "truth", "truth-at-once", "until-eof", "tokenizer", "chat-template", "block-size", "num-blocks"}

func simRouterFlags(set *argv.Set, o *simOptions) {
	g, r := argv.Group(routerGroup), &o.router
	set.Choice(&o.policy, "policy", "", router.Policies,
		"Be a router in front of --replica, which spreads requests so: "+strings.Join(router.Policies, ", ")+". sticky goes by the session header, else by how the prompt begins; prefix by what was sent where before; oracle by an exact model of the replicas' caches.",
		g, argv.Common(), argv.Metavar("NAME"), argv.Shown("be a server"))
	set.Option(option.Field{
		Flag: "replica", Kind: option.String, Some: true, Repeat: true, Group: routerGroup, Common: true, Metavar: "[ROLE=]URL",
		Help: "Servers behind the router, real or simulated.",
	}, func(texts []string) error {
		r.Replicas = nil
		for _, text := range texts {
			for part := range strings.SplitSeq(text, ",") {
				p, err := router.ParseReplica(part)
				if err != nil {
					return err
				}
				r.Replicas = append(r.Replicas, p)
			}
		}
		return nil
	})
	set.Bool(&r.NoReplicaHeader, "no-replica-header", "Don't say in x-inferometer-replica which replica answered.", g)
	set.Int(&r.Retries, "retries", r.Retries, "Further tries, on other replicas, of a request that failed before its answer began.", g)
	set.Choice(&r.Break, "break", r.Break, []string{router.BreakCut, router.BreakSMG}, "What becomes of a stream whose replica breaks off: cut ends the connection, smg sends an error event and [DONE].", g)
	set.Bool(&r.Buffer, "buffer", "Hold each answer until it is whole, as a proxy does that buffers.", g)
	set.Duration(&r.Ping, "ping", r.Ping, "Time between comments in a stream, whatever the replica does; 0 is none.", g)
	set.Duration(&r.Stale, "stale", r.Stale, "How far behind the router's knowledge of caches is.", g)
	set.Int(&r.Queue, "queue", r.Queue, "Requests in progress on a replica; others wait in the router. 0 is without a bound.", g)
	set.Duration(&r.HealthEvery, "health-every", r.HealthEvery, "Time between two looks at a replica's health.", g)
}

// checkRouter refuses flags of a router without one, and those of a server with one.
func (o *simOptions) checkRouter(set *argv.Set) error {
	for _, f := range set.Flags() {
		if f.Name == "policy" || !set.Seen(f.Name) {
			continue
		}
		switch ofRouter := f.Group == routerGroup; {
		case o.policy == "" && ofRouter:
			return argv.Errorf(f.Name, "is for a router; say which with --policy, such as --policy round-robin")
		case o.policy != "" && !ofRouter && !slices.Contains(sharedFlags, f.Name):
			return argv.Errorf(f.Name, "is for a server, and --policy makes a router; give it to the replicas")
		}
	}
	if o.policy == "" {
		return nil
	}
	o.router.Policy, o.router.Seed, o.router.Tokenizer = o.policy, o.cfg.Seed, o.cfg.Tokenizer
	if set.Seen("block-size") {
		o.router.BlockSize = o.cfg.Batch.BlockSize
	}
	if set.Seen("num-blocks") {
		o.router.NumBlocks = o.cfg.Batch.NumBlocks
		o.router.BlockSize = o.cfg.Batch.BlockSize
	}
	return nil
}

// route is the command as a router.
func (o *simOptions) route(ctx context.Context, s command.Streams, truth io.Writer) error {
	rt, err := router.New(o.router, truth)
	if err != nil {
		return &argv.UsageError{Text: err.Error()}
	}
	defer rt.Close()
	l, err := o.open()
	if err != nil {
		return err
	}
	fmt.Fprintf(s.Err, "inferometer sim: router, policy %s, replicas %d, at http://%s\n", o.policy, len(o.router.Replicas), l.Addr())
	if open := command.Reachable(l.Addr(), "send it requests", "listen"); open != "" {
		fmt.Fprintf(s.Err, "inferometer sim: %s\n", open)
	}
	return rt.Serve(ctx, l)
}
