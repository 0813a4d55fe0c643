package explain

import (
	"encoding/json"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/bounds"
	"github.com/inferometer/inferometer/internal/judge/verdict"
	"github.com/inferometer/inferometer/internal/sim/engine"
	"github.com/inferometer/inferometer/internal/testfiles"
)

// fixed is a closed loop against a server whose latencies do not depend on the load, as README's first run is, with the
// server's word on it: no queue. Times in ns.
type fixed struct {
	*rand.Rand
	slots, requests, output int
	ttft, gap               float64
	stalls                  [][2]int64 // from, length: nothing leaves the server meanwhile
	freezes                 [][2]int64 // the client stands still: it reads late, and sends late
	lag                     float64    // of every read, on average
}

// readmes is README's run.
func readmes(seed uint64) *fixed {
	return &fixed{Rand: rand.New(rand.NewPCG(seed, 5)), slots: 50, requests: 200, output: 64, ttft: 50e6, gap: 10e6}
}

func held(at int64, by [][2]int64) int64 {
	for _, s := range by {
		if at >= s[0] && at < s[0]+s[1] {
			at = s[0] + s[1]
		}
	}
	return at
}

func (w *fixed) run() *sent {
	in := Input{Run: &journal.Run{Clock: "kernel", ReadEnds: true, Environment: journal.Environment{CPUs: 8, GoMaxProcs: 8}}, End: &journal.End{}}
	in.Run.Options.Pace, in.Run.Options.MaxConcurrency = "closed", w.slots
	out := &sent{in: in}
	free := make([]int64, w.slots)
	for i := range free {
		free[i] = int64(i) * 500_000 // a client opens its connections one after the other
	}
	last := int64(0)
	for i := range w.requests {
		slot := 0
		for s := range free {
			if free[s] < free[slot] {
				slot = s
			}
		}
		r := &journal.Request{Index: i, Due: free[slot], Sent: held(free[slot], w.freezes), PromptTokens: 256, OutputTokens: w.output, UsageOutput: w.output, Outcome: journal.Complete, Status: http.StatusOK}
		before, plan := r.Sent, r.Sent+int64(w.ttft)
		for range w.output {
			at := max(held(plan+int64(w.ExpFloat64()*30e3), w.stalls), before+1)
			lag := held(at, w.freezes) - at + int64(w.ExpFloat64()*w.lag)
			r.Events.At, r.Events.Lag, r.Events.Kind = append(r.Events.At, at-before), append(r.Events.Lag, lag+1), append(r.Events.Kind, journal.EventChoices|journal.EventText)
			r.End = at + lag + 1
			before, plan = at, plan+int64(w.gap)
		}
		free[slot], last = r.End+int64(w.ExpFloat64()*200e3), max(last, r.End)
		out.list = append(out.list, r)
	}
	slices.SortFunc(out.list, func(a, b *journal.Request) int { return int(a.End - b.End) })
	queue := map[string]float64{"vllm:num_requests_running": float64(w.slots), "vllm:num_requests_waiting": 0}
	for _, name := range []string{"queue", "prefill", "decode"} {
		queue["vllm:request_"+name+"_time_seconds_count"], queue["vllm:request_"+name+"_time_seconds_sum"] = 0, 0
	}
	scrape := func(at int64, done float64) journal.Scrape {
		s := journal.Scrape{At: at, During: done == 0 && at > 0, After: done > 0, Counters: map[string]float64{}}
		for name := range queue {
			s.Counters[name] = queue[name]
		}
		for name, took := range map[string]float64{"queue": 0.0004, "prefill": w.ttft / 1e9, "decode": float64(w.output-1) * w.gap / 1e9} {
			s.Counters["vllm:request_"+name+"_time_seconds_count"], s.Counters["vllm:request_"+name+"_time_seconds_sum"] = done, done*took
		}
		return s
	}
	out.in.Scrapes = append(out.in.Scrapes, scrape(-1, 0))
	for at := int64(1e9); at < last; at += 1e9 {
		out.in.Scrapes = append(out.in.Scrapes, scrape(at, 0))
	}
	out.in.Scrapes = append(out.in.Scrapes, scrape(last+1e8, float64(w.requests)))
	for at := int64(0); at < last; at += 1e9 {
		out.in.Samples = append(out.in.Samples, journal.Sample{At: at, CPUNs: at / 20})
	}
	return out
}

func (s *sent) explain() *Explanation { return s.collect().Explain(s.in) }

// TestReadme: README's run is limited by its concurrency, on a quiet machine always.
func TestReadme(t *testing.T) {
	random := testfiles.Random(t)
	clear := 0
	for range 40 {
		seed := random.Uint64()
		switch e := readmes(seed).run().explain(); e.Limit {
		case Concurrency:
			clear++
		case Unclear:
			t.Logf("seed %d: %v", seed, e.Why)
		default:
			t.Errorf("seed %d: %s: %v", seed, e.Limit, e.Why)
		}
	}
	if clear < 38 {
		t.Errorf("%d of 40 are named", clear)
	}
}

// TestReadmeDisturbed: where the server's machine stalls now and then, README's run is still not limited by generating, nor by
// the client. Base: "decode-bound … more GPUs" for a server whose latency does not depend on the load.
func TestReadmeDisturbed(t *testing.T) {
	random := testfiles.Random(t)
	named := map[Limit]int{}
	const runs = 150
	for range runs {
		seed := random.Uint64()
		w := readmes(seed)
		every, long := 10e6+w.Float64()*300e6, w.Float64()*40e6
		for at := 0.0; at < 4e9; at += w.ExpFloat64()*every + 1e6 {
			w.stalls = append(w.stalls, [2]int64{int64(at), int64(w.ExpFloat64() * long)})
		}
		e := w.run().explain()
		if named[e.Limit]++; e.Limit != Concurrency && e.Limit != Unclear {
			t.Logf("seed %d: %s: %v", seed, e.Limit, e.Why)
		}
	}
	if right := named[Concurrency] + named[Unclear]; right < runs-1 {
		t.Errorf("named: %v", named)
	}
}

// TestFullDisturbed: a server that is full is not called free where its machine stalls now and then.
func TestFullDisturbed(t *testing.T) {
	random := testfiles.Random(t)
	named := map[Limit]int{}
	const runs = 50
	for range runs {
		seed := random.Uint64()
		w := drawWorld(Decode, seed)
		w.seconds = 6
		every, long := 20e6+w.Float64()*300e6, w.Float64()*60e6
		for at := 0.0; at < 20e9; at += w.ExpFloat64()*every + 1e6 {
			w.stalls = append(w.stalls, [2]int64{int64(at), int64(w.ExpFloat64() * long)})
		}
		e := w.requests().explain()
		if named[e.Limit]++; e.Limit != Decode && e.Limit != Unclear {
			t.Logf("seed %d: %s: %v", seed, e.Limit, e.Why)
		}
	}
	if right := named[Decode] + named[Unclear]; right < runs-1 {
		t.Errorf("named: %v", named)
	}
}

// TestClientHiccup: one long pause of the client's machine is not what limits a run, nor is a client that reads later than
// tokens come and loses a hundredth by it.
func TestClientHiccup(t *testing.T) {
	random := testfiles.Random(t)
	for range 20 {
		seed := random.Uint64()
		w := readmes(seed)
		w.freezes = [][2]int64{{int64(w.Float64() * 2e9), 500e6}}
		if e := w.run().explain(); e.Limit == Client {
			t.Errorf("one pause, seed %d: %v", seed, e.Why)
		}
		w = readmes(seed)
		w.lag = 14e6
		if e := w.run().explain(); e.Limit == Client {
			t.Errorf("reads late, seed %d: %v", seed, e.Why)
		}
	}
}

// TestWaves: where all answers have one length, nearly as many generate at all times, and a server that is full is not
// called free for what little there is to see.
func TestWaves(t *testing.T) {
	random := testfiles.Random(t)
	for range 60 {
		seed := random.Uint64()
		r := rand.New(rand.NewPCG(seed, 9))
		n, base := 20+r.IntN(30), 0.002+0.003*r.Float64()
		w := &world{Rand: r, seconds: 4, servers: []engine.BatchConfig{engineOf(base, 1e-6, (4+2*r.Float64())*base/float64(n))}, slots: n}
		w.prompt, w.output, w.late = [2]int{200, 200}, [2]int{48, 48}, 0.0005
		if e := w.requests().explain(); e.Limit != Decode && e.Limit != Unclear {
			t.Errorf("seed %d: %s: %v", seed, e.Limit, e.Why)
		}
	}
}

// TestWay: what is spent between client and server is the way's, and not a concurrency that the server has room for.
func TestWay(t *testing.T) {
	random := testfiles.Random(t)
	for range 10 {
		seed := random.Uint64()
		w := drawWorld(Concurrency, seed)
		w.way = 0.2 + 0.4*w.Float64()
		e := w.requests().explain()
		if e.Limit != Way {
			t.Errorf("seed %d: %s: %v", seed, e.Limit, e.Why)
		}
		w = drawWorld(Concurrency, seed)
		w.way, w.blind = 0.2, true
		if e := w.requests().explain(); e.Limit == Way {
			t.Errorf("seed %d: without the server's word: %v", seed, e.Why)
		}
	}
}

// TestOutside: the time that is not the server's is shown as such, whatever the kernel says of the next hop.
func TestOutside(t *testing.T) {
	w := drawWorld(Concurrency, 1)
	w.way = 0.5
	for _, p := range w.requests().explain().Time.Parts {
		if p.Name == "outside the server" && *p.Seconds > 0.9 && *p.Seconds < 1.1 {
			return
		}
	}
	t.Error("a second on the way is not in the time of a request")
}

// TestRefused: where half of the requests are refused, that is the limit; and a run of nothing but refusals says so too.
func TestRefused(t *testing.T) {
	random := testfiles.Random(t)
	for _, share := range []float64{0.1, 0.5, 1} {
		for _, limit := range []Limit{None, Concurrency, Queueing} {
			s := drawWorld(limit, random.Uint64()).requests()
			for i, r := range s.list {
				if float64(i%100) < 100*share {
					*r = journal.Request{Index: r.Index, Due: r.Due, Sent: r.Sent, End: r.Sent + 1e6, Outcome: journal.HTTP4xx, Status: http.StatusTooManyRequests}
				}
			}
			if e := s.explain(); e.Limit != Refused {
				t.Errorf("%g refused of %s: %s: %v", share, limit, e.Limit, e.Why)
			}
		}
	}
}

// TestOthers: where somebody else fills the server, it is not said to have room.
func TestOthers(t *testing.T) {
	random := testfiles.Random(t)
	for range 10 {
		seed := random.Uint64()
		w := drawWorld(Decode, seed)
		s := w.requests()
		s.list = slices.DeleteFunc(s.list, func(r *journal.Request) bool { return r.Index%8 != 0 }) // the others' are in no journal of ours
		e := s.explain()
		if e.Limit != Unclear || !strings.Contains(strings.Join(e.Why, " "), "not ours") {
			t.Errorf("seed %d: %s: %v", seed, e.Limit, e.Why)
		}
	}
}

// TestReplicasAlike: of servers that are alike none is slow, however few answers there are and however they scatter.
func TestReplicasAlike(t *testing.T) {
	random := testfiles.Random(t)
	slow := 0
	const runs = 1000
	for range runs {
		r := rand.New(rand.NewPCG(random.Uint64(), 2))
		s := &sent{in: Input{Run: &journal.Run{Targets: make([]journal.Target, 4)}, End: &journal.End{}}}
		s.in.Run.Options.Pace, s.in.Run.Options.MaxConcurrency = "closed", 4
		for i := range 4 * (10 + r.IntN(20)) {
			at := int64(i) * 50e6
			one := &journal.Request{Index: i, Target: i % 4, Due: at, Sent: at, Outcome: journal.Complete, UsageOutput: 2}
			one.Events.At = []int64{int64(50e6 * r.ExpFloat64()), int64(20e6 * r.ExpFloat64())}
			one.Events.Kind = []journal.EventKind{journal.EventChoices | journal.EventText, journal.EventChoices | journal.EventText}
			one.End = at + one.Events.At[0] + one.Events.At[1] + 1
			s.list = append(s.list, one)
		}
		if s.explain().Limit == SlowReplica {
			slow++
		}
	}
	if slow > runs/100 {
		t.Errorf("%d of %d runs against four equal servers have a slow one", slow, runs)
	}
}

// TestChanged: where the verdict's check found that the server changed by much, no limit of its capacity is named.
func TestChanged(t *testing.T) {
	for _, limit := range []Limit{Decode, Concurrency, Cache} {
		for _, change := range []float64{0.05, 2} {
			s := drawWorld(limit, 7).requests()
			s.in.Verdict = &verdict.Verdict{Level: verdict.TrustInvalid, Reasons: []string{"drift"}, Checks: []verdict.Check{{Name: "drift", Level: verdict.Invalid, Value: &change, Sentence: "it took longer"}}}
			e := s.explain()
			if want := map[bool]Limit{true: Changed, false: limit}[change >= largeChange]; e.Limit != want {
				t.Errorf("%s that changed by %g: %s: %v", limit, change, e.Limit, e.Why)
			}
			if said := strings.Join(append(e.Why, e.Seen...), " "); !strings.Contains(said, "It took longer.") {
				t.Errorf("the change is not told: %s", said)
			}
		}
	}
}

// TestFaultsAreTold: who reads that requests failed must read why.
func TestFaultsAreTold(t *testing.T) {
	s := drawWorld(None, 3).requests()
	s.in.Verdict = &verdict.Verdict{Level: verdict.TrustValid, Checks: []verdict.Check{{Name: "faults", Level: verdict.OK, Figure: "2 made, 0 not", Sentence: "2 faults were made on purpose"}}}
	if said := strings.Join(s.explain().Seen, " "); !strings.Contains(said, "2 faults were made on purpose; what is said here is of the whole run.") {
		t.Error(said)
	}
}

// TestVerdict: an explanation says first what the run itself is worth.
func TestVerdict(t *testing.T) {
	s := drawWorld(None, 3).requests()
	s.in.Verdict = &verdict.Verdict{Level: verdict.TrustInvalid, Reasons: []string{"outcomes", "drift"}, Checks: []verdict.Check{{Name: "outcomes", Level: verdict.Invalid, Brief: "3 of 4 requests failed"}}}
	e := s.explain()
	if got, want := e.Verdict.String(), "INVALID: 3 of 4 requests failed (+1 more); an explanation of such a run is worth little"; got != want {
		t.Errorf("%q, not %q", got, want)
	}
	text, err := json.Marshal(e)
	if want := `"verdict":{"level":"INVALID","line":"INVALID: 3 of 4 requests failed (+1 more)","reasons":["outcomes","drift"]}`; err != nil || !strings.Contains(string(text), want) {
		t.Errorf("%s: %v", text, err)
	}
}

// TestBounds: what the bounds of times leave open is no evidence, for a name or against it.
func TestBounds(t *testing.T) {
	for _, limit := range []Limit{Decode, Concurrency, SlowReplica, Way} {
		drawn := limit
		if limit == Way {
			drawn = Concurrency
		}
		w := drawWorld(drawn, 11)
		if limit == Way {
			w.way = 0.3
		}
		s := w.requests()
		if e := s.explain(); e.Limit != limit {
			t.Errorf("%s is named %s: %v", limit, e.Limit, e.Why)
		}
		s.in.Bounds = &bounds.Bounds{Known: true, Metrics: map[string]bounds.Range{}}
		for _, metric := range []string{"ttft", "tpot", "itl", "e2el"} {
			s.in.Bounds.Metrics[metric] = bounds.Range{Bounds: map[string]bounds.Ends{"mean_ms": {0, 1000}}}
		}
		if e := s.explain(); e.Limit == limit {
			t.Errorf("%s is named within bounds of a second: %v", limit, e.Why)
		}
	}
}
