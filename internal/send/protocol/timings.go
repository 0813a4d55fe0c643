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

// llamaTimings is the object that llama.cpp tells them in.
var llamaTimings = shape{
	{name: "prompt_ms", take: func(d *Decoder, c *Chunk) { c.Timings.PromptNs = d.nanoseconds(1e6) }},
	{name: "predicted_ms", take: func(d *Decoder, c *Chunk) { c.Timings.OutputNs = d.nanoseconds(1e6) }},
	{name: "prompt_n", take: func(d *Decoder, c *Chunk) { c.Timings.Computed, _, _ = d.scan.Number(maxTokenCount) }},
	{name: "predicted_n", take: func(d *Decoder, c *Chunk) { c.Timings.Output, _, _ = d.scan.Number(maxTokenCount) }},
	{name: "cache_n", take: takeCached},
}

// longest is a week: no request is worked on for longer.
const longest = 7 * 24 * 3600 * 1e9

// nanoseconds takes a time in units of so many of them; 0 for what is none.
func (d *Decoder) nanoseconds(unit float64) int64 {
	t, err := strconv.ParseFloat(string(d.scan.Value()), 64)
	if t *= unit; err != nil || !(t > 0 && t < longest) {
		return 0
	}
	return int64(math.Round(t))
}
