package serverlog

import (
	"math"
	"strconv"
	"strings"
)

// Engine is what one of vLLM's regular lines says of an engine. What it does not say is NaN.
type Engine struct {
	Index int // of several engines of one server

	// Tokens per second since the engine's line before.
	PromptPerS, GeneratedPerS float64

	Running, Waiting, Swapped float64 // requests
	Preemptions               float64 // since the line before; vLLM writes the word only where there were any
	CacheUse, HitRate         float64 // shares, 0 to 1
}

// What the lines of all versions have in common.
const (
	engineWords = "Avg prompt throughput: "
	hitWords    = "Prefix cache hit rate: GPU: " // engine V0 has a line of its own for it
)

// ParseEngine reads one line of vLLM's log; ok is false where it is about something else.
// What stands before (the time, the process, what docker or Kubernetes adds) does not matter:
//
//	Engine 000: Avg prompt throughput: 1254.4 tokens/s, Avg generation throughput: 29.2 tokens/s, Running: 10 reqs,
//	  Waiting: 4 reqs, Preemptions: 2, GPU KV cache usage: 57.9%, Prefix cache hit rate: 40.5%
//	Avg prompt throughput: 0.1 tokens/s, Avg generation throughput: 9.8 tokens/s, Running: 1 reqs, Swapped: 0 reqs,
//	  Pending: 0 reqs, GPU KV cache usage: 0.1%, CPU KV cache usage: 0.0%.
//	Prefix cache hit rate: GPU: 30.12%, CPU: 0.00%
func ParseEngine(line string) (e Engine, ok bool) {
	if len(line) > maxLine {
		return Engine{}, false
	}
	nan := math.NaN()
	e = Engine{0, nan, nan, nan, nan, nan, nan, nan, nan}
	line = withoutColours(line)
	if _, words, found := strings.Cut(line, hitWords); found {
		e.HitRate = share(leadingNumber(words))
		return e, !math.IsNaN(e.HitRate)
	}
	at := strings.Index(line, engineWords)
	if at < 0 {
		return Engine{}, false
	}
	e.Index = engineIndex(line[:at])
	words := line[at:]
	e.PromptPerS, e.GeneratedPerS = number(words, engineWords), number(words, "Avg generation throughput: ")
	e.Running, e.Swapped, e.Preemptions = number(words, "Running: "), number(words, "Swapped: "), number(words, "Preemptions: ")
	if e.Waiting = number(words, "Waiting: "); math.IsNaN(e.Waiting) {
		e.Waiting = number(words, "Pending: ") // until 0.8, engine V0
	}
	e.CacheUse, e.HitRate = share(number(words, "GPU KV cache usage: ")), share(number(words, "Prefix cache hit rate: "))
	return e, !math.IsNaN(e.Running)
}

// share makes one of a percentage; what is none is NaN.
func share(percent float64) float64 {
	if !(percent >= 0 && percent <= 100) {
		return math.NaN()
	}
	return percent / 100
}

// mostEngines bounds the engines of one server.
const mostEngines = 1024

// engineIndex is the number in "… Engine 003: ", 0 where there is none.
func engineIndex(before string) int {
	i := strings.LastIndex(before, "Engine ")
	if i < 0 {
		return 0
	}
	n, err := strconv.Atoi(strings.TrimSuffix(strings.TrimSpace(before[i+len("Engine "):]), ":"))
	if err != nil || n < 0 || n >= mostEngines {
		return 0
	}
	return n
}

// withoutColours takes out what steers a terminal: ESC [ … letter.
func withoutColours(s string) string {
	if !strings.Contains(s, "\x1b[") {
		return s
	}
	var b strings.Builder
	for {
		text, rest, found := strings.Cut(s, "\x1b[")
		b.WriteString(text)
		if !found {
			return b.String()
		}
		s = strings.TrimLeft(rest, "0123456789;?")
		if s != "" {
			s = s[1:]
		}
	}
}
