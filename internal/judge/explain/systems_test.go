package explain

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/sim/engine"
	"github.com/inferometer/inferometer/internal/testfiles"
)

// system is a router in front of a world's servers, and what it does to requests.
type system struct {
	hot      float64 // share of the requests that go to the first replica beside its own turn
	places   int     // requests that it lets into each replica at a time; 0: all
	mute     bool    // it has no metrics
	nameless bool    // answers do not say who gave them
	retry    float64 // share of the requests that a replica fails at first
	buffer   bool    // it hands answers on when they are whole
	transfer float64 // seconds that a cache takes from prefill to decode
	cached   float64 // share of each prompt that was sent before
	gone     float64 // share of those that the replica no longer has, which the router does not know

	waiting          map[*lane][]*journal.Request
	tries            map[*lane]float64
	retries, got     float64
	moving           []int64    // ends of the transfers so far
	queue            [][2]int64 // waits in the router: from, to
	since            map[*journal.Request]int64
	transfersOf      map[*lane]float64
	transferSecondOf map[*lane]float64
}

func (s *system) list(run *journal.Run, n int) {
	s.waiting, s.tries, s.since = map[*lane][]*journal.Request{}, map[*lane]float64{}, map[*journal.Request]int64{}
	s.transfersOf, s.transferSecondOf = map[*lane]float64{}, map[*lane]float64{}
	run.Targets, run.Routers = nil, []journal.Router{{Kind: "sim", Metrics: journal.OwnMetrics}}
	for i := range n {
		one := journal.Replica{Name: replicaName(i), URL: fmt.Sprintf("http://h:%d", i), Found: "/workers"}
		if s.transfer > 0 {
			one.Role = journal.Decode
		}
		run.Replicas = append(run.Replicas, one)
	}
	if s.transfer > 0 {
		run.Replicas = append(run.Replicas, journal.Replica{Name: "prefill", URL: "http://p:1", Role: journal.Prefill})
	}
}

func replicaName(i int) string { return fmt.Sprintf("r%d", i) }

func (s *system) choose(w *world, number, lanes int) int {
	if s != nil && s.hot > 0 && w.Float64() < s.hot {
		return 0
	}
	return number % lanes
}

// submit is a request at the router.
func (s *system) submit(w *world, l *lane, r *journal.Request) {
	if !s.nameless {
		r.Replica = replicaName(l.target)
	}
	s.got++
	s.tries[l]++
	if w.Float64() < s.retry { // another one had it first, and failed at once
		s.retries++
		s.tries[l]++
	}
	r.Target = 0
	if s.places > 0 && len(l.open) >= s.places {
		s.since[r] = r.Sent
		s.waiting[l] = append(s.waiting[l], r)
		return
	}
	s.enter(w, l, r, r.Sent)
}

// enter is a request that is let into its replica.
func (s *system) enter(w *world, l *lane, r *journal.Request, at int64) {
	at += int64(w.way * 1e9)
	computed := r.PromptTokens
	if s.cached > 0 {
		r.UsagePrompt, r.CachedKnown, r.BelievedKnown = r.PromptTokens, true, true
		r.Believed = int(s.cached * float64(r.PromptTokens))
		if w.Float64() >= s.gone {
			r.UsageCached = r.Believed
			computed -= r.UsageCached
		}
	}
	if s.transfer > 0 {
		took := s.transfer * (0.8 + 0.4*w.Float64())
		s.transfersOf[l]++
		s.transferSecondOf[l] += took
		at += int64(took * 1e9)
		s.moving = append(s.moving, at)
	}
	id := l.Submit(at, computed, r.OutputTokens)
	l.open[id], l.there[id] = r, at
}

// ended lets the next one in.
func (s *system) ended(w *world, l *lane, r *journal.Request) {
	if s.buffer {
		whole := int64(0)
		for i, gap := range r.Events.At {
			whole += gap
			r.Events.At[i] = 0
		}
		r.Events.At[0] = whole
	}
	if len(s.waiting[l]) > 0 && len(l.open) < s.places {
		next := s.waiting[l][0]
		s.waiting[l] = s.waiting[l][1:]
		at := max(r.End, next.Sent)
		s.queue = append(s.queue, [2]int64{s.since[next], at})
		s.enter(w, l, next, at)
	}
}

// scrapes are the router's own.
func (s *system) scrapes(lanes []*lane) (list []journal.Scrape) {
	if s.mute {
		return nil
	}
	end := int64(0)
	for _, l := range lanes {
		end = max(end, int64(l.Now()))
	}
	for at := int64(-1); at <= end; at += 1e9 {
		queued := 0.0
		for _, q := range s.queue {
			if q[0] <= at && at < q[1] {
				queued++
			}
		}
		c := map[string]float64{"sim_router_queued_requests": queued}
		if at < 0 || at+int64(1e9) > end {
			c["sim_router_requests_total"], c["sim_router_retries_total"] = s.got*one(at >= 0), s.retries*one(at >= 0)
		}
		list = append(list, journal.Scrape{At: at, During: at >= 0 && at+int64(1e9) <= end, After: at+int64(1e9) > end, Counters: c})
	}
	return list
}

// rename makes the servers' scrapes those of replicas.
func (s *system) rename(list []journal.Scrape) {
	for i := range list {
		one := &list[i]
		if _, router := one.Counters["sim_router_queued_requests"]; router {
			continue
		}
		one.Replica, one.Target = one.Target+1, 0
	}
}

// more are the counters of a replica in a system.
func (s *system) more(l *lane, out map[string]float64) {
	out[`http_requests_total{handler="/v1/completions"}`] = s.tries[l]
	if s.transfer > 0 {
		now, moving := int64(l.Now()), 0.0
		for _, end := range s.moving {
			if end > now && end-int64(s.transfer*1.2e9) <= now {
				moving++
			}
		}
		out["vllm:nixl_xfer_time_seconds_sum"], out["vllm:nixl_xfer_time_seconds_count"] = s.transferSecondOf[l], s.transfersOf[l]
		out[`vllm:num_requests_waiting_by_reason{reason="deferred"}`] = moving
	}
}

// systems are worlds behind a router whose limit is known.
var systems = map[Limit]func(w *world, u func(low, high float64) float64){
	HotReplica: func(w *world, u func(low, high float64) float64) {
		c := engineOf(0.01, 20e-6, 1e-3)
		c.MaxNumSeqs = 8
		w.servers, w.prompt, w.output, w.slots = []engine.BatchConfig{c, c, c, c}, [2]int{50, 150}, [2]int{20, 60}, int(u(20, 30))
		w.hot, w.nameless = u(0.5, 0.8), u(0, 1) < 0.3
	},
	StaleIndex: func(w *world, u func(low, high float64) float64) {
		c := engineOf(0.005, u(50e-6, 100e-6), 10e-6)
		w.servers, w.prompt, w.output, w.slots = []engine.BatchConfig{c, c}, [2]int{800, 1200}, [2]int{10, 30}, int(u(4, 8))
		w.cached, w.gone = u(0.7, 0.9), u(0.3, 0.7)
	},
	RouterQueue: func(w *world, u func(low, high float64) float64) {
		c := engineOf(0.01, 2e-6, 30e-6)
		w.servers, w.prompt, w.output, w.slots = []engine.BatchConfig{c, c}, [2]int{50, 150}, [2]int{20, 60}, int(u(24, 48))
		w.places, w.mute = int(u(3, 6)), u(0, 1) < 0.5
	},
	Transfer: func(w *world, u func(low, high float64) float64) {
		c := engineOf(0.01, 2e-6, 30e-6)
		w.servers, w.prompt, w.output, w.slots = []engine.BatchConfig{c, c}, [2]int{500, 1500}, [2]int{10, 40}, int(u(8, 24))
		w.transfer = u(0.1, 0.5)
	},
	Retried: func(w *world, u func(low, high float64) float64) {
		c := engineOf(0.01, 2e-6, 30e-6)
		w.servers, w.prompt, w.output, w.slots = []engine.BatchConfig{c, c, c}, [2]int{50, 150}, [2]int{20, 60}, int(u(6, 18))
		w.retry, w.mute = u(0.2, 0.6), u(0, 1) < 0.3
	},
	Buffered: func(w *world, u func(low, high float64) float64) {
		c := engineOf(0.01, 2e-6, 30e-6)
		w.servers, w.prompt, w.output, w.slots = []engine.BatchConfig{c, c}, [2]int{50, 150}, [2]int{20, 60}, int(u(4, 16))
		w.buffer = true
	},
}

func drawSystem(seed uint64, draw func(w *world, u func(low, high float64) float64)) *world {
	w := &world{Rand: rand.New(rand.NewPCG(seed, 23)), seconds: 20, system: &system{}}
	draw(w, func(low, high float64) float64 { return low + (high-low)*w.Float64() })
	return w
}

// TestSystems names what a router does to a run where that is known, nineteen of twenty right, and none wrong.
func TestSystems(t *testing.T) {
	seeds := 20
	if testing.Short() {
		seeds = 4
	}
	for limit, draw := range systems {
		t.Run(string(limit), func(t *testing.T) {
			random, right := testfiles.Random(t), 0
			for range seeds {
				seed := random.Uint64()
				c, in := drawSystem(seed, draw).run()
				e := c.Explain(in)
				switch e.Limit {
				case limit:
					right++
				case Unclear:
					t.Logf("seed %d: unclear: %s", seed, strings.Join(e.Why, " "))
				default:
					t.Errorf("seed %d: named %s: %s", seed, e.Limit, strings.Join(e.Why, " "))
				}
				if right == 1 && e.Limit == limit {
					t.Log(strings.Join(e.Why, " "), "Next:", e.Next)
				}
			}
			if right < seeds-(seeds+19)/20 {
				t.Errorf("%d of %d are right", right, seeds)
			}
		})
	}
}

// TestRoutersThatDoNothing: behind a router that is in nobody's way, what limits the servers is named as without it.
func TestRoutersThatDoNothing(t *testing.T) {
	for _, limit := range slices.Sorted(maps.Keys(drawn)) {
		if limit == Client || limit == SlowReplica {
			continue
		}
		t.Run(string(limit), func(t *testing.T) {
			random, right := testfiles.Random(t), 0
			const seeds = 8
			for i := range seeds {
				seed := random.Uint64()
				w := drawSystem(seed, drawn[limit])
				w.servers = append(w.servers, w.servers[0])
				w.slots, w.rate = 2*w.slots, 2*w.rate
				w.nameless, w.mute = i%2 > 0, i%4 > 1
				c, in := w.run()
				switch e := c.Explain(in); e.Limit {
				case limit:
					right++
				case Unclear:
				default:
					t.Errorf("seed %d: named %s: %s", seed, e.Limit, strings.Join(e.Why, " "))
				}
			}
			if right < seeds-1 {
				t.Errorf("%d of %d are right", right, seeds)
			}
		})
	}
}

// TestLongWayToARouter: a way that is long for every request is no queue in the router.
func TestLongWayToARouter(t *testing.T) {
	random := testfiles.Random(t)
	for i := range 10 {
		seed := random.Uint64()
		w := drawSystem(seed, drawn[Concurrency])
		w.servers = append(w.servers, w.servers[0])
		w.slots, w.way, w.mute = 4*w.slots, 0.4+w.Float64(), i%2 > 0
		c, in := w.run()
		if e := c.Explain(in); e.Limit != Way || !strings.Contains(e.Next, "the router (sim)") {
			t.Errorf("seed %d: named %s: %s", seed, e.Limit, strings.Join(e.Why, " "))
		}
	}
}

// TestSlowReplicaBehindARouter: a slow one is named as without a router, where answers say who gave them.
func TestSlowReplicaBehindARouter(t *testing.T) {
	random := testfiles.Random(t)
	for range 10 {
		seed := random.Uint64()
		c, in := drawSystem(seed, drawn[SlowReplica]).run()
		if e := c.Explain(in); e.Limit != SlowReplica || !strings.Contains(strings.Join(e.Why, " "), "r1") {
			t.Errorf("seed %d: %s: %s", seed, e.Limit, strings.Join(e.Why, " "))
		}
	}
}
