package protocol

import (
	"math"
	"strconv"
)

// Timings are the server's own account of a request, as llama.cpp and Ollama give it
// with the last event; zero where the server says nothing.
type Timings struct {
	PromptNs int64 // computing the prompt
	OutputNs int64 // from the first token to the last
	// What llama.cpp counts in them: the prompt's tokens that it computed, which are all but those that it took
	// from its cache, and the answer's.
	Computed, Output int
}

// PromptTokens are the prompt's, those from the cache included; false: the server did not say how many these were, as
// llama.cpp before September 2025.
func (t *Trace) PromptTokens() (n int, known bool) {
	n = t.Timings.Computed + t.Usage.Cached
	return n, n > 0 && t.Timings.Computed > 0 && t.Usage.CachedKnown
}

func (d *Decoder) timings(c *Chunk) {
	s := &d.scan
	if s.next() != '{' {
		s.skip()
		return
	}
	s.object(func(name []byte) {
		switch string(name) {
		case "prompt_ms":
			c.Timings.PromptNs = s.milliseconds()
		case "predicted_ms":
			c.Timings.OutputNs = s.milliseconds()
		case "prompt_n":
			c.Timings.Computed = int(s.whole(maxTokenCount))
		case "predicted_n":
			c.Timings.Output = int(s.whole(maxTokenCount))
		case "cache_n":
			s.cached(c)
		default:
			s.skip()
		}
	})
}

// longest is a week: no request is worked on for longer.
const longest = 7 * 24 * 3600 * 1000

// nanoseconds takes a whole number of them; 0 for what is none.
func (s *scanner) nanoseconds() int64 { return s.whole(longest * 1e6) }

// whole takes a whole number up to most; 0 for what is none.
func (s *scanner) whole(most int64) int64 {
	s.next()
	start := s.pos
	s.skip()
	n, err := strconv.ParseInt(string(s.data[min(start, len(s.data)):s.pos]), 10, 64)
	if err != nil || n < 0 || n > most {
		return 0
	}
	return n
}

// milliseconds takes a number of them and gives nanoseconds; 0 for what is none.
func (s *scanner) milliseconds() int64 {
	s.next()
	start := s.pos
	s.skip()
	ms, err := strconv.ParseFloat(string(s.data[min(start, len(s.data)):s.pos]), 64)
	if err != nil || !(ms > 0 && ms < longest) {
		return 0
	}
	return int64(math.Round(ms * 1e6))
}
