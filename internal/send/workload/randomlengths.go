package workload

import (
	"fmt"
	"math"

	"github.com/inferometer/inferometer/internal/compat/numpy"
)

// randomLengths are the input lengths, output lengths and offsets of all
// requests. vLLM draws them as three arrays one after the other. Three copies of
// the generator, each set to where its array begins, give them side by side, so
// that no array is held.
type randomLengths struct {
	input, output, offset *numpy.Generator
	rest                  *numpy.Generator // goes on behind the arrays
	inLow, inHigh         int64
	outLow, outHigh       int64
	vocab                 int64
}

func newRandomLengths(requests int, o *RandomOptions, seed uint64, special, vocab int) (*randomLengths, error) {
	return lengthsFrom(numpy.NewGenerator(seed), requests, o, special, vocab)
}

// lengthsFrom draws them from a generator that may have been used before, and uses it on.
func lengthsFrom(g *numpy.Generator, requests int, o *RandomOptions, special, vocab int) (*randomLengths, error) {
	ratio := o.RangeRatio
	in := float64(max(0, o.InputLen-special))
	out := float64(o.OutputLen)
	l := &randomLengths{
		inLow:   int64(math.Floor(in * (1 - ratio.Input))),
		inHigh:  int64(math.Ceil(in * (1 + ratio.Input))),
		outLow:  max(1, int64(math.Floor(out*(1-ratio.Output)))),
		outHigh: max(1, int64(math.Ceil(out*(1+ratio.Output)))),
		vocab:   int64(vocab),
	}
	if int64(o.PrefixLen)+l.inLow < 1 {
		return nil, fmt.Errorf("an input of %d tokens, %d of them the tokenizer's own, with a range ratio of %v and a prefix of %d could be empty: raise --random-input-len",
			o.InputLen, special, ratio.Input, o.PrefixLen)
	}
	skip := func(low, high int64) *numpy.Generator {
		start := g.Clone()
		for range requests {
			g.Integers(low, high)
		}
		return start
	}
	l.input = skip(l.inLow, l.inHigh+1)
	l.output = skip(l.outLow, l.outHigh+1)
	l.offset = skip(0, l.vocab)
	l.rest = g
	return l, nil
}

func (l *randomLengths) next() (input, output, offset int) {
	return int(l.input.Integers(l.inLow, l.inHigh+1)),
		int(l.output.Integers(l.outLow, l.outHigh+1)),
		int(l.offset.Integers(0, l.vocab))
}
