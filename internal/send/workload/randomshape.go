package workload

import (
	"fmt"
	"math"

	"github.com/inferometer/inferometer/internal/compat/numpy"
	"github.com/inferometer/inferometer/internal/option"
	"github.com/inferometer/inferometer/internal/send/workload/lengths"
	"github.com/inferometer/inferometer/internal/send/workload/prompts"
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

// RandomShape are options that vLLM's random dataset does not have: how lengths are
// distributed, and how much prompts share.
type RandomShape struct {
	InputDist   *lengths.Dist `json:"input_len_dist" flag:"input-len-dist" whole:"true" metavar:"DIST" help:"prompt lengths from a distribution, in place of --random-input-len: fixed:len=512, uniform:min=1,max=900, normal:mean=512,std=128, lognormal:mean=512,sigma=1,max=4096, zipf:a=1.2,max=8192, empirical:file=TRACE."`
	OutputDist  *lengths.Dist `json:"output_len_dist" flag:"output-len-dist" whole:"true" metavar:"DIST" help:"output lengths likewise, in place of --random-output-len."`
	PrefixShare float64       `json:"prefix_share" flag:"prefix-share" whole:"true" default:"0" min:"0" below:"1" help:"this share of each prompt is its beginning, which others have too: what a server's prefix cache can know. It is a part of the input length."`
	PrefixCount int           `json:"prefix_count" flag:"prefix-count" whole:"true" default:"1" min:"0" max:"1000000" help:"different beginnings for --prefix-share; prompts take them in turn."`
}

// check holds the options against vLLM's.
func (s *RandomShape) check(o *RandomOptions) error {
	switch {
	case s.PrefixShare > 0 && s.PrefixCount < 1:
		return option.Errorf("prefix_count", "must be at least 1, not %d", s.PrefixCount)
	case s.PrefixShare > 0 && o.PrefixLen > 0:
		return option.Errorf("prefix_share", "can't be used together with %s: both say what prompts begin with", option.Ref("prefix_len"))
	case (s.InputDist != nil || s.OutputDist != nil) && o.RangeRatio != (lengths.RangeRatio{}):
		return option.Errorf("range_ratio", "can't be used together with a distribution of lengths: both say how they vary")
	}
	return nil
}

// sharedPart is what a prompt shares.
type sharedPart struct {
	tokens int // at its beginning
	seen   int // of these, those that an earlier prompt had
	prefix int // which one it is, from 1; 0: none
}

// sharedPrefixes are the beginnings that prompts take in turn. Each is a stream of
// tokens, as long as the longest prompt needed so far.
type sharedPrefixes struct {
	tok     prompts.Tokenizer
	share   float64
	streams [][]int32
	seen    []int
	draw    prompts.IDSource
}

// prefixPiece is how many tokens a stream grows by: each piece, encoded again, stays as it is.
const prefixPiece = 256

// newSharedPrefixes is nil where no share is asked for. The streams have a generator of
// their own, so that the rest of the prompts does not depend on them.
func newSharedPrefixes(d *randomDataset, seed uint64) *sharedPrefixes {
	if d.own.PrefixShare == 0 {
		return nil
	}
	g := numpy.NewGenerator(seed ^ 0x5851f42d4c957f2d)
	s := &sharedPrefixes{
		tok: d.tok, share: d.own.PrefixShare,
		streams: make([][]int32, d.own.PrefixCount), seen: make([]int, d.own.PrefixCount),
	}
	switch v, known := d.tok.(prompts.Vocabulary); {
	case known:
		allowed := ordinaryIDs(v)
		s.draw = func(n int) ([]int32, error) {
			ids := make([]int32, n)
			for i := range ids {
				ids[i] = allowed[g.Integers(0, int64(len(allowed)))]
			}
			return ids, nil
		}
	case d.counted:
		s.draw = prompts.DrawThrough(d.tok, g)
	default:
		s.draw = prompts.DrawWords(g)
	}
	return s
}

// next is the beginning of the prompt with this index and length. At least one token is
// the prompt's own.
func (s *sharedPrefixes) next(index, input int) ([]int32, sharedPart, error) {
	which := index % len(s.streams)
	part := sharedPart{tokens: max(min(int(math.Round(s.share*float64(input))), input-1), 0)}
	for len(s.streams[which]) < part.tokens {
		piece, err := exactIDs(s.tok, s.draw, prefixPiece)
		if err != nil {
			return nil, part, err
		}
		s.streams[which] = append(s.streams[which], piece...)
	}
	if part.tokens > 0 {
		part.prefix = which + 1
	}
	part.seen = min(s.seen[which], part.tokens)
	s.seen[which] = max(s.seen[which], part.tokens)
	return s.streams[which][:part.tokens:part.tokens], part, nil
}
