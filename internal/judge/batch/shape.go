package batch

import (
	"fmt"

	"github.com/inferometer/inferometer/internal/judge/row"
)

// Shape is a test in the manner of llama-bench: how many tokens are computed as a
// prompt and how many are generated, how many stand before them, and for how many
// sequences at once.
type Shape struct {
	Prompt, Gen int // one of them may be 0
	Depth       int
	Batch       int
}

// Test is llama-bench's name of the shape: pp512, tg128, pp512+tg128, tg128 @ d4096.
func (s Shape) Test() string {
	name := fmt.Sprintf("pp%d+tg%d", s.Prompt, s.Gen)
	switch {
	case s.Gen == 0:
		name = fmt.Sprintf("pp%d", s.Prompt)
	case s.Prompt == 0:
		name = fmt.Sprintf("tg%d", s.Gen)
	}
	if s.Depth > 0 {
		name += fmt.Sprintf(" @ d%d", s.Depth)
	}
	return name
}

// Sample is one repetition: so many tokens in so much time.
type Sample struct {
	Tokens float64
	Ns     int64
	// By the server's own clock; 0 where it gives none, and for several sequences,
	// whose times overlap in a way that only the server knows.
	ServerTokens float64
	ServerNs     int64
}

// Rate is in tokens a second.
func (s Sample) Rate() float64 { return s.Tokens / row.Seconds(s.Ns) }

// ServerRate is the same by the server's own clock; 0: it gives none.
func (s Sample) ServerRate() float64 {
	if s.ServerNs <= 0 {
		return 0
	}
	return s.ServerTokens / row.Seconds(s.ServerNs)
}

// Measure measures a batch as one repetition of the shape.
//
//	pp     tokens of the prompts / (first request sent to first token of the slowest)
//	tg     tokens while all generate / that time, see Batch.Decode
//	pp+tg  tokens of prompts and answers / (first request sent to last token of the slowest)
//
// Tokens that the server has from its cache are not counted as computed. An error
// says why the batch is no measurement of the shape.
func (s Shape) Measure(b *Batch) (Sample, error) {
	if err := b.Failure(); err != nil {
		return Sample{}, err
	}
	computed, output := 0, 0
	var serverPrompt, serverOutput int64
	for i := range b.Requests {
		r := &b.Requests[i]
		computed += r.Prompt - r.Cached
		output += r.Output
		serverPrompt += r.ServerPromptNs
		serverOutput += r.ServerOutputNs
	}
	if err := s.checkComputed(computed, b.Size); err != nil {
		return Sample{}, err
	}
	var m Sample
	var err error
	switch {
	case s.Gen == 0:
		m = Sample{Tokens: float64(computed), Ns: b.Prefill(), ServerTokens: float64(computed), ServerNs: serverPrompt}
	case s.Prompt == 0:
		m.Tokens, m.Ns, err = b.Decode()
		m.ServerTokens, m.ServerNs = float64(output-b.Size), serverOutput
	default:
		all := float64(computed + output)
		m = Sample{Tokens: all, Ns: b.Latency(), ServerTokens: all, ServerNs: serverPrompt + serverOutput}
	}
	if b.Size > 1 {
		m.ServerTokens, m.ServerNs = 0, 0
	}
	if err == nil && m.Ns <= 0 {
		err = fmt.Errorf("it took no time at all")
	}
	return m, err
}

// checkComputed: a tenth more or less than the shape asks for would be another shape.
func (s Shape) checkComputed(computed, size int) error {
	want := s.Prompt * size
	slack := float64(want)/10 + 16*float64(size) // caches go by blocks, and a server may put a BOS before
	switch {
	case s.Prompt == 0: // the depth of tg is computed before it counts
		return nil
	case float64(want-computed) > float64(want)/10:
		return fmt.Errorf("the server computed only %d of %d prompt tokens: the others came from its cache", computed, want)
	case s.Depth > 0 && float64(computed-want) > slack:
		return fmt.Errorf("the server computed %d prompt tokens and not %d: the depth was not in its cache, or it doesn't say so "+
			"(vLLM tells with --enable-prompt-tokens-details)", computed, want)
	}
	return nil
}

// ShapeRow is a shape with its repetitions.
type ShapeRow struct {
	Shape
	Samples  []Sample
	Failures []string // one for each repetition that could not be counted
	// Overhead is taken from each time before rates are made; 0: nothing is.
	Overhead int64
}

// MeasureShape makes the row of a shape from its batches.
func MeasureShape(s Shape, batches []Batch, overhead int64) ShapeRow {
	row := ShapeRow{Shape: s}
	if s.Prompt > 0 {
		row.Overhead = overhead // the time of tg begins with the first token
	}
	for i := range batches {
		m, err := s.Measure(&batches[i])
		if m.Ns -= row.Overhead; err == nil && m.Ns <= 0 {
			err = fmt.Errorf("it took no longer than a prompt of one token")
		}
		if err != nil {
			row.Failures = append(row.Failures, err.Error())
			continue
		}
		row.Samples = append(row.Samples, m)
	}
	return row
}

// Rates are the repetitions in tokens a second.
func (r *ShapeRow) Rates() []float64 { return r.each(Sample.Rate) }

// Times are the repetitions in nanoseconds.
func (r *ShapeRow) Times() []float64 {
	return r.each(func(s Sample) float64 { return float64(s.Ns) })
}

// ServerRates are the repetitions by the server's clock; nil where it lacks one.
func (r *ShapeRow) ServerRates() []float64 {
	rates := r.each(Sample.ServerRate)
	for _, v := range rates {
		if v == 0 {
			return nil
		}
	}
	return rates
}

func (r *ShapeRow) each(of func(Sample) float64) []float64 {
	var v []float64
	for _, s := range r.Samples {
		v = append(v, of(s))
	}
	return v
}
