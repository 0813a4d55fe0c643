package explain

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/row"
	"github.com/inferometer/inferometer/internal/sim/engine"
	"github.com/inferometer/inferometer/internal/testfiles"
)

// world is a run on the batch engine's scheduler in virtual time: no socket, no waiting, and the journal
// that bench serve would have written, with a scrape each second.
type world struct {
	*rand.Rand
	servers   []engine.BatchConfig
	prompt    [2]int // tokens, from and to
	output    [2]int
	slots     int     // closed loop; 0: open
	rate      float64 // open loop
	seconds   float64
	late, lag float64    // the client's, seconds on average
	blind     bool       // no scrapes
	way       float64    // seconds, there and back each
	stalls    [][2]int64 // ns, from and length: nothing leaves the servers meanwhile
	*system              // nil: there is no router
}

func (w *world) between(b [2]int) int { return b[0] + w.IntN(b[1]-b[0]+1) }

// one server with its requests.
type lane struct {
	*engine.Virtual
	target              int
	open                map[int]*journal.Request
	there               map[int]int64 // when each was at the server
	of                  *system
	last                map[int]int64
	done, prompts, made float64
	sums                map[string]float64
	scrapes             []journal.Scrape
	next                int64
}

// sent is what came of it.
type sent struct {
	list []*journal.Request
	in   Input
}

func (w *world) run() (*Collector, Input) {
	s := w.requests()
	return s.collect(), s.in
}

func (w *world) requests() *sent {
	in := Input{Run: &journal.Run{Clock: "kernel", Environment: journal.Environment{CPUs: 8, GoMaxProcs: 8}}, End: &journal.End{}}
	in.Run.Options.Pace, in.Run.Options.MaxConcurrency, in.Run.Options.RequestRate = "closed", w.slots, w.rate
	if w.slots == 0 {
		in.Run.Options.Pace = "poisson"
	}
	var lanes []*lane
	for i, cfg := range w.servers {
		lanes = append(lanes, &lane{Virtual: engine.NewVirtual(cfg), target: i, of: w.system, there: map[int]int64{}, open: map[int]*journal.Request{}, last: map[int]int64{}, sums: map[string]float64{}})
		if len(w.servers) > 1 {
			in.Run.Targets = append(in.Run.Targets, journal.Target{URL: fmt.Sprintf("http://server-%d", i)})
		}
	}
	if w.system != nil {
		w.system.list(in.Run, len(lanes))
	}
	number := 0
	send := func(due int64) {
		l := lanes[w.system.choose(w, number, len(lanes))]
		number++
		at := due + int64(w.ExpFloat64()*w.late*1e9)
		r := &journal.Request{Index: number, Target: l.target, Due: due, Sent: at, PromptTokens: w.between(w.prompt), OutputTokens: w.between(w.output), Outcome: journal.Complete}
		if w.system != nil {
			w.system.submit(w, l, r)
			return
		}
		there := at + int64(w.way*1e9)
		id := l.Submit(there, r.PromptTokens, r.OutputTokens)
		l.open[id], l.there[id] = r, there
	}
	end := int64(w.seconds * 1e9)
	for range w.slots {
		send(0)
	}
	if w.slots == 0 {
		for at := int64(0); at < end; at += int64(w.ExpFloat64() / w.rate * 1e9) {
			send(at)
		}
	}
	var requests []*journal.Request
	for {
		// The lane whose clock is behind goes on.
		l := lanes[0]
		for _, o := range lanes {
			if len(o.open) > 0 && (len(l.open) == 0 || o.Now() < l.Now()) {
				l = o
			}
		}
		made, ok := l.Step()
		if !ok {
			break
		}
		for _, ended := range l.take(made, w) {
			requests = append(requests, ended)
			if w.system != nil {
				w.system.ended(w, l, ended)
			}
			if free := ended.End + int64(w.ExpFloat64()*w.lag*1e9); w.slots > 0 && free < end {
				send(free)
			}
		}
	}
	if w.system != nil {
		in.Scrapes = w.system.scrapes(lanes)
	}
	for _, l := range lanes {
		l.scrape(int64(l.Now()), true)
		if !w.blind {
			in.Scrapes = append(in.Scrapes, l.scrapes...)
		}
	}
	for s := range int(w.seconds) + 1 {
		in.Samples = append(in.Samples, journal.Sample{At: int64(s) * 1e9, CPUNs: int64(s) * 1e8})
	}
	if w.system != nil {
		w.system.rename(in.Scrapes)
	}
	return &sent{requests, in}
}

func (s *sent) collect() *Collector {
	c, i := NewCollector(), -1
	c.Begin(s.in.Run)
	next := func() (*journal.Request, error) {
		if i++; i >= len(s.list) {
			return nil, io.EOF
		}
		return s.list[i], nil
	}
	if err := row.Pass(next, row.NewRules(&s.in.Run.Options, ""), c); err != nil {
		panic(err)
	}
	return c
}

// take enters the tokens of a step, and returns the requests that ended.
func (l *lane) take(made []engine.VirtualToken, w *world) (ended []*journal.Request) {
	if len(l.scrapes) == 0 {
		l.scrapes = append(l.scrapes, journal.Scrape{At: -1, Target: l.target, Counters: map[string]float64{}})
		for name := range l.counters() {
			l.scrapes[0].Counters[name] = 0
		}
	}
	for now := int64(l.Now()); l.next <= now; l.next += 1e9 {
		l.scrape(l.next, false)
	}
	for _, t := range made {
		r := l.open[t.Request]
		arrived, there := held(t.At, w.stalls)+int64(w.way*1e9), l.there[t.Request]
		before := r.Sent
		if len(r.Events.At) > 0 {
			before = l.last[t.Request]
		} else {
			l.sums["queue"] += float64(t.Started-there) / 1e9
			l.sums["prefill"] += float64(t.At-t.Started) / 1e9
			l.prompts += float64(r.PromptTokens)
			l.sums["ttft"], l.sums["firsts"] = l.sums["ttft"]+float64(t.At-there)/1e9, l.sums["firsts"]+1
		}
		r.Events.At, r.Events.Kind = append(r.Events.At, arrived-before), append(r.Events.Kind, journal.EventChoices|journal.EventText)
		r.Events.Lag = append(r.Events.Lag, int64(w.ExpFloat64()*w.lag*1e9))
		l.last[t.Request] = arrived
		l.made += float64(t.Tokens)
		r.UsageOutput += t.Tokens
		if t.Last {
			first := r.Sent + r.Events.At[0]
			l.sums["decode"] += float64(arrived-first) / 1e9
			l.sums["e2e"] += float64(t.At-there) / 1e9
			l.done++
			r.End = arrived + 1
			delete(l.open, t.Request)
			delete(l.last, t.Request)
			ended = append(ended, r)
		}
	}
	return ended
}

func (l *lane) counters() map[string]float64 {
	s := l.State()
	out := map[string]float64{
		"vllm:num_requests_running": float64(s.Running), "vllm:num_requests_waiting": float64(s.Waiting), "vllm:kv_cache_usage_perc": s.KVUsage,
		"vllm:num_preemptions_total": float64(s.Preemptions), "vllm:prompt_tokens_total": l.prompts, "vllm:generation_tokens_total": l.made,
		"vllm:request_success_total": l.done,
	}
	for _, stage := range []string{"queue", "prefill", "decode"} {
		out["vllm:request_"+stage+"_time_seconds_sum"] = l.sums[stage]
		out["vllm:request_"+stage+"_time_seconds_count"] = l.done
	}
	out["vllm:time_to_first_token_seconds_sum"], out["vllm:time_to_first_token_seconds_count"] = l.sums["ttft"], l.sums["firsts"]
	out["vllm:e2e_request_latency_seconds_sum"], out["vllm:e2e_request_latency_seconds_count"] = l.sums["e2e"], l.done
	if l.of != nil {
		l.of.more(l, out)
	}
	if s.Speculative {
		out["vllm:spec_decode_num_drafts_total"] = float64(s.Drafts)
		out["vllm:spec_decode_num_draft_tokens_total"] = float64(s.DraftTokens)
		out["vllm:spec_decode_num_accepted_tokens_total"] = float64(s.Accepted)
	}
	return out
}

func (l *lane) scrape(at int64, after bool) {
	l.scrapes = append(l.scrapes, journal.Scrape{At: at, Target: l.target, During: !after, After: after, Counters: l.counters()})
}

// engineOf is a mid-sized server; times in seconds.
func engineOf(base, prefill, sequence float64) engine.BatchConfig {
	c := engine.DefaultBatch()
	d := func(s float64) time.Duration { return time.Duration(s * 1e9) }
	c.Base, c.PerPrefillToken, c.PerSequence, c.PerCachedToken, c.NumBlocks = d(base), d(prefill), d(sequence), 0, 65536
	return c
}

// drawn are worlds whose limit is known, with parameters of their own for each seed.
var drawn = map[Limit]func(w *world, u func(low, high float64) float64){
	Prefill: func(w *world, u func(low, high float64) float64) {
		c := engineOf(0.005, u(20e-6, 60e-6), 10e-6)
		w.servers, w.prompt, w.output, w.slots = []engine.BatchConfig{c}, [2]int{500, int(u(800, 3000))}, [2]int{2, 6}, int(u(24, 60))
	},
	Decode: func(w *world, u func(low, high float64) float64) {
		n := u(40, 120)
		w.servers, w.prompt, w.output, w.slots = []engine.BatchConfig{engineOf(0.004, 1e-6, 0.016/n)}, [2]int{20, 80}, [2]int{60, int(u(100, 300))}, int(n)
	},
	Cache: func(w *world, u func(low, high float64) float64) {
		c := engineOf(0.01, 1e-6, 10e-6)
		fits := int(u(4, 30))
		c.NumBlocks = fits * 1100 / 16
		// At most one prompt ends in a step on average: with shorter answers thirty at once also fill the 2,048 tokens of a step.
		w.servers, w.prompt, w.output, w.slots = []engine.BatchConfig{c}, [2]int{900, 1100}, [2]int{30, 50}, fits*3
	},
	Preempting: func(w *world, u func(low, high float64) float64) {
		c := engineOf(0.01, 2e-6, 30e-6)
		fits := int(u(6, 30))
		c.NumBlocks = fits * 250 / 16
		w.servers, w.prompt, w.output, w.slots = []engine.BatchConfig{c}, [2]int{30, 60}, [2]int{150, 250}, fits*3
	},
	Queueing: func(w *world, u func(low, high float64) float64) {
		c := engineOf(0.01, 2e-6, 30e-6)
		c.MaxNumSeqs = int(u(4, 40))
		w.servers, w.prompt, w.output = []engine.BatchConfig{c}, [2]int{50, 150}, [2]int{30, 80}
		if w.slots = 3 * c.MaxNumSeqs; u(0, 1) < 0.5 {
			w.slots, w.rate = 0, 1.5*float64(c.MaxNumSeqs)/(0.011*55)
		}
	},
	Drafts: func(w *world, u func(low, high float64) float64) {
		c := engineOf(0.01, 2e-6, 100e-6)
		c.SpecTokens, c.SpecAcceptance, c.PerDraftToken = 4, u(0.02, 0.2), 300*time.Microsecond
		w.servers, w.prompt, w.output, w.slots = []engine.BatchConfig{c}, [2]int{50, 150}, [2]int{40, 100}, int(u(6, 24))
	},
	SlowReplica: func(w *world, u func(low, high float64) float64) {
		slow := u(1.7, 3)
		w.servers = []engine.BatchConfig{engineOf(0.01, 2e-6, 30e-6), engineOf(0.01*slow, 2e-6*slow, 30e-6*slow), engineOf(0.01, 2e-6, 30e-6)}
		w.prompt, w.output, w.slots = [2]int{50, 150}, [2]int{20, 60}, int(u(9, 24))
	},
	Client: func(w *world, u func(low, high float64) float64) {
		w.servers, w.prompt, w.output, w.slots = []engine.BatchConfig{engineOf(0.01, 2e-6, 30e-6)}, [2]int{50, 150}, [2]int{10, 40}, int(u(3, 12))
		w.late, w.lag = u(0.02, 0.1), u(0.05, 0.2)
	},
	None: func(w *world, u func(low, high float64) float64) {
		w.servers, w.prompt, w.output, w.rate = []engine.BatchConfig{engineOf(0.01, 2e-6, 30e-6)}, [2]int{50, 150}, [2]int{20, 60}, u(3, 20)
	},
	Concurrency: func(w *world, u func(low, high float64) float64) {
		w.servers, w.prompt, w.output, w.slots = []engine.BatchConfig{engineOf(0.01, 2e-6, 30e-6)}, [2]int{50, 150}, [2]int{20, 120}, int(u(3, 12))
	},
}

func drawWorld(limit Limit, seed uint64) *world {
	w := &world{Rand: rand.New(rand.NewPCG(seed, 17)), seconds: 20}
	drawn[limit](w, func(low, high float64) float64 { return low + (high-low)*w.Float64() })
	return w
}

// TestStates names the limit of runs whose limit is known, nineteen of
// twenty right, and none wrong.
func TestStates(t *testing.T) {
	seeds := 20
	if testing.Short() {
		seeds = 4
	}
	for limit := range drawn {
		t.Run(string(limit), func(t *testing.T) {
			random, right := testfiles.Random(t), 0
			for range seeds {
				seed := random.Uint64()
				c, in := drawWorld(limit, seed).run()
				e := c.Explain(in)
				switch e.Limit {
				case limit:
					right++
				case Unclear:
					t.Logf("seed %d: unclear: %s", seed, strings.Join(e.Why, " "))
				default:
					t.Errorf("seed %d: named %s: %s", seed, e.Limit, strings.Join(e.Why, " "))
				}
			}
			if right < seeds-(seeds+19)/20 {
				t.Errorf("%d of %d are right", right, seeds)
			}
		})
	}
}

// TestCacheAndPrompts: where thirty requests fill the cache and their prompts nearly fill the steps as well,
// neither the prompts nor a batch is named.
func TestCacheAndPrompts(t *testing.T) {
	random := testfiles.Random(t)
	for range 20 {
		seed := random.Uint64()
		w := drawWorld(Cache, seed)
		w.servers[0].NumBlocks, w.output, w.slots = 30*1100/16, [2]int{15, 25}, 90
		c, in := w.run()
		if e := c.Explain(in); e.Limit != Cache && e.Limit != Unclear {
			t.Errorf("seed %d: named %s: %s", seed, e.Limit, strings.Join(e.Why, " "))
		}
	}
}

// TestBlind: without the server's metrics nothing of its inside is named.
func TestBlind(t *testing.T) {
	random := testfiles.Random(t)
	for _, limit := range slices.Sorted(maps.Keys(drawn)) {
		w := drawWorld(limit, random.Uint64())
		w.blind = true
		c, in := w.run()
		e := c.Explain(in)
		switch e.Limit {
		case Unclear, limit:
		case Decode: // drafts that are rejected are also slow generating
			if limit != Drafts {
				t.Errorf("%s is taken for %s: %v", limit, e.Limit, e.Why)
			}
		default:
			t.Errorf("%s is taken for %s: %v", limit, e.Limit, e.Why)
		}
		switch e.Limit {
		case Prefill, Cache, Preempting, Queueing, Drafts:
			t.Errorf("%s was named without the server's word", e.Limit)
		}
		if len(e.Unknown) == 0 {
			t.Errorf("%s: nothing is unknown", limit)
		}
	}
}

// TestLittle: a run of nothing is explained as such, and nothing panics.
func TestLittle(t *testing.T) {
	for _, n := range []int{0, 1, 5} {
		i := 0
		next := func() (*journal.Request, error) {
			if i++; i > n {
				return nil, io.EOF
			}
			return &journal.Request{Index: i, Outcome: journal.HTTP5xx, End: int64(i)}, nil
		}
		c := NewCollector()
		run := &journal.Run{}
		if err := row.Pass(next, row.NewRules(&run.Options, ""), c); err != nil && !errors.Is(err, io.EOF) {
			t.Fatal(err)
		}
		e := c.Explain(Input{Run: run, Scrapes: []journal.Scrape{{Counters: map[string]float64{"vllm:num_requests_running": 1}}}})
		if e.Limit != Unclear || len(e.Why) == 0 {
			t.Errorf("%d failed requests: %+v", n, e)
		}
	}
}

// TestKilled: of a run that was killed while requests piled up only those are in the journal that had ended. It
// was not served for that.
func TestKilled(t *testing.T) {
	for seed := range uint64(10) {
		w := &world{Rand: rand.New(rand.NewPCG(seed, 3)), seconds: 20, servers: []engine.BatchConfig{engineOf(0.01, 2e-6, 200e-6)}, prompt: [2]int{50, 60}, output: [2]int{100, 200}, rate: 80, blind: true}
		requests := w.requests()
		killed := int64(10e9)
		in := Input{Run: requests.in.Run}
		for at := int64(0); at < killed; at += 1e9 {
			open := 0
			for _, r := range requests.list {
				if r.Sent <= at && r.End > at {
					open++
				}
			}
			in.Samples = append(in.Samples, journal.Sample{At: at, InFlight: open})
		}
		requests.list = slices.DeleteFunc(requests.list, func(r *journal.Request) bool { return r.End > killed })
		if e := requests.collect().Explain(in); e.Limit == None {
			t.Errorf("seed %d: %s: %v", seed, e.Limit, e.Why)
		}
	}
}
