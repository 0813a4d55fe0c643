package workload

import (
	"io"
	"math/rand/v2"
	"strconv"
)

// BatchOptions say what batches of one shape are made of.
type BatchOptions struct {
	Size   int // requests of a batch, sent together
	Count  int // batches
	Prompt int // tokens of each prompt, besides Depth
	Output int // tokens to generate
	Depth  int // tokens that the server has computed before, by a request that is not measured; 0: none
	IDs    int // token ids are drawn from 0 up to this
	Seed   uint64
}

// Batches is a dataset of random token ids: exact lengths on any server, without
// a tokenizer. Every prompt is new, so that no prefix cache can answer for the
// model, but for the depth that is put there on purpose.
type Batches struct {
	opt     BatchOptions
	random  *rand.Rand
	index   int
	prefix  [][]byte // of the batch that is being given: the ids of its depth
	warming *rand.Rand
}

// NewBatches makes the dataset. The same seed gives the same ids.
func NewBatches(o BatchOptions) *Batches {
	return &Batches{
		opt: o, prefix: make([][]byte, o.Size),
		random: rand.New(rand.NewPCG(o.Seed, 1)), warming: rand.New(rand.NewPCG(o.Seed, 2)),
	}
}

// rounds is how many groups of Size requests make one batch.
func (b *Batches) rounds() int {
	if b.opt.Depth > 0 {
		return 2 // the depth, then what is measured
	}
	return 1
}

// Next implements Source.
func (b *Batches) Next() (*Request, error) {
	o := &b.opt
	if b.index == o.Count*o.Size*b.rounds() {
		return nil, io.EOF
	}
	member, round := b.index%o.Size, b.index/o.Size%b.rounds()
	r := &Request{Index: b.index, TokenIDs: true, OutputTokens: o.Output, PromptTokens: o.Depth + o.Prompt}
	b.index++
	if o.Depth > 0 && round == 0 {
		b.prefix[member] = appendIDs(b.prefix[member][:0], b.random, o.Depth, o.IDs)
		r.Unmeasured, r.PromptTokens, r.OutputTokens = true, o.Depth, 1
		r.Prompt = list(b.prefix[member])
	} else {
		r.Prompt = list(appendIDs(b.prefix[member], b.random, o.Prompt, o.IDs))
	}
	return r, nil
}

// appendIDs adds n random ids to those that are there.
func appendIDs(ids []byte, random *rand.Rand, n, below int) []byte {
	for range n {
		if len(ids) > 0 {
			ids = append(ids, ',')
		}
		ids = strconv.AppendInt(ids, int64(random.IntN(below)), 10)
	}
	return ids
}

func list(ids []byte) string { return "[" + string(ids) + "]" }

// Len implements Dataset: the measured requests.
func (b *Batches) Len() int { return b.opt.Count * b.opt.Size }

// Warmups implements Dataset: the whole shape with ids of their own.
func (b *Batches) Warmups(n int) ([]*Request, error) {
	warmups := make([]*Request, n)
	for i := range warmups {
		length := b.opt.Depth + b.opt.Prompt
		warmups[i] = &Request{
			Index: i, TokenIDs: true, PromptTokens: length, OutputTokens: b.opt.Output,
			Prompt: list(appendIDs(nil, b.warming, length, b.opt.IDs)),
		}
	}
	return warmups, nil
}

// Close implements Dataset.
func (b *Batches) Close() error { return nil }
