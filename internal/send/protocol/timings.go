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
func (s *scanner) nanoseconds() int64 {
	s.next()
	start := s.pos
	s.skip()
	ns, err := strconv.ParseInt(string(s.data[min(start, len(s.data)):s.pos]), 10, 64)
	if err != nil || ns < 0 || ns > longest*1e6 {
		return 0
	}
	return ns
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
