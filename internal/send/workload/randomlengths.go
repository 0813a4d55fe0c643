package workload

import (
	"fmt"
	"math"

	"github.com/inferometer/inferometer/internal/compat/numpy"
	"github.com/inferometer/inferometer/internal/send/workload/lengths"
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
	inDist, outDist       *lengths.Sampler // in place of the bounds; nil: none
	special               int
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
		special: special,
	}
	if err := l.distributions(o); err != nil {
		return nil, err
	}
	if l.inDist == nil && int64(o.PrefixLen)+l.inLow < 1 {
		return nil, fmt.Errorf("an input of %d tokens, %d of them the tokenizer's own, with a range ratio of %v and a prefix of %d could be empty: raise --random-input-len",
			o.InputLen, special, ratio.Input, o.PrefixLen)
	}
	skip := func(dist *lengths.Sampler, low, high int64) *numpy.Generator {
		start := g.Clone()
		for range requests {
			draw(g, dist, low, high)
		}
		return start
	}
	l.input = skip(l.inDist, l.inLow, l.inHigh+1)
	l.output = skip(l.outDist, l.outLow, l.outHigh+1)
	l.offset = skip(nil, 0, l.vocab)
	l.rest = g
	return l, nil
}

// distributions takes those that are asked for.
func (l *randomLengths) distributions(o *RandomOptions) (err error) {
	if o.InputDist != nil {
		if l.inDist, err = o.InputDist.Sampler(lengths.Input); err != nil {
			return err
		}
	}
	if o.OutputDist != nil {
		l.outDist, err = o.OutputDist.Sampler(lengths.Output)
	}
	return err
}

// draw is one number of a stream: from a distribution, or even from low to below high.
func draw(g *numpy.Generator, dist *lengths.Sampler, low, high int64) int {
	if dist != nil {
		return dist.At(g.Random())
	}
	return int(g.Integers(low, high))
}

func (l *randomLengths) next() (input, output, offset int) {
	input = draw(l.input, l.inDist, l.inLow, l.inHigh+1)
	if l.inDist != nil {
		input = max(input-l.special, 1) // the server adds them again
	}
	return input, draw(l.output, l.outDist, l.outLow, l.outHigh+1), draw(l.offset, nil, 0, l.vocab)
}

// usual is about the length of an input.
func (l *randomLengths) usual() int {
	if l.inDist != nil {
		return int(l.inDist.Mean())
	}
	return int(l.inLow+l.inHigh) / 2
}
