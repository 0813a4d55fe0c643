package main

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strconv"

	"github.com/inferometer/inferometer/internal/judge/verdict"
)

// driftCase is a situation for the check drift: drawn runs in virtual time, of 40 waves or more.
type driftCase struct {
	situation string
	quiet     bool
	draw      func(random *rand.Rand, w *world)
}

func between(random *rand.Rand, low, high float64) float64 { return low + (high-low)*random.Float64() }

// driftCases are servers that stay what they are, disturbed in ways that are none of their own change, and servers that
// change: at a moment between 15 and 85 % of the requests, or bit by bit.
func driftCases() []driftCase {
	steady := func(_ *rand.Rand, _ *world) {}
	waves := func(random *rand.Rand, w *world) { w.waves = between(random, 0.02, 0.15) }
	step := func(by float64) func(random *rand.Rand, w *world) {
		return func(random *rand.Rand, w *world) { w.change, w.place = by, between(random, 0.15, 0.85) }
	}
	open := func(random *rand.Rand, w *world) {
		w.busy, w.places, w.slots = between(random, 0.3, 0.9), 16, 16
	}
	return []driftCase{
		{"steady", true, steady},
		{"steady, spells that all requests share", false, waves},
		{"steady, with stalls of 200 ms and hogs", false, func(_ *rand.Rand, w *world) { w.stalls, w.hogs = 1, 1 }},
		{"steady, with a queue before the server", false, func(_ *rand.Rand, w *world) { w.places = max(w.slots*3/4, 1) }},
		{"steady, open loop, 30 to 90 % busy", false, open},
		{"3 times slower from a moment on", false, step(3)},
		{"2 times slower from a moment on", false, step(2)},
		{"2 times faster from a moment on", false, step(0.5)},
		{"1.3 times slower from a moment on", false, step(1.3)},
		{"2 times slower from a moment on, spells", false, func(random *rand.Rand, w *world) { step(2)(random, w); waves(random, w) }},
		{"bit by bit 1.5 to 3 times slower", false, func(random *rand.Rand, w *world) { w.change, w.ramp = between(random, 1.5, 3), 1 }},
		{"open loop, 3 times slower, still below capacity", false, func(random *rand.Rand, w *world) {
			step(3)(random, w)
			w.busy, w.places, w.slots = 0.2, 16, 8
		}},
	}
}

// basic draws what every situation has: how many requests of which lengths, how many at a time, and chance.
func basic(random *rand.Rand) world {
	slots := []int{2, 4, 10, 32}[random.IntN(4)]
	return world{
		slots: slots, requests: max(slots*(40+random.IntN(60)), 250),
		lengths: between(random, 0, 0.8), noise: between(random, 0.01, 0.3),
	}
}

func driftTrials(o *options) ([]tally, error) {
	var out []tally
	for i, c := range driftCases() {
		t := tally{situation: c.situation, quiet: c.quiet}
		for n := range o.pick(60, 1000) {
			random := rand.New(rand.NewPCG(o.seed, uint64(i)<<32+uint64(n)))
			w := basic(random)
			c.draw(random, &w)
			k, err := verdictOf(&w, random)
			if err != nil {
				return nil, err
			}
			a := w.grade(k)
			if t.add(a); a != right && o.verbose {
				fmt.Printf("drift, %s, trial %d: %s: %s\n  %+v\n", c.situation, n, k.Level, k.Sentence, w)
			}
		}
		out = append(out, t)
	}
	real, err := realDrifts(o)
	return append(out, real...), err
}

// verdictOf is what the check says of a drawn run.
func verdictOf(w *world, random *rand.Rand) (*verdict.Check, error) {
	v, err := verdict.Judge(w.run(random), verdict.Options{})
	if err != nil {
		return nil, err
	}
	return v.Check("drift"), nil
}

var changedAt = regexp.MustCompile(`until request (\d+) of (\d+)`)

// grade holds a sentence against the truth. "Within chance" beside a server that became twice as slow is false; beside
// 1.3 times it is no more than what it says. A change that is found in the wrong direction, or more than a tenth of the run away, is false too.
func (w *world) grade(k *verdict.Check) answer {
	found := k.Level.Bad()
	switch {
	case k.Level == verdict.NotChecked:
		return undecided
	case w.change == 0 && found:
		return wrong
	case w.change == 0:
		return right
	case !found && w.change > 0.7 && w.change < 1.5:
		return undecided
	case !found || (k.Figure[0] == '+') != (w.change > 1):
		return wrong
	}
	if at := changedAt.FindStringSubmatch(k.Sentence); at != nil && w.ramp == 0 {
		request, _ := strconv.ParseFloat(at[1], 64)
		all, _ := strconv.ParseFloat(at[2], 64)
		if off := request/all - w.place; off > 0.1 || off < -0.1 {
			return wrong
		}
	}
	return right
}

// realDrifts are runs against the simulator, some of which becomes three times slower after a share of the time that
// the run would have taken without it.
func realDrifts(o *options) ([]tally, error) {
	steady, changed := tally{situation: "steady, simulator", quiet: true}, tally{situation: "3 times slower from a moment on, simulator"}
	for n := range o.pick(2, 10) {
		random := rand.New(rand.NewPCG(o.seed, 99<<32+uint64(n)))
		p := play{binary: o.binary, seed: o.seed + uint64(n), load: []string{
			"--num-prompts", "400", "--max-concurrency", "10", "--random-input-len", "64", "--random-output-len", "16", "--ready-check-timeout-sec", "0",
		}}
		const quiet = 40 * 0.100 // seconds: 40 waves of 30 ms and 15 times 4.7 ms
		for _, by := range []float64{0, 3} {
			w, sim := world{change: by}, []string{"--ttft", "30ms", "--itl", "4700us"}
			if by != 0 {
				w.place = between(random, 0.2, 0.8)
				sim = append(sim, "--change", fmt.Sprintf("%.0fms=%g", w.place*quiet*1e3, by))
			}
			p.sims = [][]string{sim}
			k, err := p.check("drift")
			if err != nil {
				return nil, err
			}
			t := &steady
			if by != 0 {
				t = &changed
			}
			a := w.grade(k)
			if t.add(a); a != right && o.verbose {
				fmt.Printf("drift, %s: %s: %s\n", t.situation, k.Level, k.Sentence)
			}
		}
	}
	return []tally{steady, changed}, nil
}

// check plays it and reads one check of its verdict.
func (p *play) check(name string) (*verdict.Check, error) {
	played, err := p.perform()
	if err != nil {
		return nil, err
	}
	defer played.done()
	var result struct {
		Inferometer struct {
			Verdict verdict.Verdict `json:"verdict"`
		} `json:"inferometer"`
	}
	if err := played.result(&result); err != nil {
		return nil, err
	}
	k := result.Inferometer.Verdict.Check(name)
	if k == nil {
		return nil, fmt.Errorf("no check %s in %s", name, played.said)
	}
	return k, nil
}
