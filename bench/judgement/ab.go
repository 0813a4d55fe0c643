package main

import (
	"fmt"
	"math"
	"strconv"

	"github.com/inferometer/inferometer/internal/judge/compare"
	results "github.com/inferometer/inferometer/internal/judge/result"
)

// abTrials are duels of two servers that are 0 to 20 % apart: rounds drawn by the thousand, and real ones.
func abTrials(o *options) ([]tally, error) {
	all, err := drawnDuels(o)
	if err != nil {
		return nil, err
	}
	real, err := realDuels(o)
	return append(all, real...), err
}

// abApart are the truths: B against A.
var abApart = []float64{0, 0.02, 0.05, 0.10, 0.20}

// abRoom is by how much an interval may miss the truth without being wrong: two simulators on two ports are
// not the same to a thousandth.
const abRoom = 0.005

// rowAnswer judges what was said of one metric.
func rowAnswer(ch *compare.Change, truth float64) answer {
	switch {
	case ch == nil || ch.Call != compare.Real && ch.Call != compare.Same:
		return undecided
	case ch.Call == compare.Same && math.Abs(truth) <= 0.05+abRoom:
		return right
	case ch.Call == compare.Real && truth == 0:
		return wrong
	case ch.Call == compare.Real && math.Signbit(ch.Ratio) == math.Signbit(truth):
		return right
	}
	return wrong
}

// duelAnswer is the worst of its rows: wrong, open, right.
func duelAnswer(rows []compare.Row, truths map[string]float64) answer {
	worst := right
	for i := range rows {
		row := &rows[i]
		truth, asked := truths[row.Metric.Key]
		if !asked {
			continue
		}
		if a := rowAnswer(row.Cells[1].Change, truth); a > worst {
			worst = a
		}
	}
	return worst
}

// drawnDuel is a kind of rounds that are drawn, with their spread as a logarithm.
type drawnDuel struct {
	name    string
	quiet   bool
	spread  float64
	drift   float64 // each run is slower than the one before by this
	hit     float64 // share of runs that something slows down by 10 to 60 %
	both    float64 // share of rounds in which it slows both sides down
	unknown float64 // by which a run's numbers are off; it says so
}

var drawnDuelKinds = []drawnDuel{
	{name: "drawn rounds, runs differ by 1 %", quiet: true, spread: 0.01},
	{name: "drawn rounds, runs differ by 3 %", spread: 0.03},
	{name: "drawn rounds, runs differ by 10 %", spread: 0.10},
	{name: "drawn rounds, each run 1 % slower than the one before", spread: 0.01, drift: 0.01},
	{name: "drawn rounds, one run in ten disturbed by 10 to 60 %", spread: 0.01, hit: 0.1},
	{name: "drawn rounds, one run in four disturbed by 10 to 60 %", spread: 0.01, hit: 0.25},
	{name: "drawn rounds, both sides disturbed in every second one", spread: 0.01, both: 0.5},
	{name: "drawn rounds, numbers off by up to 2 %, within their bounds", spread: 0.005, unknown: 0.02},
}

const drawnKey = "mean_ttft_ms"

func drawnDuels(o *options) ([]tally, error) {
	ab, err := compare.NewAB(compare.ABOptions{Metrics: []string{"mean_ttft"}, MinRounds: 3, MaxRounds: 20})
	if err != nil {
		return nil, err
	}
	var all []tally
	for i, kind := range drawnDuelKinds {
		t := tally{situation: kind.name, quiet: kind.quiet}
		for n := range o.pick(40, 500) {
			d := newDice(o.seed + uint64(i*10_000+n))
			truth := abApart[n%len(abApart)]
			l, err := kind.play(ab, d, truth)
			if err != nil {
				return nil, err
			}
			t.add(duelAnswer(l.Rows, map[string]float64{drawnKey: truth}))
		}
		all = append(all, t)
	}
	return all, nil
}

// play draws rounds until it is decided, or there are no more.
func (k *drawnDuel) play(ab *compare.AB, d *dice, truth float64) (l *compare.Analysis, err error) {
	sides := [2]compare.Side{{Name: "A"}, {Name: "B"}}
	at := 0.0
	for round := range 20 {
		order := []int{0, 1}
		if !compare.AFirst(round) {
			order = []int{1, 0}
		}
		together := 0.0
		if d.chance(k.both) {
			together = d.between(0.1, 0.5)
		}
		for _, side := range order {
			v := k.spread*d.NormFloat64() + k.drift*at + together + float64(side)*math.Log1p(truth)
			if d.chance(k.hit) {
				v += d.between(0.1, 0.5)
			}
			r := results.Result{Tool: results.Inferometer, Values: map[string]float64{}}
			shown := 100 * math.Exp(v) * (1 + k.unknown*d.between(-1, 1))
			r.Values[drawnKey] = shown
			if k.unknown > 0 {
				r.Bounds = map[string]results.Bounds{drawnKey: {Low: shown / (1 + k.unknown), High: shown / (1 - k.unknown)}}
			}
			sides[side].Runs = append(sides[side].Runs, r)
			at++
		}
		if round+1 < 3 {
			continue
		}
		if l, err = ab.Analyse(sides[0], sides[1]); err != nil || l.Done() {
			return l, err
		}
	}
	return l, nil
}

// realDuels run the command ab against two simulators.
func realDuels(o *options) ([]tally, error) {
	situations := []struct {
		name   string
		quiet  bool
		beside func(d *dice) disturbance
	}{
		{"real rounds", true, func(*dice) disturbance { return nil }},
		{"real rounds, hogs beside them", false, func(*dice) disturbance { return hogs(2, 0, lastProcessor()) }},
		{"real rounds, servers stopped for 20 to 150 ms again and again", false, func(d *dice) disturbance { return d.manyPauses(eachServer, 1500, 20, 150) }},
	}
	all := make([]tally, len(situations))
	for i := range situations {
		all[i] = tally{situation: situations[i].name, quiet: situations[i].quiet}
	}
	for n := range o.pick(2, 10) {
		d := newDice(o.seed + uint64(900_000+n))
		at, apart := n%len(situations), abApart[n%len(abApart)]
		if !o.full {
			apart = abApart[d.IntN(len(abApart))]
		}
		c, truths := d.drawDuel(apart, o.seed)
		c.beside = situations[at].beside(d)
		var found struct {
			Rows []compare.Row `json:"rows"`
		}
		said, err := c.perform(o.binary, "ab.json", &found)
		if err != nil {
			return nil, fmt.Errorf("%w: %s", err, said)
		}
		a := undecided
		if found.Rows != nil {
			a = duelAnswer(found.Rows, truths)
		}
		all[at].add(a)
		if o.verbose && a != right {
			fmt.Printf("ab, %s, %g %% apart: %d\n%s\n", situations[at].name, 100*apart, a, said)
		}
	}
	return all, nil
}

// drawDuel is a duel of two simulators whose tokens take so much longer at B.
func (d *dice) drawDuel(apart float64, seed uint64) (commanded, map[string]float64) {
	ttft, itl := d.between(15, 60), d.between(4, 12)
	flags := func(times float64) []string { return []string{"--ttft", ms(ttft), "--itl", ms(itl * times)} }
	streams := d.whole(4, 12)
	args := func(urls []string, out string) []string {
		return []string{
			"ab", "--a", urls[0], "--b", urls[1], "--output", out, "--metric", "mean_tpot", "--max-rounds", "8", "--max-time", "18s", "--num-prompts", strconv.Itoa(5 * streams),
			"--max-concurrency", strconv.Itoa(streams), "--random-input-len", "16", "--random-output-len", "32", "--ignore-eos", "--skip-tokenizer-init", "--seed", strconv.Itoa(int(seed % 1_000_000)),
		}
	}
	return commanded{sims: [][]string{flags(1), flags(1 + apart)}, args: args}, map[string]float64{"mean_tpot_ms": apart}
}
