// Package router is a router in front of replicas, as simulated as the servers are: it spreads requests by a policy that
// is known, retries, queues, buffers and breaks streams as it is told, and writes down where each request went.
//
// It knows no engine and no schedule: the replicas are servers of any kind, reached over HTTP. What it believes of
// their caches it computes itself ([engine.Counted]).
package router

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/inferometer/inferometer/internal/sim/vocab"
)

// The policies.
const (
	RoundRobin  = "round-robin"
	Random      = "random"
	Sticky      = "sticky"       // by the session, else by how the prompt begins
	LeastLoaded = "least-loaded" // fewest requests in progress
	Prefix      = "prefix"       // by an index of the prompts that were sent to each: a belief
	Oracle      = "oracle"       // by a model of each replica's cache, block by block
	PDVLLM      = "pd-vllm"      // a prefill server and then a decode server, in turn
	PDSGLang    = "pd-sglang"    // both at once
)

// Policies are all of them.
var Policies = []string{RoundRobin, Random, Sticky, LeastLoaded, Prefix, Oracle, PDVLLM, PDSGLang}

// What happens to a stream whose replica breaks off.
const (
	BreakCut = "cut" // the connection ends, as with sglang-router and vllm-router
	BreakSMG = "smg" // an error event and [DONE], as with smg
)

// The roles of a replica.
const (
	RoleBoth    = ""
	RolePrefill = "prefill"
	RoleDecode  = "decode"
)

// Replica is a server behind the router.
type Replica struct {
	URL  string
	Role string
}

// ParseReplica reads URL, prefill=URL or decode=URL.
func ParseReplica(s string) (Replica, error) {
	r := Replica{URL: s}
	if role, rest, ok := strings.Cut(s, "="); ok && !strings.Contains(role, "/") {
		if role != RolePrefill && role != RoleDecode {
			return r, fmt.Errorf("role %q is unknown; write prefill=URL or decode=URL", role)
		}
		r = Replica{URL: rest, Role: role}
	}
	if !strings.Contains(r.URL, "://") {
		r.URL = "http://" + r.URL
	}
	r.URL = strings.TrimSuffix(strings.TrimRight(r.URL, "/"), "/v1") // as clients write it
	u, err := url.Parse(r.URL)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.RawQuery != "" || u.User != nil {
		return r, fmt.Errorf("%q is no address of a server; write http://HOST:PORT", s)
	}
	return r, nil
}

// Config is everything that can be set. Start from DefaultConfig.
type Config struct {
	Policy   string
	Replicas []Replica
	Seed     uint64 // of the policy random

	NoReplicaHeader bool          // don't say which replica answered
	Retries         int           // further tries of a request that failed before its answer began
	Break           string        // BreakCut or BreakSMG
	Buffer          bool          // hold each answer until it is whole
	Ping            time.Duration // between SSE comments; 0: none
	Stale           time.Duration // how far behind its knowledge of caches is
	Queue           int           // requests in progress on a replica, others wait; 0: without a bound
	HealthEvery     time.Duration // between two looks at a replica's /health

	// Of caches, for prefix and oracle. 0: as the replica's metrics say; without them 16 tokens, no bound.
	BlockSize, NumBlocks int

	// Dial reaches the replicas; nil: over the network.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
	// Tokenizer counts prompts; nil: the built-in one.
	Tokenizer vocab.Tokenizer
}

// DefaultConfig is a router that neither retries nor queues.
func DefaultConfig() Config {
	return Config{Policy: RoundRobin, Break: BreakCut, HealthEvery: time.Second}
}

// maxReplicas bounds what is behind one router.
const maxReplicas = 10_000

func (c *Config) validate() error {
	var errs []error
	add := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if !slices.Contains(Policies, c.Policy) {
		add("policy %q is unknown; give one of %s", c.Policy, strings.Join(Policies, ", "))
	}
	if c.Break != BreakCut && c.Break != BreakSMG {
		add("break %q is unknown; give %s or %s", c.Break, BreakCut, BreakSMG)
	}
	for _, n := range []struct {
		name string
		v    int
	}{{"retries", c.Retries}, {"queue", c.Queue}, {"block-size", c.BlockSize}, {"num-blocks", c.NumBlocks}} {
		if n.v < 0 {
			add("%s is %d; give 0 or more", n.name, n.v)
		}
	}
	if c.Ping < 0 || c.Stale < 0 {
		add("ping is %v and stale is %v; give 0 or more", c.Ping, c.Stale)
	}
	if c.HealthEvery <= 0 {
		add("the time between two looks at a replica's health is %v; give more than 0", c.HealthEvery)
	}
	if len(c.Replicas) == 0 || len(c.Replicas) > maxReplicas {
		add("%d replicas; give 1 to %d with --replica URL…", len(c.Replicas), maxReplicas)
	}
	seen, roles, apart := map[string]bool{}, map[string]int{}, c.Policy == PDVLLM || c.Policy == PDSGLang
	for _, r := range c.Replicas {
		roles[r.Role]++
		if seen[r.URL] {
			add("replica %s is given twice", r.URL)
		}
		seen[r.URL] = true
		if r.Role != RoleBoth && !apart {
			add("replica %s has the role %s, which policy %s does not know; leave it out, or give --policy %s or %s", r.URL, r.Role, c.Policy, PDVLLM, PDSGLang)
		}
	}
	if apart && (roles[RolePrefill] == 0 || roles[RoleDecode] == 0 || roles[RoleBoth] > 0) {
		add("policy %s needs replicas of both roles and no others; give --replica prefill=URL… decode=URL…", c.Policy)
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("router: %w", err)
	}
	return nil
}
