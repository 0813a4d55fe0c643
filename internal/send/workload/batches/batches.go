// Package batches is the dataset of bench latency and bench shapes: batches of one shape.
package batches

import (
	"io"
	"math/rand/v2"
	"strconv"

	"github.com/inferometer/inferometer/internal/send/workload"
	"github.com/inferometer/inferometer/internal/send/workload/prompts"
)

// BatchOptions say what batches of one shape are made of.
type BatchOptions struct {
	Size   int    `json:"size"`            // requests of a batch, sent together
	Count  int    `json:"count"`           // batches
	Prompt int    `json:"prompt"`          // tokens of each prompt, besides Depth
	Output int    `json:"output"`          // tokens to generate
	Depth  int    `json:"depth,omitempty"` // tokens that the server has computed before, by a request that is not measured; 0: none
	IDs    int    `json:"ids"`             // token ids are drawn from 0 up to this
	Text   bool   `json:"text,omitempty"`  // prompts are texts of as many common words, for a server that takes no token ids
	Seed   uint64 `json:"seed"`
}

// Batches is a dataset of random token ids: exact lengths on any server, without
// a tokenizer. (As texts they are exact only where each word is one token; the
// server's own count says what they are.) Every prompt is new, so that no prefix cache can answer for the
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
func (b *Batches) Next() (*workload.Request, error) {
	o := &b.opt
	if b.index == o.Count*o.Size*b.rounds() {
		return nil, io.EOF
	}
	member, round := b.index%o.Size, b.index/o.Size%b.rounds()
	r := &workload.Request{Index: b.index, TokenIDs: !o.Text, OutputTokens: o.Output, PromptTokens: o.Depth + o.Prompt}
	b.index++
	if o.Depth > 0 && round == 0 {
		b.prefix[member] = o.draw(b.prefix[member][:0], b.random, o.Depth)
		r.Unmeasured, r.PromptTokens, r.OutputTokens = true, o.Depth, 1
		r.Prompt = o.prompt(b.prefix[member])
	} else {
		r.Prompt = o.prompt(o.draw(b.prefix[member], b.random, o.Prompt))
	}
	return r, nil
}

// draw adds n random ids, or words, to those that are there.
func (o *BatchOptions) draw(tokens []byte, random *rand.Rand, n int) []byte {
	for range n {
		switch {
		case o.Text:
			tokens = append(tokens, ' ')
			tokens = append(tokens, prompts.CommonWords[random.IntN(len(prompts.CommonWords))]...)
			continue
		case len(tokens) > 0:
			tokens = append(tokens, ',')
		}
		tokens = strconv.AppendInt(tokens, int64(random.IntN(o.IDs)), 10)
	}
	return tokens
}

// prompt is what is sent of drawn tokens.
func (o *BatchOptions) prompt(tokens []byte) string {
	if o.Text {
		return string(tokens)
	}
	return "[" + string(tokens) + "]"
}

// Len implements Dataset: the measured requests.
func (b *Batches) Len() int { return b.opt.Count * b.opt.Size }

// Warmups implements Dataset: the whole shape with ids of their own.
func (b *Batches) Warmups(n int) ([]*workload.Request, error) {
	warmups := make([]*workload.Request, n)
	for i := range warmups {
		length := b.opt.Depth + b.opt.Prompt
		warmups[i] = &workload.Request{
			Index: i, TokenIDs: !b.opt.Text, PromptTokens: length, OutputTokens: b.opt.Output,
			Prompt: b.opt.prompt(b.opt.draw(nil, b.warming, length)),
		}
	}
	return warmups, nil
}

// Close implements Dataset.
func (b *Batches) Close() error { return nil }
