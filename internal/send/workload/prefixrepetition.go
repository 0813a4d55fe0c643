package workload

import (
	"fmt"
	"io"
	"slices"

	"github.com/inferometer/inferometer/internal/compat/numpy"
)

// prefixRepetition makes prompts that share a few prefixes, to see what a prefix
// cache does. All ids are drawn before the first request, since vLLM shuffles the
// requests and draws the arrival times from the same stream behind them; so they
// are held, four bytes an id, and become text when they are due.
type prefixRepetition struct {
	opts     Options
	tok      Tokenizer
	counted  bool
	prefixes [][]int32
	suffixes [][]int32 // of all prefixes, one after the other
	order    []int32
	legacy   *numpy.RandomState
	next     int
}

func openPrefixRepetition(o Options) (Dataset, error) {
	return newPrefixRepetition(o, o.Seed)
}

func newPrefixRepetition(o Options, seed uint64) (*prefixRepetition, error) {
	p := o.PrefixRepetition
	switch {
	case o.Path != "":
		return nil, fmt.Errorf("it reads no file: drop --dataset-path %s", o.Path)
	case p.NumPrefixes <= 0 || p.PrefixLen < 0 || p.SuffixLen < 0 || p.PrefixLen+p.SuffixLen == 0:
		return nil, fmt.Errorf("%d prefixes of %d tokens with suffixes of %d: there must be at least one prefix, and a token in each prompt", p.NumPrefixes, p.PrefixLen, p.SuffixLen)
	case o.NumPrompts < p.NumPrefixes:
		return nil, fmt.Errorf("%d prompts are fewer than %d prefixes: raise --num-prompts or lower --prefix-repetition-num-prefixes", o.NumPrompts, p.NumPrefixes)
	}
	d := &prefixRepetition{opts: o, tok: o.Tokenizer, counted: o.Tokenizer != nil}
	draw := d.source(seed)
	for range p.NumPrefixes {
		prefix, err := exactIDs(d.tok, draw, p.PrefixLen)
		if err != nil {
			return nil, err
		}
		d.prefixes = append(d.prefixes, prefix)
		for range o.NumPrompts / p.NumPrefixes {
			suffix, err := exactIDs(d.tok, draw, p.SuffixLen)
			if err != nil {
				return nil, err
			}
			d.suffixes = append(d.suffixes, suffix)
		}
	}
	d.shuffle(seed)
	return d, nil
}

// source draws ids: with a known vocabulary from all of it, as vLLM does.
func (d *prefixRepetition) source(seed uint64) idSource {
	switch v := d.tok.(type) {
	case Vocabulary:
		d.legacy = numpy.NewRandomState(seed)
		return func(n int) ([]int32, error) {
			ids := make([]int32, n)
			for i := range ids {
				ids[i] = int32(d.legacy.Randint(0, int64(v.VocabSize())))
			}
			return ids, nil
		}
	case nil:
		d.tok = wordTokenizer{}
		return drawWords(numpy.NewGenerator(seed))
	default:
		return drawThrough(d.tok, numpy.NewGenerator(seed))
	}
}

// exactIDs draws n ids whose text has n tokens.
func exactIDs(t Tokenizer, draw idSource, n int) ([]int32, error) {
	ids, err := draw(n)
	if err != nil {
		return nil, err
	}
	f := newFitting(ids, n)
	err = f.all(t, draw)
	return f.ids, err
}

func (d *prefixRepetition) shuffle(seed uint64) {
	d.order = make([]int32, len(d.suffixes))
	for i := range d.order {
		d.order[i] = int32(i)
	}
	if d.opts.DisableShuffle {
		return
	}
	numpy.NewPython(seed).Shuffle(len(d.order), func(i, j int) {
		d.order[i], d.order[j] = d.order[j], d.order[i]
	})
}

// Next implements Source.
func (d *prefixRepetition) Next() (*Request, error) {
	if d.next == len(d.order) {
		return nil, io.EOF
	}
	i := int(d.order[d.next])
	perPrefix := len(d.suffixes) / len(d.prefixes)
	ids := slices.Concat(d.prefixes[i/perPrefix], d.suffixes[i])
	text, err := d.tok.Decode(ids)
	if err != nil {
		return nil, err
	}
	r := &Request{Index: d.next, Prompt: text, OutputTokens: d.opts.PrefixRepetition.OutputLen, NoID: true}
	if d.counted {
		r.PromptTokens = len(ids)
	}
	d.next++
	return r, nil
}

// Len implements Dataset: a multiple of the number of prefixes.
func (d *prefixRepetition) Len() int { return len(d.order) }

// Close implements Dataset.
func (d *prefixRepetition) Close() error { return nil }

func (d *prefixRepetition) numPyState() *numpy.RandomState {
	if d.legacy == nil {
		return nil
	}
	return d.legacy.Clone()
}

// Warmups implements Dataset: other prefixes and other suffixes.
func (d *prefixRepetition) Warmups(n int) ([]*Request, error) {
	if n <= 0 {
		return nil, nil
	}
	o := d.opts
	o.NumPrompts = max(n, o.PrefixRepetition.NumPrefixes)
	if rest := o.NumPrompts % o.PrefixRepetition.NumPrefixes; rest != 0 {
		o.NumPrompts += o.PrefixRepetition.NumPrefixes - rest
	}
	w, err := newPrefixRepetition(o, warmSeed(o.Seed))
	if err != nil {
		return nil, err
	}
	return take(w, n)
}
