package explain

import (
	"math"

	"github.com/inferometer/inferometer/internal/judge/serving"
)

// Time is where the time of a request went, on average over the complete ones.
type Time struct {
	Requests int     `json:"requests"`
	Seconds  float64 `json:"seconds"` // from due to the end
	Parts    []Part  `json:"parts"`
	Slow     *Slow   `json:"slow,omitempty"` // nil: too few requests
	Note     string  `json:"note,omitempty"`
}

// Part is one of its stages.
type Part struct {
	Name    string   `json:"name"`
	Seconds *float64 `json:"seconds"` // nil: not known
	Share   *float64 `json:"share"`
	Source  string   `json:"source"` // who says so, or why it is not known
}

// Slow is where the time of the slowest requests went, as the client saw it.
type Slow struct {
	Requests int     `json:"requests"` // the slowest tenth, 100 at most
	Seconds  float64 `json:"seconds"`
	Parts    []Part  `json:"parts"`
}

const (
	bySelf       = "the client"
	byHistograms = "the server's histograms over the run"
	byAnswers    = "the server's own times in its answers"
)

// time divides the mean. The server's histograms are of all its requests in the time of the run: who
// else used it is in them too.
func (f *facts) time() Time {
	t := Time{Requests: int(f.done), Seconds: f.whole.mean() / 1e9}
	if f.done == 0 {
		return t
	}
	t.part("client queue", f.queue.mean()/1e9, bySelf)
	queue, prefill, decode, source := f.stages()
	switch source {
	case byHistograms:
		t.part("server queue", queue, source)
		t.part("prefill", prefill, source)
		t.part("decode", decode, source)
		t.rest("outside the server", "what is left of our time: the path there and back, proxies, HTTP, tokenising, our reading"+f.nextHop())
	case byAnswers:
		t.part("the way, and server queue", queue, "the first token by the client, less the prompt by the server"+f.nextHop())
		t.part("prefill", prefill, source)
		t.part("decode", decode, source)
		t.rest("outside the server", "what is left of our time: the last bytes on their way, HTTP, our reading")
	default:
		t.unknown("network", "the network time to the server can't be measured from its side"+f.nextHop())
		t.unknown("server queue", "the server does not report it")
		t.unknown("prefill", "the server does not report it")
		t.part("to the first token, undivided", f.toFirst.mean()/1e9, bySelf+"; it includes the three above")
		t.part("decode", f.toLast.mean()/1e9, bySelf+", from the first token to the last")
		t.rest("rest", "what is left: the end of the answer after its last token, our reading")
	}
	if source == byHistograms {
		t.Note = f.note()
	}
	t.Slow = f.slow()
	return t
}

// note says what the server's histograms hold beside our requests.
func (f *facts) note() string {
	n, preempted := 0.0, 0.0
	for _, s := range f.servers {
		n += s.grown(serving.Decode.Count())
		preempted += zero(s.grown(serving.Preemptions))
	}
	switch ours := float64(f.requests); {
	case n > ours*(1+foreign):
		return sentence("the server had %.0f requests in this time, and %.0f of them are ours: its times cover all of them, and need not add up to ours", n, ours)
	case preempted > 0:
		return sentence("the wait after a preemption is in the server's decode time")
	}
	return ""
}

// foreign is the share of others' requests from which on a server's times are not ours.
const foreign = 0.05

// stages are the server's own, in seconds; NaN: not known. An empty source: none is.
func (f *facts) stages() (queue, prefill, decode float64, source string) {
	mean := func(m serving.Meaning) float64 {
		total, n := 0.0, 0.0
		for _, s := range f.servers {
			total, n = total+s.grown(m.Sum()), n+s.grown(m.Count())
		}
		if !(n > 0) {
			return math.NaN()
		}
		return total / n
	}
	queue, prefill, decode = mean(serving.Queue), mean(serving.Prefill), mean(serving.Decode)
	if !math.IsNaN(prefill) || !math.IsNaN(decode) {
		return queue, prefill, decode, byHistograms
	}
	if f.serverPrompt.n > 0 {
		// What lies before the prompt's computing is the queue, with the way in it.
		before := (f.serverPromptTTFT.mean() - f.serverPrompt.mean()) / 1e9
		return max(before, 0), f.serverPrompt.mean() / 1e9, f.serverOutput.known() / 1e9, byAnswers
	}
	return math.NaN(), math.NaN(), math.NaN(), ""
}

func zero(v float64) float64 {
	if math.IsNaN(v) {
		return 0
	}
	return v
}

func (t *Time) part(name string, seconds float64, source string) {
	if math.IsNaN(seconds) {
		t.unknown(name, "the server does not report it")
		return
	}
	t.Parts = append(t.Parts, newPart(name, seconds, t.Seconds, source))
}

// rest is what the parts before it leave of the whole.
func (t *Time) rest(name, source string) {
	left := t.Seconds
	for _, p := range t.Parts {
		if p.Seconds != nil {
			left -= *p.Seconds
		}
	}
	if left > 0 {
		t.part(name, left, source)
	}
}

// nextHop is the kernel's round trip in words: to a proxy, where there is one, and not to the server.
func (f *facts) nextHop() string {
	if f.rtt.n == 0 {
		return ""
	}
	return "; a round trip to the next hop took " + ms(f.rtt.mean())
}

func (t *Time) unknown(name, why string) {
	t.Parts = append(t.Parts, Part{Name: name, Source: why})
}

func newPart(name string, seconds, whole float64, source string) Part {
	p := Part{Name: name, Seconds: &seconds, Source: source}
	if whole > 0 {
		share := seconds / whole
		p.Share = &share
	}
	return p
}

// slow divides the slowest tenth, as the client saw them.
func (f *facts) slow() *Slow {
	n := min(int(f.done)/10, mostSlow)
	if n < 2 {
		return nil
	}
	var whole, queue, first, last sums
	for _, s := range f.slowest.top(n) {
		whole.add(s.whole)
		queue.add(s.queue)
		first.add(s.toFirst)
		last.add(s.toLast)
	}
	out := &Slow{Requests: n, Seconds: whole.mean() / 1e9}
	for _, p := range []struct {
		name string
		s    sums
	}{{"client queue", queue}, {"to the first token", first}, {"first token to last", last}} {
		out.Parts = append(out.Parts, newPart(p.name, p.s.mean()/1e9, out.Seconds, bySelf))
	}
	return out
}
