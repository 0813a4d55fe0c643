package protocol

import (
	"errors"
	"fmt"
	"math"
	"strconv"
)

// Echoed is what an answer that repeats its prompt says of each token: those of the prompt
// first, then those that were generated. Its lists are as long as the server made them.
type Echoed struct {
	Logprobs []float64 // NaN: null, as of the first token, which nothing stands before
	Best     []float64 // of the most likely token in that place; NaN: not said
	Offsets  []int     // where a token's text begins, in characters; -1: not said
	Texts    []byte    // of all tokens, one after the other, and
	Ends     []int     // where each ends; valid until the stream is used again
}

// Text is that of one token.
func (e *Echoed) Text(i int) []byte {
	begin := 0
	if i > 0 {
		begin = e.Ends[i-1]
	}
	return e.Texts[begin:e.Ends[i]]
}

// reset forgets what was read, and the memory that one odd answer has made large.
func (e *Echoed) reset() {
	if cap(e.Logprobs) > keepEvents || cap(e.Texts) > keepBuffer {
		*e = Echoed{}
		return
	}
	*e = Echoed{Logprobs: e.Logprobs[:0], Best: e.Best[:0], Offsets: e.Offsets[:0], Texts: e.Texts[:0], Ends: e.Ends[:0]}
}

// maxEchoed bounds the tokens of an answer that repeats its prompt: no model has a longer context.
const maxEchoed = 1 << 21

// errBadLogprob: what stands there is no logarithm of a likelihood, so that nothing can be scored.
var errBadLogprob = errors.New("the log-probabilities can't be read")

// likeliest is how far above 0 the logarithm of a likelihood may lie by rounding.
const likeliest = 1e-3

// echoed reads the object logprobs of a choice: four lists side by side.
func (d *Decoder) echoed() {
	s, e := &d.scan, d.echo
	s.fields(func(name []byte) {
		switch string(name) {
		case "tokens":
			e.Texts, e.Ends = e.Texts[:0], e.Ends[:0] // of a name that stands there twice the last counts
			before := len(s.text)                     // the answer's text may lie there
			d.each(func() {
				e.Texts = append(e.Texts, s.string()...)
				s.text = s.text[:before] // it has been copied
				e.Ends = append(e.Ends, len(e.Texts))
			})
		case "token_logprobs":
			e.Logprobs = e.Logprobs[:0]
			d.each(func() { e.Logprobs = append(e.Logprobs, s.logprob()) })
		case "top_logprobs":
			e.Best = e.Best[:0]
			d.each(func() { e.Best = append(e.Best, s.best()) })
		case "text_offset":
			e.Offsets = e.Offsets[:0]
			d.each(func() { e.Offsets = append(e.Offsets, s.offset()) })
		default:
			s.skip()
		}
	})
}

// each calls take for each element of a list; what is no list is passed over.
func (d *Decoder) each(take func()) {
	s := &d.scan
	s.elements(func(i int) {
		if i == maxEchoed {
			s.failWith(fmt.Errorf("%w: there are more than %d", errBadLogprob, maxEchoed))
			return
		}
		take()
	})
}

// best takes an object of tokens with their log-probabilities, and gives the highest.
func (s *scanner) best() float64 {
	highest := math.NaN()
	s.fields(func([]byte) {
		if v := s.logprob(); !(v <= highest) { // also where highest is no number yet
			highest = v
		}
	})
	return highest
}

// logprob takes the logarithm of a likelihood; NaN for null. Anything else is no answer
// that could be scored.
func (s *scanner) logprob() float64 {
	raw := s.value()
	if s.err != nil || string(raw) == "null" {
		return math.NaN()
	}
	v, err := strconv.ParseFloat(string(raw), 64)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) || v > likeliest {
		s.failWith(fmt.Errorf("%w: one is %.40q", errBadLogprob, raw))
		return math.NaN()
	}
	return v
}

// offset takes a place in the text; -1 for anything else.
func (s *scanner) offset() int {
	n, err := strconv.ParseUint(string(s.value()), 10, 31)
	if err != nil {
		return -1
	}
	return int(n)
}

// takeEchoed moves what was said of the prompt to the trace, and takes the prompt out of the
// text: it was not generated. What was is the last token.
func (s *Stream) takeEchoed() {
	e, c := &s.echo, &s.chunk
	s.Trace.Echoed = e
	c.Tokens, c.TokensBy = -1, TokensUnknown
	n := len(e.Ends)
	if n == 0 {
		return
	}
	last := e.Text(n - 1)
	if len(last) > len(c.Text) || string(c.Text[len(c.Text)-len(last):]) != string(last) {
		last = nil // such as one that has no text of its own
	}
	c.Text = last
}
