package workload

import (
	"io"
	"slices"

	"github.com/inferometer/inferometer/internal/option"
	"github.com/inferometer/inferometer/internal/send/workload/lengths"
	"github.com/inferometer/inferometer/internal/send/workload/prompts"
)

var random = NewKind(Kind{
	Name: "random", Doc: "Prompts of exact token lengths, drawn from the vocabulary.", IgnoreEOS: true,
}, openRandom)

// RandomOptions shape the random dataset. Lengths are drawn evenly from
// length*(1-ratio) to length*(1+ratio); the prefix comes on top of the input.
type RandomOptions struct {
	InputLen   int                `json:"input_len" flag:"random-input-len" common:"true" follows:"input-len" default:"1024" min:"0" help:"tokens of a prompt."`
	OutputLen  int                `json:"output_len" flag:"random-output-len" common:"true" follows:"output-len" default:"128" min:"1" help:"tokens to generate."`
	PrefixLen  int                `json:"prefix_len" flag:"random-prefix-len" follows:"prefix-len" default:"0" min:"0" help:"tokens that all prompts begin with, besides the input length."`
	RangeRatio lengths.RangeRatio `json:"range_ratio" flag:"random-range-ratio" default:"0" metavar:"X" help:"lengths vary by this share up and down, from 0 to below 1; {\"input\": 0.1, \"output\": 0.5} for each."`
	BatchSize  int                `json:"batch_size" flag:"random-batch-size" default:"1" min:"0" help:"prompts in one request, for pooling backends."`
	RandomShape
}

func (o *RandomOptions) batchSize() int { return o.BatchSize }

// Check implements [option.Checker].
func (o *RandomOptions) Check() error {
	if err := o.RangeRatio.CheckRange(); err != nil {
		return option.Errorf("range_ratio", "%s", err.Error())
	}
	if err := o.RandomShape.check(o); err != nil {
		return err
	}
	if o.InputLen+o.PrefixLen == 0 {
		return option.Errorf("input_len", "and %s can't both be 0: the prompt would be empty", option.Ref("prefix_len"))
	}
	return nil
}

// randomDataset makes prompts of exact token lengths. In vLLM's way a prompt is
// a run of consecutive ids from a random place of the vocabulary, behind a prefix
// that all share; where the vocabulary is not known it is made of drawn words.
type randomDataset struct {
	opts    Options
	own     *RandomOptions
	tok     prompts.Tokenizer
	body    func(index, offset, n int) ([]int32, error)
	first   prompts.IDSource // draws the prefix
	draw    prompts.IDSource // draws what a fitting misses
	lengths *randomLengths
	prefix  []int32
	shared  *sharedPrefixes // nil: prompts share no set part
	counted bool            // the tokenizer is the server's own
	prompts *prompts.Ahead[*randomPrompt]
	through *prompts.Through // in place of prompts, with a server's tokenizer
	planned int
	skew    int                  // added to a prompt's index where its ids are chosen
	wanted  func(index int) bool // nil: all are; the prompts of others are not made
}

// randomPrompt is a prompt on its way.
type randomPrompt struct {
	index, input, output, offset int
	prefix                       []int32
	share                        sharedPart
	fit                          *prompts.Fitting
	missing                      int // tokens that must be drawn before it can go on
	err                          error
}

func openRandom(o Options, own *RandomOptions) (Dataset, error) {
	d, err := newRandom(o, own, o.Seed, +1)
	if err != nil || own.BatchSize <= 1 {
		return d, err
	}
	return &grouped{Dataset: d, size: own.BatchSize}, nil
}

// newRandom walks the vocabulary upwards (+1) or downwards (-1).
func newRandom(o Options, own *RandomOptions, seed uint64, direction int) (*randomDataset, error) {
	special, vocab := vocabularyOf(o.Tokenizer)
	lengths, err := newRandomLengths(o.NumPrompts, own, seed, special, vocab)
	if err != nil {
		return nil, err
	}
	d, err := newRandomOf(o, own, lengths, direction, prompts.Vocabulary.SpecialIDs)
	if err != nil {
		return nil, err
	}
	d.shared = newSharedPrefixes(d, seed)
	d.sideBySide()
	return d, nil
}

// sideBySide has prompts made several at a time where the tokenizer is the server's. Nothing else may draw from their stream.
func (d *randomDataset) sideBySide() {
	if _, known := d.tok.(prompts.Vocabulary); known || !d.counted {
		return
	}
	d.through = prompts.NewThrough(d.tok, d.lengths.rest, d.lengths.usual(), func() (*prompts.ThroughText, bool) {
		p, ok := d.plan()
		if !ok {
			return nil, false
		}
		return &prompts.ThroughText{Of: p, Before: p.prefix, N: p.input - p.share.tokens, Want: max(d.own.PrefixLen, 0) + p.input, Err: p.err}, true
	})
}

// next is the next prompt; it may miss tokens.
func (d *randomDataset) next() (*randomPrompt, bool) {
	if d.through == nil {
		return d.prompts.Next()
	}
	t, ok := d.through.Next()
	if !ok {
		return nil, false
	}
	p := t.Of.(*randomPrompt)
	p.fit, p.err = t.Fit, t.Err
	return p, true
}

// vocabularyOf is how many special tokens a tokenizer adds to a text, and how many tokens it knows.
func vocabularyOf(t prompts.Tokenizer) (special, vocab int) {
	if known, ok := t.(prompts.Vocabulary); ok {
		return known.NumSpecialTokensToAdd(), known.VocabSize()
	}
	return 0, len(prompts.Words)
}

// newRandomOf makes prompts of lengths that are drawn already, of all ids but those left out.
func newRandomOf(o Options, own *RandomOptions, lengths *randomLengths, direction int, leftOut func(prompts.Vocabulary) []int32) (*randomDataset, error) {
	d := &randomDataset{opts: o, own: own, tok: o.Tokenizer, counted: o.Tokenizer != nil, lengths: lengths}
	if d.tok == nil {
		d.tok = prompts.WordTokenizer{}
	}
	known, isKnown := d.tok.(prompts.Vocabulary)
	if isKnown {
		d.walkVocabulary(known, direction, leftOut(known))
	} else {
		d.drawWords()
	}
	d.prompts = prompts.NewAhead(d.lengths.usual()+own.PrefixLen, d.plan, d.run)
	if !isKnown {
		d.prompts.Workers = 0 // every prompt draws its ids from the one stream
	}
	return d, d.makePrefix()
}

// walkVocabulary is vLLM's way.
func (d *randomDataset) walkVocabulary(v prompts.Vocabulary, direction int, leftOut []int32) {
	allowed := idsWithout(leftOut, v.VocabSize())
	d.body = func(index, offset, n int) ([]int32, error) {
		ids := make([]int32, n)
		size := len(allowed)
		for j := range ids {
			at := direction * (offset + index + j) % size
			ids[j] = allowed[(at+size)%size]
		}
		return ids, nil
	}
	g := d.lengths.rest
	// Special ids are kept out of the prefix, but not out of what a fitting misses.
	d.first = func(n int) ([]int32, error) {
		ids := make([]int32, n)
		for i := range ids {
			ids[i] = allowed[g.Integers(0, int64(len(allowed)))]
		}
		return ids, nil
	}
	d.draw = func(n int) ([]int32, error) {
		ids := make([]int32, n)
		for i := range ids {
			ids[i] = int32(g.Integers(0, int64(v.VocabSize())))
		}
		return ids, nil
	}
}

// drawWords is the way without a vocabulary.
func (d *randomDataset) drawWords() {
	d.draw = prompts.DrawThrough(d.tok, d.lengths.rest)
	if !d.counted {
		d.draw = prompts.DrawWords(d.lengths.rest)
	}
	d.first = d.draw
	d.body = func(_, _, n int) ([]int32, error) { return d.draw(n) }
}

func (d *randomDataset) makePrefix() error {
	n := d.own.PrefixLen
	if n <= 0 {
		return nil
	}
	ids, err := d.first(n)
	if err != nil {
		return err
	}
	f := prompts.NewFitting(ids, n)
	if err := f.All(d.tok, d.draw); err != nil {
		return err
	}
	d.prefix = f.Ids
	return nil
}

// plan draws what is random about the next prompt.
func (d *randomDataset) plan() (*randomPrompt, bool) {
	if d.planned == d.opts.NumPrompts {
		return nil, false
	}
	p := &randomPrompt{index: d.planned}
	p.input, p.output, p.offset = d.lengths.next()
	d.planned++
	p.prefix = d.prefix
	if d.shared != nil {
		p.prefix, p.share, p.err = d.shared.next(p.index, p.input)
	}
	return p, true
}

// run makes the prompt, as far as it goes without a draw: nearly always to the end.
func (d *randomDataset) run(p *randomPrompt) {
	if p.err != nil {
		return
	}
	if d.wanted != nil && !d.wanted(p.index) {
		d.passOver(p.input - p.share.tokens)
		return
	}
	body, err := d.body(p.index+d.skew, p.offset, p.input-p.share.tokens)
	if err != nil {
		p.err = err
		return
	}
	p.fit = prompts.NewFitting(slices.Concat(p.prefix, body), max(d.own.PrefixLen, 0)+p.input)
	p.missing, p.err = p.fit.Run(d.tok)
}

// Next implements Source. What a prompt misses is drawn here, in the order of the prompts.
func (d *randomDataset) Next() (*Request, error) {
	p, ok := d.next()
	if !ok {
		return nil, io.EOF
	}
	if p.err != nil {
		return nil, p.err
	}
	if p.fit == nil {
		return &Request{Index: p.index}, nil
	}
	if err := p.fit.Finish(d.tok, p.missing, d.draw); err != nil {
		return nil, err
	}
	r := &Request{Index: p.index, Prompt: p.fit.Text, OutputTokens: p.output, SharedTokens: p.share.seen, Prefix: p.share.prefix}
	if d.shared != nil {
		r.SharedOf = p.input
	}
	if d.counted {
		r.PromptTokens = len(p.fit.Ids)
	}
	return r, nil
}

// want implements Want. Words are drawn one after the other and always fit, so that a prompt
// can be passed over by its draws alone. With a vocabulary it can't: what a prompt misses when it is
// encoded again is drawn from the same stream, and only the encoding tells how much that is.
func (d *randomDataset) want(wanted func(index int) bool) {
	if !d.counted {
		d.wanted = wanted
	}
}

// passOver draws as many words as a prompt has, for the sake of those behind it.
func (d *randomDataset) passOver(n int) {
	for range n {
		d.lengths.rest.Integers(0, int64(len(prompts.Words)))
	}
}

func (d *randomDataset) start() {
	if d.through == nil {
		d.prompts.Start()
	}
}

// Len implements Dataset.
func (d *randomDataset) Len() int { return d.opts.NumPrompts }

// Close implements Dataset.
func (d *randomDataset) Close() error {
	d.prompts.Stop()
	if d.through != nil {
		d.through.Stop()
	}
	return nil
}

// Warmups implements Dataset. A run of ids from another random place could begin
// where a measured one begins and share its whole beginning. Downwards it can
// share one id at most.
func (d *randomDataset) Warmups(n int) ([]*Request, error) {
	if n <= 0 {
		return nil, nil
	}
	o := d.opts
	o.NumPrompts = n
	w, err := newRandom(o, d.own, warmSeed(o.Seed), -1)
	if err != nil {
		return nil, err
	}
	defer w.Close()
	return take(w, n)
}

// take reads n requests.
func take(s Source, n int) ([]*Request, error) {
	requests := make([]*Request, n)
	for i := range requests {
		var err error
		if requests[i], err = s.Next(); err != nil {
			return nil, err
		}
	}
	return requests, nil
}

// ordinaryIDs are the ids of the vocabulary that are not special, ascending.
func ordinaryIDs(v prompts.Vocabulary) []int32 { return ordinaryOf(v, v.VocabSize()) }

// ordinaryOf are those below size.
func ordinaryOf(v prompts.Vocabulary, size int) []int32 { return idsWithout(v.SpecialIDs(), size) }

// idsWithout are the ids below size that are not left out, ascending.
func idsWithout(leftOut []int32, size int) []int32 {
	special := make(map[int32]bool)
	for _, id := range leftOut {
		special[id] = true
	}
	ids := make([]int32, 0, size)
	for id := range int32(size) {
		if !special[id] {
			ids = append(ids, id)
		}
	}
	return ids
}
