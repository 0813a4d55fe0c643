package states

import (
	"fmt"
	"strconv"
	"time"
)

func (d *dice) between(low, high float64) float64 { return low + (high-low)*d.Float64() }
func (d *dice) integer(low, high int) int         { return low + d.IntN(high-low+1) }

// step is what an empty step takes: 15 to 30 ms.
func (d *dice) step() float64 { return d.between(0.015, 0.030) }

// engine are flags of the batch engine; times in seconds.
type engine struct {
	base, prefill, sequence, draft float64
	budget, seqs, blocks, k        int
	acceptance                     float64
	modelLen                       int
}

func (e engine) flags() []string {
	flags := []string{
		"--engine", "batch", "--step-base", span(e.base), "--step-per-prefill-token", span(e.prefill),
		"--step-per-sequence", span(e.sequence), "--step-per-cached-token", "0s",
	}
	add := func(name string, v int) {
		if v > 0 {
			flags = append(flags, name, strconv.Itoa(v))
		}
	}
	add("--max-num-batched-tokens", e.budget)
	add("--max-num-seqs", e.seqs)
	add("--num-blocks", e.blocks)
	add("--max-model-len", e.modelLen)
	if e.k > 0 {
		flags = append(flags, "--spec-tokens", strconv.Itoa(e.k), "--spec-acceptance", fmt.Sprint(e.acceptance), "--step-per-draft-token", span(e.draft))
	}
	return flags
}

// span is a time in seconds as a flag.
func span(seconds float64) string { return time.Duration(seconds * 1e9).String() }

// lengths are flags of the workload.
func lengths(prompt, output int, ratio float64) []string {
	return []string{"--random-input-len", strconv.Itoa(prompt), "--random-output-len", strconv.Itoa(output), "--random-range-ratio", fmt.Sprintf("%.2f", ratio)}
}

func closed(n int) []string { return []string{"--max-concurrency", strconv.Itoa(n)} }

func open(rate float64) []string { return []string{"--request-rate", fmt.Sprintf("%.3f", rate)} }

func join(lists ...[]string) (out []string) {
	for _, l := range lists {
		out = append(out, l...)
	}
	return out
}

// speculates gives some servers drafts that pay, whatever else limits them.
func (d *dice) speculates(e *engine) {
	if d.IntN(4) == 0 {
		e.k, e.acceptance, e.draft = 3, d.between(0.6, 0.9), e.base/1000
	}
}

// prefill: long prompts, short answers; a full step takes several times an empty one.
func prefill(d *dice) Setting {
	b := d.step()
	e := engine{base: b, budget: []int{512, 1024, 2048}[d.IntN(3)], sequence: b / 500}
	e.prefill = d.between(2, 5) * b / float64(e.budget)
	prompt, output := int(float64(e.budget)*d.between(0.4, 1.5)), d.integer(3, 8)
	// Prompts in a step, and how long it takes: what the server can do.
	capacity := float64(e.budget) / float64(prompt) / (b + float64(e.budget)*e.prefill)
	s := Setting{Sims: [][]string{e.flags()}}
	shape := lengths(prompt, output, d.between(0, 0.3))
	if d.IntN(2) == 0 {
		s.Load = join(shape, closed(d.integer(20, 40)))
	} else {
		s.Load = join(shape, open(capacity*d.between(1.4, 2)))
	}
	return s
}

// decode: short prompts, long answers; the batch takes most of a step, and there is room for all.
func decode(d *dice) Setting {
	b := d.step() / 2
	n := d.integer(20, 48)
	e := engine{base: b, prefill: b / 2000, sequence: d.between(3, 6) * b / float64(n), blocks: 40000, seqs: 2048, budget: 16384}
	d.speculates(&e)
	output := d.integer(25, 50)
	s := Setting{Sims: [][]string{e.flags()}}
	shape := lengths(d.integer(16, 60), output, d.between(0.3, 0.6))
	if d.IntN(2) == 0 {
		s.Load = join(shape, closed(n))
	} else {
		output /= 2 // else the run is too short to see that requests pile up
		shape = lengths(d.integer(16, 60), output, d.between(0.3, 0.6))
		s.Load = join(shape, open(d.between(1.3, 1.7)/(e.sequence*float64(output))*e.gain()))
	}
	return s
}

// gain is how many tokens a step gives to a request.
func (e *engine) gain() float64 {
	sum, p := 1.0, 1.0
	for range e.k {
		p *= e.acceptance
		sum += p
	}
	return sum
}

// cache: a few long prompts fill it, answers are short, prompts are computed fast.
func cache(d *dice) Setting {
	b := d.step()
	prompt := d.integer(500, 1200)
	output := int(float64(prompt) * d.between(0.015, 0.035))
	fits := d.integer(5, 16)
	e := engine{base: b, prefill: 0.1 * b / float64(prompt), sequence: b / 500, budget: 4096, modelLen: 2048}
	e.blocks = max(fits*(prompt+output)/16+fits, 129)
	d.speculates(&e)
	e.blocks += e.k
	return Setting{
		Sims: [][]string{e.flags()},
		Load: join(lengths(prompt, output, d.between(0, 0.2)), closed(fits*d.integer(2, 4))),
	}
}

// preempting: short prompts are let in, and their long answers do not fit.
func preempting(d *dice) Setting {
	b := d.step() / 2
	prompt, output := d.integer(20, 60), d.integer(60, 120)
	fits := d.integer(6, 14)
	e := engine{base: b, prefill: b / 2000, sequence: b / 300, modelLen: 512}
	e.blocks = max(fits*(prompt+output)/16, 33)
	return Setting{
		Sims: [][]string{e.flags()},
		Load: join(lengths(prompt, output, d.between(0, 0.3)), closed(fits*d.integer(2, 4))),
	}
}

// queueing: more requests than the batch has places.
func queueing(d *dice) Setting {
	b := d.step()
	e := engine{base: b, prefill: b / 2000, sequence: b / 300, seqs: d.integer(3, 16), blocks: 20000}
	d.speculates(&e)
	output := d.integer(12, 40)
	s := Setting{Sims: [][]string{e.flags()}}
	shape := lengths(d.integer(30, 200), output, d.between(0, 0.5))
	if d.IntN(2) == 0 {
		s.Load = join(shape, closed(e.seqs*d.integer(2, 4)))
	} else {
		step := b + float64(e.seqs)*e.sequence
		s.Load = join(shape, open(d.between(1.4, 2)*float64(e.seqs)*e.gain()/(step*float64(output))))
	}
	return s
}

// drafts: most are rejected, and each lengthens the step.
func drafts(d *dice) Setting {
	b := d.step()
	n := d.integer(6, 20)
	e := engine{base: b, prefill: b / 2000, sequence: b / 100, k: d.integer(3, 6), acceptance: d.between(0.02, 0.2), blocks: 20000}
	e.draft = d.between(1, 2) * b / float64(n*e.k)
	return Setting{
		Sims: [][]string{e.flags()},
		Load: join(lengths(d.integer(16, 100), d.integer(20, 40), d.between(0, 0.5)), closed(n)),
	}
}

// slowReplica: one of two to four servers is half as fast.
func slowReplica(d *dice) Setting {
	b := d.step()
	s := Setting{}
	slow := d.between(1.7, 3)
	n := d.integer(2, 4)
	bad := d.IntN(n)
	for i := range n {
		e := engine{base: b, prefill: b / 1000, sequence: b / 200}
		if i == bad {
			e.base, e.prefill, e.sequence = slow*e.base, slow*e.prefill, slow*e.sequence
		}
		s.Sims = append(s.Sims, e.flags())
	}
	s.Load = join(lengths(d.integer(16, 100), d.integer(8, 16), d.between(0, 0.5)), closed(n*d.integer(3, 6)))
	return s
}

// client: a server with room, and a client that is let run for a small part of the time.
func client(d *dice) Setting {
	e := engine{base: d.between(0.010, 0.015), prefill: 2e-6, sequence: 5e-5}
	s := Setting{Sims: [][]string{e.flags()}}
	shape := lengths(d.integer(16, 100), d.integer(8, 16), d.between(0, 0.5))
	if d.IntN(2) == 0 {
		s.Load = join(shape, closed(d.integer(3, 8)))
	} else {
		s.Load = join(shape, open(d.between(8, 20)))
	}
	s.Stop.Period = time.Duration(d.between(250, 500) * 1e6)
	s.Stop.Stopped = time.Duration(d.between(0.75, 0.9) * float64(s.Stop.Period))
	return s
}

// none: a light load at a rate, which is served as it comes.
func none(d *dice) Setting {
	b := d.step()
	e := engine{base: b, prefill: b / 2000, sequence: b / 300}
	d.speculates(&e)
	output := d.integer(8, 16)
	rate := d.between(2, 4) / (b * float64(output)) // so many run at a time
	return Setting{Sims: [][]string{e.flags()}, Load: join(lengths(d.integer(16, 100), output, d.between(0, 0.5)), open(rate))}
}

// concurrency: a few requests at once, for which a step takes as long as for one.
func concurrency(d *dice) Setting {
	b := d.step()
	e := engine{base: b, prefill: b / 2000, sequence: b / 300}
	d.speculates(&e)
	return Setting{
		Sims: [][]string{e.flags()},
		Load: join(lengths(d.integer(16, 100), d.integer(20, 40), d.between(0.4, 0.8)), closed(d.integer(3, 8))),
	}
}
