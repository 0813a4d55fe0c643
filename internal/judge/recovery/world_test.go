package recovery

import (
	"io"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/row"
)

const second = int64(1e9)

// world is a made-up system with a known fault: so many slots, a queue before them, first tokens and gaps by chance.
type world struct {
	rand     *rand.Rand
	rate     float64 // arrivals a second, by Poisson; 0: a closed loop
	users    int     // of a closed loop
	slots    int
	prefill  float64 // seconds, on average
	itl      float64
	tokens   int
	spread   float64 // of the logarithm of prefill; 0: 0.3
	mixed    bool    // answers of 5 tokens to twice as many
	pause    float64 // each request stands still for half a second with this chance, as by a collector of garbage
	seconds  int64
	from, to int64  // the outage
	kind     string // none, freeze, refuse, slow, some; stall: half of what is in flight
	edit     func(*journal.Request)
}

// wall brings the clock of a server that was stopped back to that of the world.
func (w *world) wall(t int64) int64 {
	if w.kind == "freeze" && t >= w.from {
		return t + w.to - w.from
	}
	return t
}

func (w *world) own(t int64) int64 {
	if w.kind != "freeze" || t < w.from {
		return t
	}
	return max(w.from, t-(w.to-w.from))
}

func (w *world) requests() []journal.Request {
	free := make([]int64, w.slots) // when a slot is free, on the server's clock
	var list []journal.Request
	add := func(at int64) int64 {
		r := w.request(len(list), at, free)
		list = append(list, r)
		return r.End
	}
	if w.rate > 0 {
		for at := int64(0); at < w.seconds*second; at += int64(w.rand.ExpFloat64() / w.rate * 1e9) {
			add(at)
		}
		return list
	}
	next := make([]int64, w.users)
	for {
		i := slices.Index(next, slices.Min(next))
		if next[i] >= w.seconds*second {
			return list
		}
		next[i] = max(add(next[i]), next[i]+1e6) + 1e5
	}
}

func (w *world) request(i int, at int64, free []int64) journal.Request {
	r := journal.Request{Index: i, Due: at, Released: at, Sent: at, Outcome: journal.Complete, OutputTokens: w.tokens, UsageOutput: w.tokens}
	down := w.kind == "refuse" && at >= w.from && at < w.to
	if down || w.kind == "some" && at >= w.from && at < w.to && w.rand.Float64() < 0.3 {
		r.Outcome, r.End, r.UsageOutput = journal.Refused, at+second/50, 0
		return r
	}
	k := slices.Index(free, slices.Min(free))
	begin := max(free[k], w.own(at))
	spread := 0.3
	if w.spread > 0 {
		spread = w.spread
	}
	prefill := w.prefill * math.Exp(spread*w.rand.NormFloat64())
	tokens, stop := w.tokens, -1
	if w.mixed {
		tokens = 5 + w.rand.IntN(2*w.tokens-5)
	}
	if w.rand.Float64() < w.pause {
		stop = w.rand.IntN(tokens)
	}
	r.OutputTokens, r.UsageOutput = tokens, tokens
	if w.kind == "slow" && at >= w.from && at < w.to {
		prefill *= 4
	}
	now, before := begin+int64(prefill*1e9), at
	for n := range tokens {
		if n == stop {
			now += second / 2
		}
		if n > 0 {
			now += int64(w.itl * (0.8 + 0.4*w.rand.Float64()) * 1e9)
		}
		came := w.wall(now)
		if w.kind == "stall" && i%2 == 0 && at < w.from && came >= w.from {
			came += w.to - w.from
		}
		if w.kind == "refuse" && at < w.from && came >= w.from {
			r.Outcome, r.End, r.UsageOutput = journal.Reset, w.from+second/1000, n
			free[k] = w.to
			return r
		}
		r.Events.At, r.Events.Kind = append(r.Events.At, came-before), append(r.Events.Kind, journal.EventChoices|journal.EventText)
		before = came
	}
	free[k], r.End = now, before
	return r
}

// felt is what the package says of it, and which requests failed in truth.
func (w *world) felt(faults ...journal.Fault) (*Recovery, []int) {
	list := w.requests()
	if w.edit != nil {
		for i := range list {
			w.edit(&list[i])
		}
	}
	failed := []int{}
	for i := range list {
		if list[i].Outcome != journal.Complete && list[i].Outcome != journal.HungUp {
			failed = append(failed, list[i].Index)
		}
	}
	slices.SortStableFunc(list, func(a, b journal.Request) int { return int(min(max(a.End-b.End, -1), 1)) })
	run := &journal.Run{Options: journal.Options{Pace: "poisson", RequestRate: w.rate, Workload: map[string]string{key: "[{}]"}}}
	if w.rate == 0 {
		run.Options.Pace, run.Options.MaxConcurrency = "closed", w.users
	}
	c := NewCollector(run)
	next := func() (*journal.Request, error) {
		if len(list) == 0 {
			return nil, io.EOF
		}
		r := list[0]
		list = list[1:]
		return &r, nil
	}
	if err := row.Pass(next, row.NewRules(&run.Options, ""), adder{c}); err != nil {
		panic(err)
	}
	return c.Result(faults, 0), failed
}

type adder struct{ *Collector }

func (a adder) Add(r *row.Request) error {
	a.Collector.Add(r)
	return nil
}

// systems are loads and servers of several kinds: idle and busy, open and closed.
func systems(r *rand.Rand) map[string]*world {
	return map[string]*world{
		"open, at ease":   {rand: r, rate: 20, slots: 64, prefill: 0.05, itl: 0.01, tokens: 30, seconds: 120},
		"open, fast":      {rand: r, rate: 100, slots: 64, prefill: 0.02, itl: 0.005, tokens: 20, seconds: 60},
		"open, busy":      {rand: r, rate: 20, slots: 10, prefill: 0.05, itl: 0.01, tokens: 35, seconds: 120},
		"closed, 8 users": {rand: r, users: 8, slots: 64, prefill: 0.05, itl: 0.01, tokens: 30, seconds: 60},
		"closed, crowded": {rand: r, users: 16, slots: 8, prefill: 0.05, itl: 0.01, tokens: 30, seconds: 60},
	}
}

// others are further loads. On "mixed, 60 % of slots" and "75 % of 32 slots" a queue comes by itself, and so rarely that the time before
// the fault often has none.
func others(r *rand.Rand) map[string]*world {
	return map[string]*world{
		"heavy tail":             {rand: r, rate: 20, slots: 64, prefill: 0.05, itl: 0.01, tokens: 30, seconds: 120, spread: 1},
		"mixed lengths":          {rand: r, rate: 20, slots: 64, prefill: 0.05, itl: 0.01, tokens: 50, seconds: 120, mixed: true},
		"mixed, 60 % of slots":   {rand: r, rate: 15, slots: 16, prefill: 0.05, itl: 0.01, tokens: 55, seconds: 120, mixed: true},
		"75 % of 32 slots":       {rand: r, rate: 40, slots: 32, prefill: 0.05, itl: 0.011, tokens: 50, seconds: 90},
		"rare pauses":            {rand: r, rate: 20, slots: 64, prefill: 0.05, itl: 0.01, tokens: 30, seconds: 120, pause: 0.005},
		"few requests":           {rand: r, rate: 4, slots: 16, prefill: 0.1, itl: 0.02, tokens: 40, seconds: 90},
		"closed, mixed, crowded": {rand: r, users: 24, slots: 16, prefill: 0.08, itl: 0.01, tokens: 40, seconds: 60, mixed: true, spread: 0.6},
	}
}
