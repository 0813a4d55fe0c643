package workload

import (
	"io"
	"math"
	"slices"

	"github.com/inferometer/inferometer/internal/compat/numpy"
	"github.com/inferometer/inferometer/internal/option"
	"github.com/inferometer/inferometer/internal/send/workload/prompts"
)

// unboundedPrefixed is how many prompts a run that ends by time prepares for: all
// are drawn before the first is sent.
const unboundedPrefixed = 1 << 15

var prefixRepetition = NewKind(Kind{
	Name: "prefix_repetition", Doc: "Prompts that share a few prefixes, for what a prefix cache does.", Most: unboundedPrefixed,
	SharedKeys: []string{keyDisableShuffle},
}, openPrefixRepetition)

// PrefixRepetitionOptions shape the prefix_repetition dataset.
type PrefixRepetitionOptions struct {
	PrefixLen   int `json:"prefix_len" flag:"prefix-repetition-prefix-len" default:"256" min:"0" help:"tokens of a prefix."`
	SuffixLen   int `json:"suffix_len" also:"input_len" flag:"prefix-repetition-suffix-len" default:"256" min:"0" help:"tokens after the prefix."`
	NumPrefixes int `json:"num_prefixes" flag:"prefix-repetition-num-prefixes" default:"10" min:"1" help:"how many prefixes."`
	OutputLen   int `json:"output_len" flag:"prefix-repetition-output-len" follows:"output-len" default:"128" min:"1" help:"tokens to generate."`
	// Zipf is ours: vLLM's prefixes are all as frequent.
	Zipf float64 `json:"prefix_zipf,omitempty" flag:"prefix-repetition-zipf" default:"0" min:"0" max:"10" help:"how unequal prefixes are: the k-th is drawn in proportion to 1/k to this power. 0: all equally often."`
}

// Check implements [option.Checker].
func (o *PrefixRepetitionOptions) Check() error {
	if o.PrefixLen+o.SuffixLen == 0 {
		return option.Errorf("suffix_len", "and %s can't both be 0: the prompt would be empty", option.Ref("prefix_len"))
	}
	return nil
}

// CheckWith looks at the options beside those of all datasets.
func (o *PrefixRepetitionOptions) CheckWith(all *Options) error {
	if all.NumPrompts < o.NumPrefixes {
		return option.Errorf("num_prompts", "must be at least %s, and %d is below %d", option.Ref("num_prefixes"), all.NumPrompts, o.NumPrefixes)
	}
	return nil
}

// prefixDataset makes prompts that share a few prefixes, to see what a prefix
// cache does. All ids are drawn before the first request, since vLLM shuffles the
// requests and draws the arrival times from the same stream behind them; so they
// are held, four bytes an id, and become text when they are due.
type prefixDataset struct {
	opts     Options
	own      *PrefixRepetitionOptions
	tok      prompts.Tokenizer
	counted  bool
	prefixes [][]int32
	suffixes [][]int32 // of all prefixes, one after the other
	of       []int32   // the prefix of each suffix
	order    []int32
	legacy   *numpy.RandomState
	random   *numpy.Python // as the shuffle left it
	next     int
	begun    []bool                      // of each prefix: a prompt had it
	texts    *prompts.Ahead[*prefixText] // nil: each is made when it is due
}

func openPrefixRepetition(o Options, own *PrefixRepetitionOptions) (Dataset, error) {
	return newPrefixRepetition(o, own, o.Seed)
}

func newPrefixRepetition(o Options, p *PrefixRepetitionOptions, seed uint64) (*prefixDataset, error) {
	d := &prefixDataset{opts: o, own: p, tok: o.Tokenizer, counted: o.Tokenizer != nil}
	exact, stop := d.source(seed)
	defer stop()
	for k, n := range p.counts(o.NumPrompts) {
		prefix, err := exact(p.PrefixLen)
		if err != nil {
			return nil, err
		}
		d.prefixes = append(d.prefixes, prefix)
		for range n {
			suffix, err := exact(p.SuffixLen)
			if err != nil {
				return nil, err
			}
			d.suffixes, d.of = append(d.suffixes, suffix), append(d.of, int32(k))
		}
	}
	d.begun = make([]bool, p.NumPrefixes)
	d.shuffle(seed)
	d.readAhead()
	return d, nil
}

// counts is how many prompts have each prefix: all the same number, as vLLM does it, or by Zipf's law. Each has at least one.
func (o *PrefixRepetitionOptions) counts(prompts int) []int {
	list := make([]int, o.NumPrefixes)
	if o.Zipf == 0 {
		for k := range list {
			list[k] = prompts / o.NumPrefixes
		}
		return list
	}
	all := 0.0
	for k := range list {
		all += math.Pow(float64(k+1), -o.Zipf)
	}
	spare, left := float64(prompts-o.NumPrefixes), prompts
	for k := range list {
		list[k] = 1 + int(spare*math.Pow(float64(k+1), -o.Zipf)/all)
		left -= list[k]
	}
	list[0] += left // what rounding has left
	return list
}

// source gives runs of ids of exact lengths. With a server's tokenizer they are made several side by side.
func (d *prefixDataset) source(seed uint64) (exact prompts.IDSource, stop func()) {
	_, known := d.tok.(prompts.Vocabulary)
	if known || !d.counted {
		draw := d.draws(seed)
		return func(n int) ([]int32, error) { return exactIDs(d.tok, draw, n) }, func() {}
	}
	var lengths []int
	for _, n := range d.own.counts(d.opts.NumPrompts) {
		lengths = append(append(lengths, d.own.PrefixLen), slices.Repeat([]int{d.own.SuffixLen}, n)...)
	}
	planned := 0
	t := prompts.NewThrough(d.tok, numpy.NewGenerator(seed), d.own.SuffixLen, func() (*prompts.ThroughText, bool) {
		if planned == len(lengths) {
			return nil, false
		}
		n := lengths[planned]
		planned++
		return &prompts.ThroughText{N: n, Want: n}, true
	})
	return func(int) ([]int32, error) {
		text, ok := t.Next()
		if !ok {
			return nil, io.ErrUnexpectedEOF // as many are planned as are asked for
		}
		if text.Err != nil {
			return nil, text.Err
		}
		return text.Fit.Ids, nil
	}, t.Stop
}

// readAhead has the texts made side by side where each is a question to the server.
func (d *prefixDataset) readAhead() {
	if _, known := d.tok.(prompts.Vocabulary); known || !d.counted {
		return
	}
	planned := 0
	d.texts = prompts.NewAhead(d.own.PrefixLen+d.own.SuffixLen, func() (*prefixText, bool) {
		if planned == len(d.order) {
			return nil, false
		}
		planned++
		return &prefixText{ids: d.ids(planned - 1)}, true
	}, func(t *prefixText) { t.text, t.err = d.tok.Decode(t.ids) })
	d.texts.Workers, d.texts.Window = prompts.ThroughAtOnce, 2*prompts.ThroughAtOnce
}

// prefixText is a prompt's text on its way.
type prefixText struct {
	ids  []int32
	text string
	err  error
}

// ids are those of the prompt at a place in the order.
func (d *prefixDataset) ids(at int) []int32 {
	return slices.Concat(d.prefixes[d.prefix(at)], d.suffixes[d.order[at]])
}

// prefix is which one the prompt at a place in the order begins with.
func (d *prefixDataset) prefix(at int) int { return int(d.of[d.order[at]]) }

// text is the next prompt.
func (d *prefixDataset) text() *prefixText {
	if d.texts == nil {
		t := &prefixText{ids: d.ids(d.next)}
		t.text, t.err = d.tok.Decode(t.ids)
		return t
	}
	t, ok := d.texts.Next()
	if !ok {
		return &prefixText{err: io.EOF}
	}
	return t
}

// draws draws ids: with a known vocabulary from all of it, as vLLM does.
func (d *prefixDataset) draws(seed uint64) prompts.IDSource {
	switch v := d.tok.(type) {
	case prompts.Vocabulary:
		d.legacy = numpy.NewRandomState(seed)
		return func(n int) ([]int32, error) {
			ids := make([]int32, n)
			for i := range ids {
				ids[i] = int32(d.legacy.Randint(0, int64(v.VocabSize())))
			}
			return ids, nil
		}
	default:
		d.tok = prompts.WordTokenizer{}
		return prompts.DrawWords(numpy.NewGenerator(seed))
	}
}

// exactIDs draws n ids whose text has n tokens.
func exactIDs(t prompts.Tokenizer, draw prompts.IDSource, n int) ([]int32, error) {
	ids, err := draw(n)
	if err != nil {
		return nil, err
	}
	f := prompts.NewFitting(ids, n)
	err = f.All(t, draw)
	return f.Ids, err
}

func (d *prefixDataset) shuffle(seed uint64) {
	d.order = make([]int32, len(d.suffixes))
	for i := range d.order {
		d.order[i] = int32(i)
	}
	d.random = numpy.NewPython(seed)
	if d.opts.DisableShuffle {
		return
	}
	d.random.Shuffle(len(d.order), func(i, j int) {
		d.order[i], d.order[j] = d.order[j], d.order[i]
	})
}

// Next implements Source.
func (d *prefixDataset) Next() (*Request, error) {
	if d.next == len(d.order) {
		return nil, io.EOF
	}
	t := d.text()
	if t.err != nil {
		return nil, t.err
	}
	r := &Request{Index: d.next, Prompt: t.text, OutputTokens: d.own.OutputLen, NoID: true, Prefix: d.prefix(d.next) + 1}
	if d.counted {
		r.PromptTokens = len(t.ids)
	}
	r.SharedOf = len(t.ids)
	if d.begun[r.Prefix-1] {
		r.SharedTokens = d.own.PrefixLen
	}
	d.begun[r.Prefix-1] = true
	d.next++
	return r, nil
}

// Len implements Dataset: a multiple of the number of prefixes.
func (d *prefixDataset) Len() int { return len(d.order) }

// Close implements Dataset.
func (d *prefixDataset) Close() error {
	if d.texts != nil {
		d.texts.Stop()
	}
	return nil
}

func (d *prefixDataset) pythonState() *numpy.Python { return d.random.Clone() }

func (d *prefixDataset) numPyState() *numpy.RandomState {
	if d.legacy == nil {
		return nil
	}
	return d.legacy.Clone()
}

// Warmups implements Dataset: other prefixes and other suffixes.
func (d *prefixDataset) Warmups(n int) ([]*Request, error) {
	if n <= 0 {
		return nil, nil
	}
	o := d.opts
	o.NumPrompts = max(n, d.own.NumPrefixes)
	if rest := o.NumPrompts % d.own.NumPrefixes; rest != 0 {
		o.NumPrompts += d.own.NumPrefixes - rest
	}
	w, err := newPrefixRepetition(o, d.own, warmSeed(o.Seed))
	if err != nil {
		return nil, err
	}
	defer w.Close()
	return take(w, n)
}
