package verdict

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/inferometer/inferometer/internal/journal"
)

// quiet is a clean run on a quiet machine, by its size and pace.
type quiet struct {
	requests    int
	concurrency int     // of a closed loop; 0: not one
	rate        float64 // of an open loop; 0 with concurrency 0: all at once
	connects    bool    // the server keeps no connection, as llama-server
	varied      bool    // answers end by themselves, at lengths of their own
}

func (q quiet) String() string {
	return fmt.Sprintf("%d requests, concurrency %d, rate %g, connects %v, varied %v", q.requests, q.concurrency, q.rate, q.connects, q.varied)
}

// world draws a run. What is natural is in it: TTFT and gaps that vary, one chunk in two
// hundred in a read with the one before, one tick of stolen time, round trips of loopback.
func (q quiet) world(seed uint64) *world {
	random := rand.New(rand.NewPCG(seed, 11))
	pace := "burst"
	switch {
	case q.concurrency > 0:
		pace = "closed"
	case q.rate > 0:
		pace = "poisson"
	}
	w := newWorld(pace)
	o := &w.run.Options
	o.MaxConcurrency, o.RequestRate, o.Burstiness, o.IgnoreEOS = q.concurrency, q.rate, 1, !q.varied
	free := make([]int64, max(q.concurrency, 1))
	due := int64(0)
	gaps := make([]float64, q.requests) // as a pace has them: the last request is due at n/rate
	sum := 0.0
	for i := range gaps {
		gaps[i] = random.ExpFloat64()
		sum += gaps[i]
	}
	for i := range q.requests {
		slot := slices.Index(free, slices.Min(free))
		switch {
		case q.concurrency > 0:
			due = free[slot]
		case q.rate > 0:
			due += int64(gaps[i] * float64(q.requests) / sum / q.rate * 1e9)
		}
		r := q.request(i, due, random)
		r.NewConn = q.connects || i < q.concurrency || q.concurrency == 0
		free[slot] = r.End
		w.requests = append(w.requests, r)
	}
	w.derive()
	stolen := random.IntN(2) == 0
	for i := range w.samples {
		if stolen && i > 0 {
			w.samples[i].StealNs = 10 * msNs
		}
	}
	return w
}

func (q quiet) request(i int, due int64, random *rand.Rand) journal.Request {
	length := tokens
	if q.varied {
		length = max(2, int(40*math.Exp(0.4*random.NormFloat64())))
	}
	r := journal.Request{
		Index: i, Due: due, Released: due + 20_000, Sent: due + 50_000, Outcome: journal.Complete, Status: 200, FinishReason: "length",
		PromptTokens: prompt, OutputTokens: length, UsagePrompt: prompt + 1, UsageOutput: length, RTT: 4000 + random.Int64N(9000),
		PromptHash: strconv.FormatUint(random.Uint64()|1, 16), TextHash: strconv.FormatUint(random.Uint64()|1, 16),
		Events: journal.Events{TokensBy: "token_ids"},
	}
	at := r.Sent
	for k := range length {
		gap := int64(10e6 * (1 + 0.1*random.NormFloat64()))
		kind := textKind
		switch {
		case k == 0:
			gap = int64(50e6 * math.Exp(0.3*random.NormFloat64()))
		case random.IntN(200) == 0:
			gap = 0
		}
		if k == length-1 {
			kind |= journal.EventFinish
		}
		at += gap
		r.Events.At, r.Events.Lag = append(r.Events.At, gap), append(r.Events.Lag, 20_000+random.Int64N(60_000))
		r.Events.Kind, r.Events.Tokens = append(r.Events.Kind, kind), append(r.Events.Tokens, 1)
	}
	r.End = at + 50_000
	return r
}

// A clean run of any size is VALID, or is told precisely what it can't support: which
// percentiles it has too few values for, and that most of it is start and end.
func TestCleanSmallRunsAreNotAccused(t *testing.T) {
	var runs []quiet
	for _, n := range []int{1, 4, 8, 32, 64} {
		for _, connects := range []bool{false, true} {
			for _, c := range []int{1, 4} {
				runs = append(runs, quiet{requests: n, concurrency: c, connects: connects}, quiet{requests: n, concurrency: c, connects: connects, varied: true})
			}
			runs = append(runs, quiet{requests: n, connects: connects}, quiet{requests: n, rate: 4, connects: connects}, quiet{requests: n, rate: 50, connects: connects})
		}
	}
	runs = append(runs, quiet{requests: 200, concurrency: 50}, quiet{requests: 200, concurrency: 50, connects: true}, quiet{requests: 200, concurrency: 50, varied: true})
	seeds := 20
	if testing.Short() {
		seeds = 4 // the same share may be accused; the seeds are fixed
	}
	judged, accused, ramps := 0, 0, 0
	for _, q := range runs {
		for seed := range uint64(seeds) {
			v := q.world(seed).judge(t, Options{})
			judged++
			for _, name := range v.Reasons {
				if name == "ramp_drain" && v.Level == TrustSuspect && q.requests < 10*q.concurrency {
					ramps++
					continue // its sentence says what it is, and steady state has the rest
				}
				accused++
				t.Logf("%v, seed %d: %v", q, seed, bad(v))
			}
			if thin := q.requests < 100; thin != slices.Contains(v.Unsupported, "p99_ttft") {
				t.Errorf("%v: unsupported are %v", q, v.Unsupported)
			}
		}
	}
	t.Logf("%d of %d clean runs are accused; %d more are told that they are mostly start and end", accused, judged, ramps)
	if accused*100 > judged {
		t.Errorf("%d of %d clean runs are accused, more than one in a hundred", accused, judged)
	}
}

// With even lengths a closed loop of at least two requests per slot is VALID as it is.
func TestTheFirstRunIsValid(t *testing.T) {
	for _, q := range []quiet{{requests: 200, concurrency: 50}, {requests: 8, concurrency: 1}, {requests: 32, concurrency: 4}, {requests: 64, concurrency: 8, connects: true}} {
		for seed := range uint64(10) {
			if v := q.world(1000+seed).judge(t, Options{}); v.Level != TrustValid {
				t.Errorf("%v, seed %d: %s for %v", q, seed, v.Level, bad(v))
			}
		}
	}
}
