package main

import (
	"bufio"
	"io"
	"math"
	"math/rand/v2"
	"strconv"
)

// corpus is the shape of a drawn one: that of the public corpora of coding agents, as far as their numbers are known.
type corpus struct {
	traces   int
	requests float64 // mean of a trace, sub-agents included
	context  int     // longest prompt, in tokens
	first    int     // tokens of each job's first prompt; 0: drawn
	fan      int     // each job is a turn, so many sub-agents of two turns side by side, and a turn that takes them up; 0: drawn
	seed     uint64
}

const (
	block  = 64
	system = 17_000 // tokens of tools and system prompt
)

// write draws it: a job on each line, in Weka's form with absolute inner times.
func (c *corpus) write(to io.Writer) error {
	w := bufio.NewWriterSize(to, 1<<20)
	for i := range c.traces {
		j := &jobWriter{corpus: c, Writer: w, r: rand.New(rand.NewPCG(c.seed, uint64(i)))}
		j.write(i)
	}
	return w.Flush()
}

// jobWriter draws one job.
type jobWriter struct {
	*corpus
	*bufio.Writer
	r    *rand.Rand
	next uint64 // the next new block
	line []byte
}

// drawn is a number of a log-normal distribution.
func (j *jobWriter) drawn(median, sigma float64) float64 {
	return median * math.Exp(sigma*j.r.NormFloat64())
}

func (j *jobWriter) write(number int) {
	j.text(`{"id":"trace_`, strconv.Itoa(number), `","models":["large","small"],"block_size":64,"hash_id_scope":"local","requests":[`)
	// The mean of the log-normal one is exp(0.8²/2) medians.
	left := max(int(j.drawn(j.requests/math.Exp(0.32), 0.8)), 2)
	root := &prompt{j: j}
	if j.first > 0 {
		root.grow(j.first)
	} else {
		root.grow(system + int(j.drawn(35_000, 0.6)))
	}
	if j.fan > 0 {
		left = 2 + 2*j.fan
	}
	at, first := 0.0, true
	for left > 0 {
		if !first {
			j.text(",")
		}
		at += root.request(at, "large")
		first = false
		left--
		if left > 1 && j.fan > 0 || j.fan == 0 && left > 4 && j.r.Float64() < 0.08 {
			at += 0.2
			at, left = j.subs(root, at, left)
		}
		at += j.pause()
		root.grow(int(j.drawn(1_300, 1.3)))
	}
	j.text("]}\n")
}

// pause is a tool's time, and now and then a person's.
func (j *jobWriter) pause() float64 {
	if j.r.Float64() < 0.04 {
		return j.drawn(600, 1)
	}
	return j.drawn(4, 1)
}

// subs writes up to four sub-agents that begin together, and gives the end of the last.
func (j *jobWriter) subs(root *prompt, at float64, left int) (end float64, rest int) {
	end = at
	agents := j.fan
	if agents == 0 {
		agents = 1 + j.r.IntN(4)
	}
	for k := range agents {
		n := 2
		if j.fan == 0 {
			n = min(2+j.r.IntN(12), left-1)
		}
		if n < 1 {
			break
		}
		left -= n
		j.text(`,{"t":`, number(at), `,"type":"subagent","agent_id":"agent_`, strconv.FormatUint(j.next, 10), `","subagent_type":"Explore","status":"completed","models":["large"],"requests":[`)
		own := &prompt{j: j, ids: append([]uint64(nil), root.ids[:min(system/block, len(root.ids))]...)}
		own.tokens = len(own.ids) * block
		own.grow(int(j.drawn(3_000, 0.7)))
		t := at + 0.1*float64(k+1)
		for i := range n {
			if i > 0 {
				j.text(",")
				t += j.drawn(2, 0.8)
				own.grow(int(j.drawn(1_500, 1.2)))
			}
			t += own.request(t, "large")
		}
		j.text(`],"duration_ms":`, strconv.Itoa(int((t-at)*1000)), `}`)
		end = max(end, t)
	}
	return end, left
}

// prompt is the context of an agent.
type prompt struct {
	j      *jobWriter
	tokens int
	ids    []uint64
}

// grow adds tokens; what would be too long is made shorter first, as agents do.
func (p *prompt) grow(tokens int) {
	if p.tokens+tokens > p.j.context {
		p.tokens = p.tokens * 3 / 10
		p.ids = p.ids[:p.tokens/block]
	}
	p.tokens = min(p.tokens+tokens, p.j.context)
	whole := len(p.ids)
	if whole > 0 && p.tokens > whole*block {
		p.ids = p.ids[:whole-1] // the last one was not full
	}
	for len(p.ids) < (p.tokens+block-1)/block {
		p.j.next++
		p.ids = append(p.ids, p.j.next)
	}
}

// request writes one, and gives the time that it took. Its answer is a part of the prompt from then on.
func (p *prompt) request(at float64, model string) float64 {
	j := p.j
	out := min(max(int(j.drawn(220, 1.1)), 1), 30_000)
	took := 0.5 + float64(p.tokens)/40_000 + float64(out)/70
	j.line = append(j.line[:0], `{"t":`...)
	j.line = append(j.line, number(at)...)
	j.line = append(j.line, `,"type":"s","model":"`...)
	j.line = append(j.line, model...)
	j.line = append(j.line, `","in":`...)
	j.line = strconv.AppendInt(j.line, int64(p.tokens), 10)
	j.line = append(j.line, `,"out":`...)
	j.line = strconv.AppendInt(j.line, int64(out), 10)
	j.line = append(j.line, `,"api_time":`...)
	j.line = append(j.line, number(took)...)
	j.line = append(j.line, `,"hash_ids":[`...)
	for i, id := range p.ids {
		if i > 0 {
			j.line = append(j.line, ',')
		}
		j.line = strconv.AppendUint(j.line, id, 10)
	}
	j.line = append(j.line, `]}`...)
	_, _ = j.Write(j.line) // Flush tells
	p.grow(out)
	return took
}

func (j *jobWriter) text(parts ...string) {
	for _, p := range parts {
		_, _ = j.WriteString(p) // Flush tells
	}
}

func number(seconds float64) string { return strconv.FormatFloat(seconds, 'f', 3, 64) }
