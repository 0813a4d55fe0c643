package door

import (
	"time"

	"github.com/inferometer/inferometer/internal/prepare"
	"github.com/inferometer/inferometer/internal/send/target"
)

// shape is the load of a run.
type shape struct {
	input, output     int // tokens
	concurrency       int
	requests, warmups int
	duration          time.Duration
}

const (
	// usualTime is what the load takes: with what comes before and after it, half a minute.
	usualTime = 25 * time.Second
	// slowTime is for a server that would answer only a few requests in that.
	slowTime = 35 * time.Second
	// fewRequests is from when on a run is long enough for its medians.
	fewRequests = 20
	// enoughRequests carry a p99, and mostRequests make it no better in that time.
	enoughRequests = 100
	mostRequests   = 200
	// quickAnswer is a request that leaves time for others.
	quickAnswer = 2 * time.Second
	// mostTail is how long the last requests may take once no more are sent.
	mostTail = 10 * time.Second
	// mostSlots bounds what a server says of itself.
	mostSlots = 64
)

// choose is a load that shows the server as it is used and is over in half a minute.
func choose(found *prepare.Found, speed *prepare.Speed, w way) shape {
	l := shape{input: 256, output: 128, concurrency: atOnce(found), duration: usualTime}
	if w.pooling {
		l.output = 0
	}
	// Prompts and answers become shorter for a small context, and on a slow machine.
	tooLong := func() bool { return found.Context > 0 && (l.input+l.output)*5/4+64 > found.Context }
	for l.input > 64 && (tooLong() || alone(speed, l) > quickAnswer) {
		l.input, l.output = l.input/2, l.output/2
	}
	one := max(alone(speed, l), time.Millisecond)
	// On a slow machine requests share what one alone would have: the last ones may take that long.
	for l.concurrency > 1 && time.Duration(l.concurrency)*one > mostTail {
		l.concurrency /= 2
	}
	l.requests = min(int(time.Duration(l.concurrency)*l.duration/one), mostRequests)
	switch {
	case l.requests >= enoughRequests/2:
		l.requests = max(l.requests, enoughRequests)
		l.warmups = l.concurrency
	case l.requests < fewRequests:
		l.duration = slowTime
		l.requests = fewRequests
	}
	return l
}

// atOnce is how many requests are in flight. llama.cpp says how many it works on; Ollama works on one
// unless it is told otherwise, and does not say; the servers that batch whatever comes get enough for the
// batch to matter, and far less than any of them takes by default.
func atOnce(found *prepare.Found) int {
	switch {
	case found.Slots > 0:
		return min(found.Slots, mostSlots)
	case found.Kind == target.Ollama || found.Kind == target.LlamaCPP:
		return 1
	case found.Kind == "" || found.Kind == target.OpenAI:
		return 4
	}
	return 8
}

// alone is how long a request of this shape takes by itself: the time to the first token grows with
// the prompt, at most in proportion.
func alone(speed *prepare.Speed, l shape) time.Duration {
	first := speed.First
	if speed.Prompt > 0 {
		first = first * time.Duration(l.input) / time.Duration(speed.Prompt)
	}
	return first + speed.Gap*time.Duration(l.output)
}
