// Package states draws situations of a server, a client and what lies between them, each known to be limited by one
// thing: what inferometer explain should say of a run is known before it is made.
package states

import (
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"strconv"
	"time"

	"github.com/inferometer/inferometer/internal/judge/explain"
)

// Setting is one simulator, or several, the load on it, and what disturbs it.
type Setting struct {
	Sims    [][]string    // flags of sim
	Load    []string      // flags of bench serve
	Beside  []string      // flags of another client of the same server; nil: there is none
	Way     time.Duration // by which each way between client and server is longer
	Stop    Duty          // of the client; the zero value: it may run
	StopSim Duty
	Hogs    int // programs that want a processor each
}

// Duty stops a process for a part of each period, as the kernel does with a control group
// that has used up its share of the processors.
type Duty struct{ Period, Stopped time.Duration }

// Situation draws settings that one thing limits.
type Situation struct {
	Name  string
	Right []explain.Limit // any of them
	Says  string          // also right: unclear, with a sentence that has these words
	Quiet bool            // explain has the evidence: leaving the question open is a fault too
	draw  func(d *dice) Setting
}

// Draw is the setting of a seed.
func (s *Situation) Draw(seed uint64) Setting {
	name := fnv.New64a()
	_, _ = name.Write([]byte(s.Name))
	drawn := s.draw(&dice{rand.New(rand.NewPCG(seed, name.Sum64()))})
	if !slices.Contains(drawn.Load, "--num-prompts") {
		drawn.Load = append(drawn.Load, "--duration", span(sendSeconds), "--scrape-every", span(sendSeconds/40))
	}
	return drawn
}

// All are eight limits of a server or a client, two controls in which none of them holds, README's first run, and what
// is known to mislead: little to see, a disturbed machine, a server that changes, others at the server.
var All = []Situation{
	{Name: "prefill", Right: []explain.Limit{explain.Prefill}, Quiet: true, draw: prefill},
	{Name: "decode", Right: []explain.Limit{explain.Decode}, Quiet: true, draw: decode},
	{Name: "cache", Right: []explain.Limit{explain.Cache}, Quiet: true, draw: cache},
	{Name: "preempting", Right: []explain.Limit{explain.Preempting}, Quiet: true, draw: preempting},
	{Name: "queueing", Right: []explain.Limit{explain.Queueing}, Quiet: true, draw: queueing},
	{Name: "drafts rejected", Right: []explain.Limit{explain.Drafts}, Quiet: true, draw: drafts},
	{Name: "slow replica", Right: []explain.Limit{explain.SlowReplica}, Quiet: true, draw: slowReplica},
	{Name: "client", Right: []explain.Limit{explain.Client}, Quiet: true, draw: client},
	{Name: "none", Right: []explain.Limit{explain.None}, Quiet: true, draw: none},
	{Name: "concurrency", Right: []explain.Limit{explain.Concurrency}, Quiet: true, draw: concurrency},
	{Name: "README's run", Right: []explain.Limit{explain.Concurrency}, Quiet: true, draw: readme},
	{Name: "README's run beside hogs", Right: []explain.Limit{explain.Concurrency}, draw: readmeHogs},
	{Name: "README's run, the server stalls", Right: []explain.Limit{explain.Concurrency}, draw: readmeStalls},
	{Name: "small runs", Right: []explain.Limit{explain.Concurrency}, draw: small},
	{Name: "decode in waves", Right: []explain.Limit{explain.Decode}, draw: waves},
	{Name: "slow way", Right: []explain.Limit{"way"}, Quiet: true, draw: slowWay},
	{Name: "rate limits", Right: []explain.Limit{"refused"}, Quiet: true, draw: rateLimits},
	{Name: "changed server", Right: []explain.Limit{"changed"}, Quiet: true, draw: changed},
	{Name: "others' load", Right: []explain.Limit{explain.Decode}, Says: "not ours", draw: others},
}

// dice draw parameters.
type dice struct{ *rand.Rand }

// readme is README's first run as it is typed there, on a server whose latencies do not depend on the load.
func readme(*dice) Setting {
	return Setting{
		Sims: [][]string{{"--ttft", "50ms", "--itl", "10ms"}},
		Load: []string{"--random-input-len", "256", "--random-output-len", "64", "--num-prompts", "200", "--max-concurrency", "50"},
	}
}

func readmeHogs(d *dice) Setting {
	s := readme(d)
	s.Hogs = d.integer(1, 4)
	return s
}

func readmeStalls(d *dice) Setting {
	s := readme(d)
	s.StopSim.Stopped = time.Duration(d.between(5, 80) * 1e6)
	s.StopSim.Period = s.StopSim.Stopped + time.Duration(d.between(30, 600)*1e6)
	return s
}

// small runs have little to see: few requests, few at once, short answers.
func small(d *dice) Setting {
	s := Setting{Sims: [][]string{{"--ttft", span(d.between(0.02, 0.2)), "--itl", "exp:" + span(d.between(0.005, 0.03))}}}
	n := d.integer(2, 16)
	s.Load = join(lengths(d.integer(16, 200), d.integer(4, 40), d.between(0, 0.6)), closed(n), []string{"--num-prompts", strconv.Itoa(n * d.integer(1, 5))})
	return s
}

// waves: the batch takes most of a step, and all answers are of one length, so that nearly as many generate at all times.
func waves(d *dice) Setting {
	n := d.integer(20, 50)
	b := d.between(0.002, 0.005)
	e := engine{base: b, prefill: 1e-6, sequence: d.between(4, 6) * b / float64(n), blocks: 40000, seqs: 2048, budget: 16384}
	return Setting{
		Sims: [][]string{e.flags()},
		Load: join(lengths(d.integer(100, 256), d.integer(30, 64), 0), closed(n), []string{"--num-prompts", strconv.Itoa(4 * n)}),
	}
}

// slowWay: most of the time of a request goes by between client and server, which has room.
func slowWay(d *dice) Setting {
	e := engine{base: d.between(0.005, 0.010), prefill: 1e-6, sequence: 1e-5}
	output := d.integer(10, 40)
	s := Setting{Sims: [][]string{e.flags()}, Way: time.Duration(d.between(0.4, 1.2) * e.base * float64(output) * 1e9)}
	s.Load = join(lengths(d.integer(16, 200), output, d.between(0, 0.5)), closed(d.integer(4, 24)))
	return s
}

// rateLimits: a good part of the requests is answered with 429 at once.
func rateLimits(d *dice) Setting {
	e := engine{base: d.step(), prefill: 1e-6, sequence: 1e-5}
	s := Setting{Sims: [][]string{append(e.flags(), "--fault", fmt429(d.between(0.3, 0.6)))}}
	shape := lengths(d.integer(16, 200), d.integer(8, 30), d.between(0, 0.5))
	if s.Load = join(shape, closed(d.integer(3, 12))); d.IntN(2) == 0 {
		s.Load = join(shape, open(d.between(8, 20)))
	}
	return s
}

// changed: the server becomes slower in the middle of the run.
func changed(d *dice) Setting {
	at := span(sendSeconds * d.between(0.35, 0.65))
	flags := []string{"--ttft", "30ms", "--itl", "10ms"}
	if d.IntN(2) == 0 {
		flags = engine{base: d.between(0.008, 0.014), prefill: 1e-6, sequence: 1e-5}.flags()
	}
	return Setting{
		Sims: [][]string{append(flags, "--change", at+"="+strconv.FormatFloat(d.between(2, 4), 'f', 2, 64))},
		Load: join(lengths(d.integer(16, 100), d.integer(10, 30), d.between(0, 0.6)), closed(d.integer(4, 16))),
	}
}

// others: another client keeps the server busy with generating, and ours sends little.
func others(d *dice) Setting {
	b := d.step() / 2
	n := d.integer(24, 48)
	e := engine{base: b, prefill: b / 2000, sequence: d.between(3, 6) * b / float64(n), blocks: 40000, seqs: 2048, budget: 16384}
	return Setting{
		Sims:   [][]string{e.flags()},
		Beside: join(lengths(d.integer(16, 60), d.integer(25, 50), d.between(0.3, 0.6)), closed(n), []string{"--duration", span(sendSeconds + 3)}),
		Load:   join(lengths(d.integer(16, 60), d.integer(15, 30), d.between(0.3, 0.6)), closed(d.integer(3, 8))),
	}
}

// sendSeconds is for how long a run sends that has no number of requests. It looks at the server often enough.
const sendSeconds = 6.0

func fmt429(share float64) string { return "http-429=" + strconv.FormatFloat(share, 'f', 2, 64) }
