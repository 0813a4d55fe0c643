package measure

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/row"
)

// Batch is a group of requests that were sent together.
type Batch struct {
	Size     int // requests that belong to it
	Requests []BatchRequest
}

// BatchRequest is one request of a batch. Times are nanoseconds on the run's clock.
type BatchRequest struct {
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

// Batches groups the requests of a journal whose load sent size at a time.
// Warm-ups are left out. A request is in batch number Index/size, whenever it ended.
func Batches(r Journal, size int) ([]Batch, error) {
	if size < 1 {
		return nil, errors.New("the journal is not of a run that sent batches")
	}
	u := row.NewRules(&r.Run().Options, "")
	byNumber := map[int]*Batch{}
	for {
		req, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		if req.Warmup {
			continue
		}
		one, err := batchRequest(u, req)
		if err != nil {
			return nil, err
		}
		n := req.Index / size
		if byNumber[n] == nil {
			byNumber[n] = &Batch{Size: size}
		}
		byNumber[n].Requests = append(byNumber[n].Requests, one)
	}
	var batches []Batch
	for _, n := range slices.Sorted(maps.Keys(byNumber)) {
		batches = append(batches, *byNumber[n])
	}
	return batches, nil
}

func batchRequest(u row.Rules, req *journal.Request) (BatchRequest, error) {
	r, err := u.Read(req)
	if err != nil {
		return BatchRequest{}, err
	}
	b := BatchRequest{
		Outcome: req.Outcome, Error: req.Error, Sent: req.Sent,
		Prompt: int(r.Prompt), Cached: req.UsageCached, Output: int(r.Got), FirstTokens: 1,
		ServerPromptNs: req.ServerPromptNs, ServerOutputNs: req.ServerOutputNs,
	}
	at := req.Sent
	for i, gap := range req.Events.At {
		at += gap
		if req.Events.Kind[i]&journal.EventChoices == 0 {
			continue
		}
		if len(b.Chunks) == 0 && req.Events.Tokens != nil && req.Events.Tokens[i] > 0 {
			b.FirstTokens = req.Events.Tokens[i]
		}
		b.Chunks = append(b.Chunks, at)
	}
	return b, nil
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
	return least(b.Requests, func(r *BatchRequest) int64 { return r.Sent })
}

// Prefill is the time from the first request to the first token of the slowest.
func (b *Batch) Prefill() int64 { return b.allStarted() - b.Sent() }

// Latency is the time from the first request to the last token of the slowest.
func (b *Batch) Latency() int64 {
	return -least(b.Requests, func(r *BatchRequest) int64 { return -r.Chunks[len(r.Chunks)-1] }) - b.Sent()
}

func (b *Batch) allStarted() int64 {
	return -least(b.Requests, func(r *BatchRequest) int64 { return -r.Chunks[0] })
}

// Decode is how many tokens came while all requests were generating, and in what
// time: from the moment when the slowest has its first token to the moment when
// the fastest has its last. For one request that is (tokens-1) in the time from the
// first token to the last. There is no such time if the server never had them all
// at work.
func (b *Batch) Decode() (tokens float64, ns int64, err error) {
	from := b.allStarted()
	to := least(b.Requests, func(r *BatchRequest) int64 { return r.Chunks[len(r.Chunks)-1] })
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
func (r *BatchRequest) tokensUntil(at int64) float64 {
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

func least(requests []BatchRequest, of func(*BatchRequest) int64) int64 {
	v := of(&requests[0])
	for i := range requests {
		v = min(v, of(&requests[i]))
	}
	return v
}
