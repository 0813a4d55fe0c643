package main

import (
	"fmt"
	"math"
	"os"
	"strconv"
	"time"
)

// situation is a kind of run whose verdict is judged.
type situation struct {
	name   string
	trials int  // of the full yardstick
	quiet  bool // nothing disturbs it, as far as we do
	// whole: what disturbs it hits client and server alike, as a hypervisor does. Then the simulator's settings are true
	// beside its log, which was disturbed with the client.
	whole bool
	// reasons: the run itself is spoiled, and the verdict must say so by one of these checks. Empty: its numbers are
	// judged.
	reasons []string
	draw    func(d *dice) (setting, error)
}

// setting is one run of it.
type setting struct {
	play
	constants *constants
	done      func() error // what is left to do when all processes have ended
}

// runFor is how long the load of a trial lasts, about, in milliseconds.
const runFor = 2600

// load is one that is drawn. Times are in milliseconds.
type load struct {
	ttft, itl           float64
	tokens, concurrency int
	requests            int
	varies              bool // times are drawn around these
	rate                float64
}

// one is how long a request takes.
func (l *load) one() float64 { return l.ttft + l.itl*float64(l.tokens-1) }

// drawLoad draws one that two processors can take with ease.
func (d *dice) drawLoad() load {
	l := load{ttft: d.scaled(60, 250), itl: d.scaled(5, 30), tokens: d.whole(8, 48), varies: d.chance(0.4)}
	if l.varies { // or the slots of a closed loop end at times too different for ramp_drain
		l.tokens = min(l.tokens, 2+int((runFor/9-l.ttft)/l.itl))
	}
	l.tokens = max(l.tokens, 4)
	l.concurrency = d.whole(1, max(1, min(24, int(1.5*l.itl)))) // at most 1,500 chunks a second
	l.requests = l.concurrency * max(2, int(runFor/l.one()))
	return l
}

// setting makes a run of it.
func (l *load) setting() setting {
	ttft, itl := ms(l.ttft), ms(l.itl)
	var c *constants
	if l.varies {
		ttft, itl = "lognormal:"+ttft+":0.15", "uniform:"+ms(0.7*l.itl)+"-"+ms(1.3*l.itl)
	} else {
		c = &constants{ttft: l.ttft, tpot: l.itl, ownWork: ownWork(l.concurrency)}
	}
	flags := []string{
		"--random-input-len", "64", "--random-output-len", strconv.Itoa(l.tokens), "--num-prompts", strconv.Itoa(l.requests),
	}
	if l.rate > 0 {
		flags = append(flags, "--request-rate", fmt.Sprintf("%.3f", l.rate))
	} else {
		flags = append(flags, "--max-concurrency", strconv.Itoa(l.concurrency))
	}
	return setting{play: play{sims: [][]string{{"--ttft", ttft, "--itl", itl}}, load: flags}, constants: c}
}

// open makes an open loop of a load, with as many requests on their way.
func (l *load) open() {
	l.rate = float64(l.concurrency) / l.one() * 1000
	l.requests = max(2, int(l.rate*runFor/1000))
}

// either is a closed or an open loop.
func (d *dice) either() load {
	l := d.drawLoad()
	if d.chance(0.4) {
		l.open()
	}
	return l
}

// constant is a load whose times do not vary.
func (d *dice) constant() load {
	l := d.either()
	l.varies = false
	return l
}

// situations of the verdict. Their trials add up to 200.
var situations = []situation{
	{name: "closed loop", trials: 12, quiet: true, draw: func(d *dice) (setting, error) {
		l := d.drawLoad()
		return l.setting(), nil
	}},
	{name: "open loop", trials: 12, quiet: true, draw: func(d *dice) (setting, error) {
		l := d.drawLoad()
		l.open()
		return l.setting(), nil
	}},
	{name: "small run", trials: 12, quiet: true, draw: func(d *dice) (setting, error) {
		l := d.drawLoad()
		l.concurrency = d.whole(1, 5)
		l.requests = l.concurrency * d.whole(1, 20/l.concurrency)
		return l.setting(), nil
	}},
	{name: "large run", trials: 10, quiet: true, draw: func(d *dice) (setting, error) {
		l := d.drawLoad()
		l.itl, l.tokens = d.between(8, 25), d.whole(32, 64)
		l.concurrency = int(d.between(2000, 4000) / 1000 * l.itl)
		l.requests = l.concurrency * max(2, int(runFor/l.one()))
		return l.setting(), nil
	}},
	{name: "TLS", trials: 10, quiet: true, draw: func(d *dice) (setting, error) {
		l := d.either()
		s := l.setting()
		s.sims[0] = append(s.sims[0], "--tls")
		s.load = append(s.load, "--insecure")
		return s, nil
	}},
	{name: "net/http", trials: 10, quiet: true, draw: func(d *dice) (setting, error) {
		l := d.either()
		s := l.setting()
		s.load = append(s.load, "--engine", "nethttp")
		return s, nil
	}},
	{name: "hogs beside the client", trials: 12, draw: func(d *dice) (setting, error) {
		l := d.either()
		s := l.setting()
		s.clientWithin, s.simWithin = pinned(0), pinned(lastProcessor())
		s.beside = hogs(d.whole(1, 3), 0)
		return s, nil
	}},
	{name: "hogs beside the server", trials: 10, draw: func(d *dice) (setting, error) {
		l := d.either()
		s := l.setting()
		s.clientWithin, s.simWithin = pinned(0), pinned(lastProcessor())
		s.beside = hogs(d.whole(1, 3), lastProcessor())
		return s, nil
	}},
	{name: "hogs everywhere", trials: 12, whole: true, draw: func(d *dice) (setting, error) {
		l := d.constant()
		s := l.setting()
		all := make([]int, lastProcessor()+1)
		for i := range all {
			all[i] = i
		}
		s.beside = hogs(d.whole(1, 2), all...)
		return s, nil
	}},
	{name: "quota of the client", trials: 12, draw: func(d *dice) (setting, error) {
		l := d.either()
		s := l.setting()
		err := s.quota(d.scaled(0.06, 0.4), false)
		return s, err
	}},
	{name: "quota of both", trials: 8, whole: true, draw: func(d *dice) (setting, error) {
		l := d.constant()
		s := l.setting()
		err := s.quota(d.scaled(0.12, 0.5), true)
		return s, err
	}},
	{name: "stops of the client", trials: 14, draw: func(d *dice) (setting, error) {
		l := d.either()
		s := l.setting()
		s.beside = stops(theClient, d.pauses())
		return s, nil
	}},
	{name: "stops of the server", trials: 8, draw: func(d *dice) (setting, error) {
		l := d.either()
		s := l.setting()
		s.beside = stops(theServer, d.pauses())
		return s, nil
	}},
	{name: "stops of both", trials: 12, whole: true, draw: func(d *dice) (setting, error) {
		l := d.constant()
		s := l.setting()
		s.beside = stops(theMachine, d.pauses())
		return s, nil
	}},
	{name: "stops of the client, user times", trials: 6, draw: func(d *dice) (setting, error) {
		l := d.either()
		s := l.setting()
		s.load = append(s.load, "--engine", "nethttp")
		s.beside = stops(theClient, d.pauses())
		return s, nil
	}},
	{
		name: "foreign load", trials: 6, reasons: []string{"foreign_requests", "server_prompt_tokens", "server_output_tokens"},
		draw: func(d *dice) (setting, error) {
			l := d.either()
			s := l.setting()
			s.beside = foreign(d.scaled(3, 30))
			return s, nil
		},
	},
	{name: "rate limits (429)", trials: 6, reasons: []string{"outcomes"}, draw: func(d *dice) (setting, error) {
		return d.faults("http-429", d.scaled(0.1, 0.6)), nil
	}},
	{name: "cut streams", trials: 6, reasons: []string{"outcomes"}, draw: func(d *dice) (setting, error) {
		return d.faults([]string{"truncate", "reset", "error-event"}[d.IntN(3)], d.scaled(0.1, 0.4)), nil
	}},
	{
		name: "warm cache", trials: 6, reasons: []string{"repeated_prompts", "cached_tokens", "seen_prompts"},
		draw: repeatedPrompts,
	},
	{name: "slow way", trials: 6, reasons: []string{"server_ttft"}, draw: func(d *dice) (setting, error) {
		l := d.either()
		s := l.setting()
		s.way = span(math.Max(5, l.ttft*d.between(0.1, 0.6)))
		return s, nil
	}},
	{name: "restarted server", trials: 4, reasons: []string{"restart", "outcomes"}, draw: func(d *dice) (setting, error) {
		l := d.either()
		s := l.setting()
		s.beside = restarts(span(d.between(800, 1800)))
		return s, nil
	}},
	{name: "slower half-way", trials: 6, reasons: []string{"drift", "growing"}, draw: func(d *dice) (setting, error) {
		const unchanged = 0.7 * runFor // that it would last if nothing changed
		l := d.drawLoad()
		l.ttft, l.tokens, l.concurrency = d.between(60, 100), d.whole(4, 8), d.whole(4, 16)
		l.requests = l.concurrency * int(math.Ceil(unchanged/l.one()))
		s := l.setting()
		s.sims[0] = append(s.sims[0], "--change", fmt.Sprintf("%v=%.2f", span(d.between(0.3, 0.6)*unchanged), d.between(1.8, 3)))
		return s, nil
	}},
}

// pauses are some of 5 to 200 ms while the load runs.
func (d *dice) pauses() []stopped {
	list := make([]stopped, d.whole(1, 6))
	at := 500.0
	for i := range list {
		length := d.scaled(5, 200)
		at += d.between(20, 2*(runFor-500)/float64(len(list)+1))
		list[i] = stopped{span(at), span(length)}
		at += length
	}
	return list
}

// faults is a load of enough requests that a share of them fails.
func (d *dice) faults(name string, share float64) setting {
	l := d.either()
	l.requests = max(l.requests, int(math.Ceil(12/share/float64(l.concurrency)))*l.concurrency)
	if l.tokens = d.whole(4, 12); l.rate > 0 {
		l.rate *= 2
	}
	s := l.setting()
	s.sims[0] = append(s.sims[0], "--fault", fmt.Sprintf("%s=%.3f", name, share))
	return s
}

// quota bounds the processor time of the client, or of client and server together.
func (s *setting) quota(share float64, server bool) error {
	q, err := newQuota(share)
	if err != nil { // the next best
		of := theClient
		if server {
			of = theMachine
		}
		s.beside = dutyCycle(of, share, 2*runFor*time.Millisecond)
		return nil
	}
	s.clientWithin = q.within()
	if server {
		s.simWithin = q.within()
	}
	s.done = q.remove
	return nil
}

// repeatedPrompts is a workload of a few prompts that come again and again, to a server with a prefix cache.
func repeatedPrompts(d *dice) (setting, error) {
	f, err := os.CreateTemp("", "judgement-*.jsonl")
	if err != nil {
		return setting{}, err
	}
	for i := range d.whole(3, 12) {
		fmt.Fprintf(f, "{\"prompt\": \"%d %d %d is a number, and this is a question about it that is longer than a block of the cache\"}\n", i, d.Int64(), d.Int64())
	}
	if err := f.Close(); err != nil {
		return setting{}, err
	}
	s := setting{done: func() error { return os.Remove(f.Name()) }}
	s.sims = [][]string{{"--engine", "batch", "--step-base", ms(d.between(5, 15))}}
	s.load = []string{
		"--dataset-name", "custom", "--dataset-path", f.Name(), "--custom-output-len", strconv.Itoa(d.whole(8, 32)),
		"--num-prompts", strconv.Itoa(d.whole(40, 80)), "--max-concurrency", strconv.Itoa(d.whole(2, 8)),
	}
	return s, nil
}
