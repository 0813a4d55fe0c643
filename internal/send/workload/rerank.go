package workload

import (
	"errors"
	"io"

	"github.com/inferometer/inferometer/internal/compat/numpy"
	"github.com/inferometer/inferometer/internal/option"
	"github.com/inferometer/inferometer/internal/send/workload/lengths"
	"github.com/inferometer/inferometer/internal/send/workload/prompts"
)

var randomRerank = NewKind(Kind{
	Name: "random-rerank", Doc: "A query with documents to be ranked, of exact token lengths.", Holds: Inputs,
}, openRerank)

// RerankOptions shape the dataset random-rerank. The input length is that of the query
// and one document together, as a reranker reads them.
type RerankOptions struct {
	InputLen   int                `json:"input_len" flag:"random-input-len" common:"true" follows:"input-len" default:"1024" min:"0" help:"tokens of a prompt."`
	RangeRatio lengths.RangeRatio `json:"range_ratio" flag:"random-range-ratio" default:"0" metavar:"X" help:"lengths vary by this share up and down, from 0 to below 1."`
	BatchSize  int                `json:"batch_size" flag:"random-batch-size" default:"1" min:"1" help:"documents in one request."`
	NoReranker bool               `json:"no_reranker" flag:"no-reranker" help:"the model embeds query and documents one by one; all have the input length."`
}

// Check implements [option.Checker].
func (o *RerankOptions) Check() error {
	switch err := o.RangeRatio.CheckRange(); {
	case err != nil:
		return option.Errorf("range_ratio", "%s", err.Error())
	case o.NoReranker && o.BatchSize < 2:
		return option.Errorf("batch_size", "must be at least 2 with %s, not %d: it counts the query too", option.Ref("no_reranker"), o.BatchSize)
	}
	return nil
}

// CheckWith holds the options against those of the run.
func (o *RerankOptions) CheckWith(all *Options) error {
	if o.NoReranker && all.NumPrompts < 2 {
		return option.Errorf("num_prompts", "must be at least 2 with %s: the query is one of them", option.Ref("no_reranker"))
	}
	return nil
}

func openRerank(o Options, own *RerankOptions) (Dataset, error) {
	return newRerank(o, own, o.Seed, +1)
}

// newRerank draws in vLLM's order: the query's length, the documents' lengths, and then
// what query and documents miss.
func newRerank(o Options, own *RerankOptions, seed uint64, direction int) (Dataset, error) {
	special, vocab := vocabularyOf(o.Tokenizer)
	between := 1 // a reranker's token between query and document
	shape := &RandomOptions{InputLen: own.InputLen/2 - between, RangeRatio: own.RangeRatio}
	size := own.BatchSize
	if own.NoReranker {
		between, shape.InputLen = 0, own.InputLen
		o.NumPrompts, size = o.NumPrompts-1, size-1
	}
	g := numpy.NewGenerator(seed)
	ofQuery, err := lengthsFrom(g, 1, shape, special, vocab)
	if err != nil {
		return nil, err
	}
	queryLen, _, offset := ofQuery.next()
	docs := &RandomOptions{InputLen: own.InputLen, RangeRatio: own.RangeRatio}
	if !own.NoReranker {
		docs.InputLen -= queryLen + between
	}
	lengths, err := lengthsFrom(g, o.NumPrompts, docs, special, vocab)
	if err != nil {
		return nil, err
	}
	d, err := newRandomOf(o, docs, lengths, direction, prompts.Vocabulary.SpecialIDs)
	if err != nil {
		return nil, err
	}
	d.skew = 1 // the query is the first
	query, err := d.text(0, offset, queryLen)
	if err != nil {
		return nil, err
	}
	d.sideBySide()
	all := &grouped{Dataset: d, size: size, query: query.Text, eachTime: !own.NoReranker}
	if d.counted {
		all.queryTokens = len(query.Ids)
	}
	return &rerank{all, o, own}, nil
}

// text makes one prompt by itself.
func (d *randomDataset) text(index, offset, n int) (*prompts.Fitting, error) {
	ids, err := d.body(index, offset, n)
	if err != nil {
		return nil, err
	}
	f := prompts.NewFitting(ids, n)
	return f, f.All(d.tok, d.draw)
}

type rerank struct {
	*grouped
	opts Options
	own  *RerankOptions
}

// Warmups implements Dataset: another query with other documents.
func (r *rerank) Warmups(n int) ([]*Request, error) {
	if n <= 0 {
		return nil, nil
	}
	o := r.opts
	o.NumPrompts = n * r.size
	if r.own.NoReranker {
		o.NumPrompts++
	}
	w, err := newRerank(o, r.own, warmSeed(o.Seed), -1)
	if err != nil {
		return nil, err
	}
	defer w.Close()
	return take(w, n)
}

// grouped puts several prompts of a dataset into one request.
type grouped struct {
	Dataset
	size int
	next int

	// With a query, each request begins with it. A reranker reads it with each
	// document anew, and a token between the two.
	query       string
	queryTokens int
	eachTime    bool
}

// Next implements Source.
func (g *grouped) Next() (*Request, error) {
	var docs []*Request
	for len(docs) < g.size {
		r, err := g.Dataset.Next()
		if errors.Is(err, io.EOF) && len(docs) > 0 {
			break
		}
		if err != nil {
			return nil, err
		}
		docs = append(docs, r)
	}
	r := g.together(docs, g.next)
	g.next++
	return r, nil
}

func (g *grouped) together(docs []*Request, index int) *Request {
	r := &Request{Index: index}
	counted := true
	if g.query != "" {
		r.Inputs, r.PromptTokens = append(r.Inputs, g.query), g.queryTokens
		if g.eachTime {
			r.PromptTokens = (g.queryTokens + 1) * len(docs)
		}
	}
	for _, d := range docs {
		r.Inputs = append(r.Inputs, d.Prompt)
		r.PromptTokens += d.PromptTokens
		counted = counted && d.PromptTokens > 0
	}
	if !counted {
		r.PromptTokens = 0
	}
	r.Prompt = r.Inputs[0]
	return r
}

// Len implements Dataset.
func (g *grouped) Len() int { return (g.Dataset.Len() + g.size - 1) / g.size }

// Warmups implements Dataset.
func (g *grouped) Warmups(n int) ([]*Request, error) {
	docs, err := g.Dataset.Warmups(n * g.size)
	if err != nil {
		return nil, err
	}
	warm := make([]*Request, n)
	for i := range warm {
		warm[i] = g.together(docs[i*g.size:(i+1)*g.size], i)
	}
	return warm, nil
}

func (g *grouped) start() { Start(g.Dataset) }
