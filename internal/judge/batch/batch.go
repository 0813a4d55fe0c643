// Package batch measures runs that send batches of one shape, one batch at a time:
// how long each took (as vllm bench latency), and at what rate prompts were computed and
// tokens generated (as llama-bench).
package batch

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/row"
)

// Batch is a group of requests that were sent together.
type Batch struct {
	Size     int // requests that belong to it
	Requests []Request
}

// Request is one request of a batch. Times are nanoseconds on the run's clock.
type Request struct {
	Outcome journal.Outcome
	Error   string

	Sent        int64
	Chunks      []int64 // when its token chunks came
	Prompt      int     // tokens of the prompt, as the server counted, else as planned
	Cached      int     // of these from the server's cache, as far as it says
	Output      int     // tokens generated
	FirstTokens int     // of these in the first chunk

	ServerPromptNs, ServerOutputNs int64 // the server's own times; 0: it gives none
}

// Journal is a journal to read; see row.Pass.
type Journal interface {
	Run() *journal.Run
	Next() (*journal.Request, error)
}

// Read groups the requests of a journal whose load sent size at a time. Warm-ups are
// left out. A request is in batch number Index/size, whenever it ended.
func Read(j Journal, size int) ([]Batch, error) {
	if size < 1 {
		return nil, errors.New("the journal is not of a run that sent batches")
	}
	c := &collector{size: size, byNumber: map[int]*Batch{}}
	if err := row.Pass(j.Next, row.NewRules(&j.Run().Options, ""), c); err != nil {
		return nil, err
	}
	var batches []Batch
	for _, n := range slices.Sorted(maps.Keys(c.byNumber)) {
		batches = append(batches, *c.byNumber[n])
	}
	return batches, nil
}

type collector struct {
	size     int
	byNumber map[int]*Batch
}

// Add takes in a request.
func (c *collector) Add(r *row.Request) error {
	if r.Warmup {
		return nil
	}
	n := r.Index / c.size
	if c.byNumber[n] == nil {
		c.byNumber[n] = &Batch{Size: c.size}
	}
	c.byNumber[n].Requests = append(c.byNumber[n].Requests, newRequest(r))
	return nil
}

func newRequest(r *row.Request) Request {
	one := Request{
		Outcome: r.Outcome, Error: r.Error, Sent: r.Sent,
		Prompt: int(r.Row.Prompt), Cached: r.UsageCached, Output: int(r.Row.Got), FirstTokens: 1,
		ServerPromptNs: r.ServerPromptNs, ServerOutputNs: r.ServerOutputNs,
	}
	for _, at := range r.Chunks {
		one.Chunks = append(one.Chunks, r.Sent+at)
	}
	for i, kind := range r.Events.Kind {
		if kind&journal.EventChoices != 0 {
			if r.Events.Tokens != nil && r.Events.Tokens[i] > 0 {
				one.FirstTokens = r.Events.Tokens[i]
			}
			break
		}
	}
	return one
}

// Failure says why a batch can't be counted; nil when all its requests are complete.
func (b *Batch) Failure() error {
	for i := range b.Requests {
		switch r := &b.Requests[i]; {
		case r.Outcome != journal.Complete:
			return fmt.Errorf("%s: %s", r.Outcome, r.Error)
		case len(r.Chunks) == 0:
			return errors.New("complete, but not one token chunk came")
		}
	}
	if len(b.Requests) < b.Size {
		return fmt.Errorf("%d of its %d requests were sent", len(b.Requests), b.Size)
	}
	return nil
}

// shorter says which request generated fewer tokens than it should have.
func (b *Batch) shorter(tokens int) error {
	for i := range b.Requests {
		if n := b.Requests[i].Output; n < tokens {
			return fmt.Errorf("%d of %d tokens", n, tokens)
		}
	}
	return nil
}

// Sent is when the first request of the batch went out. Failure must be nil, as for all below.
func (b *Batch) Sent() int64 {
	return least(b.Requests, func(r *Request) int64 { return r.Sent })
}

// Prefill is the time from the first request to the first token of the slowest.
func (b *Batch) Prefill() int64 { return b.allStarted() - b.Sent() }

// Latency is the time from the first request to the last token of the slowest.
func (b *Batch) Latency() int64 {
	return -least(b.Requests, func(r *Request) int64 { return -r.Chunks[len(r.Chunks)-1] }) - b.Sent()
}

func (b *Batch) allStarted() int64 {
	return -least(b.Requests, func(r *Request) int64 { return -r.Chunks[0] })
}

// Decode is how many tokens came while all requests were generating, and in what
// time: from the moment when the slowest has its first token to the moment when
// the fastest has its last. For one request that is (tokens-1) in the time from the
// first token to the last. There is no such time if the server never had them all
// at work.
func (b *Batch) Decode() (tokens float64, ns int64, err error) {
	from := b.allStarted()
	to := least(b.Requests, func(r *Request) int64 { return r.Chunks[len(r.Chunks)-1] })
	switch {
	case to <= from && b.Size == 1:
		return 0, 0, errors.New("all tokens came at one moment")
	case to <= from:
		return 0, 0, fmt.Errorf("the server never generated for all %d requests at once", b.Size)
	}
	for i := range b.Requests {
		tokens += b.Requests[i].tokensUntil(to) - b.Requests[i].tokensUntil(from)
	}
	return tokens, to - from, nil
}

// tokensUntil is how many tokens after the first chunk were made up to a moment.
// They are spread over the chunks evenly, since a server may hold back half a
// character or send several tokens in one chunk, and between two chunks in time,
// since a token is being worked on all the while.
func (r *Request) tokensUntil(at int64) float64 {
	next, _ := slices.BinarySearch(r.Chunks, at)
	last := len(r.Chunks) - 1
	switch {
	case last == 0 || next == 0:
		return 0
	case next > last:
		return float64(r.Output - r.FirstTokens)
	}
	done := float64(next)
	if gap := r.Chunks[next] - r.Chunks[next-1]; gap > 0 {
		done -= float64(r.Chunks[next]-at) / float64(gap)
	}
	return done * float64(r.Output-r.FirstTokens) / float64(last)
}

func least(requests []Request, of func(*Request) int64) int64 {
	v := of(&requests[0])
	for i := range requests {
		v = min(v, of(&requests[i]))
	}
	return v
}
