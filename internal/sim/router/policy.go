package router

import (
	"cmp"
	"slices"
	"time"

	"github.com/inferometer/inferometer/internal/sim/engine"
	"github.com/inferometer/inferometer/internal/sim/random"
)

// question is a request as a policy sees it.
type question struct {
	session string
	prompt  []int32 // nil: it has none, or nobody asks for it
	model   uint64  // prompts of different models share nothing
	chains  map[int]engine.Chain
}

// chain is the prompt in blocks of a size.
func (q *question) chain(size int) engine.Chain {
	c, ok := q.chains[size]
	if !ok {
		if q.chains == nil {
			q.chains = map[int]engine.Chain{}
		}
		c = engine.NewChain(q.prompt, q.model, size)
		q.chains[size] = c
	}
	return c
}

// stickyTokens are the first tokens of a prompt by which sticky knows a request without a session.
const stickyTokens = 32

// prefixShare is how much of a prompt prefix must believe to find; below that it goes where least is in progress.
const prefixShare = 0.3

// choose picks a replica that is up, one that has not been tried if there is any; nil: none is up. The policy's
// belief is how many tokens of the prompt are cached there.
func (rt *Router) choose(q *question, tried []*replica) (p *replica, believed int) {
	var up, fresh []*replica
	for _, p := range rt.replicas {
		if p.healthy() {
			up = append(up, p)
			if !slices.Contains(tried, p) {
				fresh = append(fresh, p)
			}
		}
	}
	if len(fresh) > 0 {
		up = fresh
	}
	if len(up) == 0 {
		return nil, 0
	}
	turn := int(rt.turn.Add(1) - 1)
	switch rt.cfg.Policy {
	case Random:
		rt.mu.Lock()
		defer rt.mu.Unlock()
		return up[rt.rng.IntN(len(up))], 0
	case Sticky:
		return rendezvous(up, q), 0
	case LeastLoaded:
		return leastLoaded(up, turn), 0
	case Prefix, Oracle:
		return rt.byCache(up, q, turn)
	}
	return up[turn%len(up)], 0
}

// rendezvous gives each session a replica of its own; when one goes only its sessions move.
func rendezvous(up []*replica, q *question) *replica {
	key := random.HashString(q.session)
	if q.session == "" {
		key = random.HashTokens(random.FNVOffset, q.prompt[:min(len(q.prompt), stickyTokens)])
	}
	return slices.MaxFunc(up, func(a, b *replica) int {
		return cmp.Compare(random.Mix(key, random.HashString(a.URL)), random.Mix(key, random.HashString(b.URL)))
	})
}

// leastLoaded is the one with fewest requests; of equals the one whose turn it is.
func leastLoaded(up []*replica, turn int) *replica {
	best := up[turn%len(up)]
	for i := range up {
		if p := up[(turn+i)%len(up)]; p.active.Load() < best.active.Load() {
			best = p
		}
	}
	return best
}

// byCache goes where most of the prompt is believed to be. The oracle is right in that, and spreads what nobody has so
// that each replica computes as much as the others.
func (rt *Router) byCache(up []*replica, q *question, turn int) (best *replica, most int) {
	if q.prompt == nil {
		return leastLoaded(up, turn), 0
	}
	for i := range up {
		p := up[(turn+i)%len(up)]
		cache, size := p.memory()
		held := cache.Held(q.chain(size))
		if best == nil || held > most || held == most && p.missed.Load() < best.missed.Load() {
			best, most = p, held
		}
	}
	if rt.cfg.Policy == Prefix && float64(most) < prefixShare*float64(len(q.prompt)) {
		best = leastLoaded(up, turn)
		cache, size := best.memory()
		most = cache.Held(q.chain(size))
	}
	return best, most
}

// remembers says whether the policy has a belief about caches.
func (rt *Router) remembers() bool { return rt.cfg.Policy == Prefix || rt.cfg.Policy == Oracle }

// learn enters something in the model of a cache, as late as the router's knowledge is.
func (rt *Router) learn(do func()) {
	if rt.cfg.Stale == 0 {
		do()
		return
	}
	rt.work.Go(func() {
		t := time.NewTimer(rt.cfg.Stale)
		defer t.Stop()
		select {
		case <-t.C:
			do()
		case <-rt.ctx.Done():
		}
	})
}

// answered are the tokens of an answer, as it was read.
type answered []int32

// Token implements engine.Answer.
func (a answered) Token(i int) int32 { return a[i] }
