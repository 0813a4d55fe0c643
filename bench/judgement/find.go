package main

import (
	"fmt"
	"math"
	"strconv"

	"github.com/inferometer/inferometer/internal/plan/search"
)

// findTrials are searches whose edge is known: of servers that are a formula, by the thousand, and of real simulators.
func findTrials(o *options) ([]tally, error) {
	all := madeUpSearches(o)
	real, err := realSearches(o)
	return append(all, real...), err
}

// findRoom is how far an answer may be from the edge: the tolerance asked for is 5 %, and a point at which a long run held
// lies below the edge.
const findRoom = 0.10

// searchAnswer judges an answer. invalid: the verdict beside it takes it back.
func searchAnswer(a *search.Answer, edge float64, invalid bool) answer {
	inside := (a.Low == nil || *a.Low <= edge*(1+1e-9)) && (a.High == nil || *a.High >= edge*(1-1e-9))
	near := a.X != nil && math.Abs(*a.X/edge-1) <= findRoom
	switch {
	case invalid:
		return undecided
	case a.X == nil && a.High == nil && a.Low == nil && saidNone(a):
		return wrong
	case a.X == nil:
		if inside {
			return undecided
		}
		return wrong
	case !a.Confirmed:
		return undecided
	case near:
		return right
	case inside:
		return undecided
	}
	return wrong
}

// saidNone reports whether an answer without a number says that the SLO holds at no load: these servers all hold at the lowest.
func saidNone(a *search.Answer) bool {
	return len(a.Reason) > 7 && a.Reason[:7] == "the SLO"
}

// madeUp is a server that is a formula: how much of the limit it takes at a load.
type madeUp struct {
	edge    float64
	integer bool
	use     func(x float64) float64
	noise   float64 // of a probe of one second, as a logarithm
	rate    func(x float64) float64
}

// drawMadeUp is a queue whose wait grows towards its capacity, or, of a concurrency, a cliff: slots that are all taken.
func (d *dice) drawMadeUp(slow bool) madeUp {
	s := madeUp{integer: d.chance(0.5), noise: 0.4}
	capacity := d.scaled(5, 300)
	s.rate = func(x float64) float64 { return x }
	switch {
	case slow:
		capacity, s.integer = d.scaled(0.6, 4), false
	case s.integer:
		capacity = max(capacity, 40)
		s.rate = func(x float64) float64 { return x / 2 }
	}
	if s.integer && d.chance(0.5) {
		slots, below := math.Floor(d.scaled(3, 100)), d.between(0.1, 0.8)
		s.edge = slots
		s.use = func(x float64) float64 {
			if x > slots {
				return 1.5 + (x-slots)/slots*10
			}
			return below
		}
		return s
	}
	times := d.between(2, 8)
	s.edge = capacity * (1 - 1/times)
	if s.integer {
		s.edge = math.Floor(s.edge)
	}
	s.use = func(x float64) float64 {
		if x >= capacity {
			return 1e6
		}
		return 1 / (1 - x/capacity) / times
	}
	return s
}

// probe is what a quiet probe of it shows.
func (s *madeUp) probe(d *dice, p search.Probe) search.Observation {
	sd := s.noise / math.Sqrt(p.Seconds)
	sent := int(math.Round(0.9 * s.rate(p.X) * p.Seconds))
	o := search.Observation{X: p.X, Seconds: p.Seconds, Cost: p.Seconds, Purpose: p.Purpose, Numbers: search.Numbers{Sent: sent, Requests: sent, Throughput: s.rate(p.X), Verdict: "VALID"}}
	if sent == 0 {
		o.Clauses = []search.ClauseUse{{Clause: "p99_ttft<=1s"}}
		return o
	}
	setUse(&o, s.use(p.X)*math.Exp(sd*d.NormFloat64()), sd)
	return o
}

// setUse is how much of the limit it took. More than three times it is left early.
func setUse(o *search.Observation, use, sd float64) {
	o.Clauses = []search.ClauseUse{{Clause: "p99_ttft<=1s", Use: &use, Low: new(use * math.Exp(-1.96*sd)), High: new(use * math.Exp(1.96*sd))}}
	if use > 3 {
		o.GaveUp, o.Cost = "too slow", o.Seconds/4
	}
}

// slowed is a probe that a disturbance made slower than the server is. told: the verdict has seen what it was.
func slowed(d *dice, o *search.Observation, told float64) {
	if len(o.Clauses) == 0 || o.Clauses[0].Use == nil {
		return
	}
	was := *o.Clauses[0].Use
	setUse(o, was*d.scaled(1.3, 10), 0.05)
	if d.chance(told) {
		o.Disturbed, o.Numbers.Verdict = "steal: a fifth of the time", "SUSPECT"
		o.Clauses[0].Least, o.Clauses[0].Low = new(was), new(was*math.Exp(-0.1-1.96*0.4/math.Sqrt(o.Seconds)))
	}
}

// spoilt is a probe whose numbers are nobody's, and whose verdict says so.
func spoilt(d *dice, o *search.Observation) {
	setUse(o, math.Exp(1.5*d.NormFloat64()), 0.05)
	o.Spoiled, o.Numbers.Verdict = "it is INVALID because of lag", "INVALID"
}

func madeUpSearches(o *options) []tally {
	situations := []struct {
		name    string
		quiet   bool
		slow    bool
		disturb func(d *dice, o *search.Observation)
	}{
		{"a formula for a server", true, false, func(*dice, *search.Observation) {}},
		{"… few requests a second", true, true, func(*dice, *search.Observation) {}},
		{"… one probe in five is INVALID", false, false, func(d *dice, o *search.Observation) {
			if d.chance(0.2) {
				spoilt(d, o)
			}
		}},
		{"… one probe in five sends nothing", false, false, func(d *dice, o *search.Observation) {
			if d.chance(0.2) {
				o.Clauses, o.GaveUp = []search.ClauseUse{{Clause: "p99_ttft<=1s"}}, ""
				o.Numbers = search.Numbers{Verdict: "INVALID"}
			}
		}},
		{"… one probe in ten is slow, and nobody sees why", false, false, func(d *dice, o *search.Observation) {
			if d.chance(0.1) {
				slowed(d, o, 0)
			}
		}},
		{"… one probe in four is slow, and the verdict sees why in four of five", false, false, func(d *dice, o *search.Observation) {
			if d.chance(0.25) {
				slowed(d, o, 0.8)
			}
		}},
		{"… all probes are slow, and the verdict sees why", false, false, func(d *dice, o *search.Observation) { slowed(d, o, 1) }},
		{"… all probes are INVALID", false, false, func(d *dice, o *search.Observation) { spoilt(d, o) }},
	}
	var all []tally
	for i, s := range situations {
		t := tally{situation: s.name, quiet: s.quiet}
		for n := range o.pick(100, 500) {
			d := newDice(o.seed + uint64(i*10_000+n))
			server := d.drawMadeUp(s.slow)
			a, invalid := server.search(d, s.disturb)
			got := searchAnswer(&a, server.edge, invalid)
			t.add(got)
			if o.verbose && got == wrong {
				fmt.Printf("find, %s, trial %d: edge %.4g, integer %v, found %s\n", s.name, n, server.edge, server.integer, describe(&a))
			}
		}
		all = append(all, t)
	}
	return all
}

func describe(a *search.Answer) string {
	at := func(v *float64) string {
		if v == nil {
			return "–"
		}
		return strconv.FormatFloat(*v, 'g', 5, 64)
	}
	return fmt.Sprintf("%s (%s to %s), confirmed %v, %d probes: %s", at(a.X), at(a.Low), at(a.High), a.Confirmed, a.Probes, a.Reason)
}

// search looks for the edge as find does.
func (s *madeUp) search(d *dice, disturb func(*dice, *search.Observation)) (a search.Answer, invalid bool) {
	looking := search.New(search.Config{From: 1, Lower: true, Integer: s.integer, Tolerance: 0.05, Short: 10, Long: 60, Enough: 300, Budget: 1200})
	for {
		p, ok := looking.Next()
		if !ok {
			break
		}
		o := s.probe(d, p)
		disturb(d, &o)
		looking.Observed(o)
	}
	a = looking.Answer()
	for _, p := range search.Curve(looking.Seen()) {
		if a.X != nil && p.X == *a.X {
			invalid = p.Numbers.Verdict == "INVALID"
		}
	}
	return a, invalid
}

// realSearches run the command find against a simulator with so many slots: one request more waits for another one's end.
func realSearches(o *options) ([]tally, error) {
	situations := []struct {
		name   string
		quiet  bool
		beside func(d *dice) disturbance
	}{
		{"a real search", true, func(*dice) disturbance { return nil }},
		{"a real search, hogs beside it", false, func(*dice) disturbance { return hogs(2, 0, lastProcessor()) }},
		{"a real search, the server stopped for 20 to 150 ms again and again", false, func(d *dice) disturbance { return d.manyPauses(eachServer, 1500, 20, 150) }},
	}
	all := make([]tally, len(situations))
	for i := range situations {
		all[i] = tally{situation: situations[i].name, quiet: situations[i].quiet}
	}
	for n := range o.pick(1, 6) {
		d := newDice(o.seed + uint64(950_000+n))
		at := n % len(situations)
		slots := d.whole(5, 18)
		c := d.drawSearch(slots)
		c.beside = situations[at].beside(d)
		var found struct {
			Results []struct {
				Verdict string        `json:"verdict"`
				Answer  search.Answer `json:"answer"`
			} `json:"results"`
		}
		said, err := c.perform(o.binary, "find.json", &found)
		if err != nil || len(found.Results) != 1 {
			return nil, fmt.Errorf("find: %w: %s", err, said)
		}
		a := &found.Results[0].Answer
		got := searchAnswer(a, float64(slots), found.Results[0].Verdict == "INVALID")
		all[at].add(got)
		if o.verbose && got != right {
			fmt.Printf("find, %s, edge %d: %s\n%s\n", situations[at].name, slots, describe(a), said)
		}
	}
	return all, nil
}

func (d *dice) drawSearch(slots int) commanded {
	step := d.between(8, 12)
	return commanded{
		sims: [][]string{{"--engine", "batch", "--no-prefix-cache", "--step-base", ms(step), "--max-num-seqs", strconv.Itoa(slots), "--step-per-prefill-token", "0s", "--step-per-sequence", "0s", "--step-per-cached-token", "0s"}},
		args: func(urls []string, out string) []string {
			return []string{
				"find", "--base-url", urls[0], "--vary", "concurrency", "--slo", fmt.Sprintf("median_ttft<=%.0fms", 2.5*step), "--output", out, "--probe", "1500ms", "--confirm", "5s", "--max-time", "50s",
				"--random-input-len", "16", "--random-output-len", "64", "--random-range-ratio", "0.3", "--ignore-eos", "--skip-tokenizer-init",
			}
		},
	}
}
