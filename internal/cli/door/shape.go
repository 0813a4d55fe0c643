package door

import (
	"time"

	"github.com/inferometer/inferometer/internal/prepare"
	"github.com/inferometer/inferometer/internal/send/target"
)

// shape is the load of a run.
type shape struct {
	input, output int // tokens
	concurrency   int
	requests      int
	duration      time.Duration
}

const (
	// usualTime is what the load takes: with what comes before and after it, half a minute.
	usualTime = 25 * time.Second
	// slowTime is for a server that answers only a few requests in that, which fewRequests are.
	slowTime    = 35 * time.Second
	fewRequests = 12
	// enoughRequests carry a p99, and mostRequests make it no better in that time.
	enoughRequests = 100
	mostRequests   = 200
	// mostTail is how long the last requests may take once no more are sent.
	mostTail = 10 * time.Second
	// mostAtOnce bounds what a server says of itself.
	mostAtOnce = 64
)

// choose is a load that shows the server as it is used and is over in half a minute.
func choose(found *prepare.Found, tried *prepare.Tried, pooling bool) shape {
	l := shape{input: 256, output: 128, concurrency: tried.AtOnce, duration: usualTime}
	if pooling {
		l.output = 0
	}
	// Prompts and answers become shorter for a small context, and on a slow machine.
	tooLong := func() bool { return found.Context > 0 && (l.input+l.output)*5/4+64 > found.Context }
	one := under(&tried.Together, l)
	halve := func() {
		l.input, l.output = l.input/2, l.output/2
		one = one / 2
	}
	for l.input > 64 && (tooLong() || one > mostTail || l.fit(one) < fewRequests) {
		halve()
	}
	for l.concurrency > 1 && one > mostTail { // fewer share the same machine
		l.concurrency, one = l.concurrency/2, one/2
	}
	for l.input > smallPrompt/2 && one > mostTail {
		halve()
	}
	l.requests = min(l.fit(one), mostRequests)
	switch {
	case l.requests >= enoughRequests/2: // the estimate is on the safe side
		l.requests = max(l.requests, enoughRequests)
	case l.requests < fewRequests:
		l.duration, l.requests = slowTime, fewRequests
	}
	// Equal requests end in waves, and a last one that is not full would be time in which the load is less than asked for.
	l.requests += (l.concurrency - l.requests%l.concurrency) % l.concurrency
	return l
}

// fit is how many requests that take so long each are answered in the time of the load.
func (l *shape) fit(one time.Duration) int {
	return int(time.Duration(l.concurrency) * l.duration / one)
}

// under is how long a request of a shape takes if small ones take so long. The time to the first
// token grows with the prompt, at most in proportion.
func under(small *prepare.Speed, l shape) time.Duration {
	first := small.First
	if small.Prompt > 0 {
		first = first * time.Duration(l.input) / time.Duration(small.Prompt)
	}
	return max(first+small.Gap*time.Duration(l.output), time.Millisecond)
}

// atOnce is how many requests are tried together. llama.cpp says how many it works on; Ollama works on one
// unless it is told otherwise, and does not say; the servers that batch whatever comes get enough for the
// batch to matter, and far less than any of them takes by default.
func atOnce(found *prepare.Found) int {
	switch {
	case found.Slots > 0:
		return min(found.Slots, mostAtOnce)
	case found.Kind == target.Ollama || found.Kind == target.LlamaCPP:
		return 1
	case found.Kind == "" || found.Kind == target.OpenAI:
		return 4
	}
	return 8
}
