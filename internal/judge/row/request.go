package row

import (
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/inferometer/inferometer/internal/journal"
)

// Request is a request in a pass over a journal: its line, its row, and its events
// read by the same rules. Its memory is used for the next one, so that a collector
// keeps no more of it than a copy of Row.
type Request struct {
	*journal.Request
	Row      Row
	Chunks   []int64     // when its token chunks came, in nanoseconds since Sent
	Texts    int         // token chunks that carry text, reasoning or a tool call
	TokensBy TokenSource // how the tokens of single events are known

	rules    Rules
	tokens   []int // see TokensOf
	mask     journal.EventKind
	arrivals []Arrival
	spread   bool // arrivals are those of this request
}

// Read takes in the next request. The error is that of Rules.Read.
func (r *Request) Read(u Rules, req *journal.Request) error {
	r.Request, r.rules, r.Chunks, r.spread = req, u, r.Chunks[:0], false
	if err := CheckShape(req); err != nil {
		return err
	}
	r.Row, r.Texts = u.derive(req, &r.Chunks)
	r.tokens, r.mask, r.TokensBy = TokensOf(req)
	return nil
}

// Complete says that the request succeeded by our rules, whichever are in force.
func (r *Request) Complete() bool { return r.Outcome == journal.Complete }

// Gaps are the times between token chunks, each with the moment at which it ended, on
// the run's clock.
func (r *Request) Gaps() iter.Seq2[int64, int64] {
	return func(yield func(end, gap int64) bool) {
		for i := 1; i < len(r.Chunks); i++ {
			if !yield(r.Sent+r.Chunks[i], r.Chunks[i]-r.Chunks[i-1]) {
				return
			}
		}
	}
}

// TextGaps are the times between token chunks that carry something of the answer.
func (r *Request) TextGaps() iter.Seq[int64] {
	return func(yield func(gap int64) bool) {
		gap, begun := int64(0), false
		for i, at := range r.Events.At {
			gap += at
			if r.Events.Kind[i]&CarriesText == 0 {
				continue
			}
			if begun && !yield(gap) {
				return
			}
			begun, gap = true, 0
		}
	}
}

// Arrival is some tokens of an answer and the moment at which they came, on the run's clock.
type Arrival struct {
	At     int64
	Tokens int
}

// Arrivals are the tokens of the answer in time; see eachArrival. vLLM's rules count
// chunks in their place. The list is valid until the next Read.
func (r *Request) Arrivals() []Arrival {
	if r.spread {
		return r.arrivals
	}
	r.arrivals, r.spread = r.arrivals[:0], true
	if r.rules.VLLM {
		for _, at := range r.Chunks {
			r.arrivals = append(r.arrivals, Arrival{r.Sent + at, 1})
		}
		return r.arrivals
	}
	r.eachArrival(func(at int64, n int) { r.arrivals = append(r.arrivals, Arrival{r.Sent + at, n}) })
	return r.arrivals
}

// EachTokens calls f for each event with tokens, with the time since the one before and
// its number of tokens, where these are known.
func (r *Request) EachTokens(f func(gap int64, n int, first bool)) {
	if r.TokensBy == TokensUnknown {
		return
	}
	EachTokens(&r.Events, r.tokens, r.mask, func(_, gap int64, n int, first bool) { f(gap, n, first) })
}

// Collector takes in the requests of a run, one by one, warm-ups among them.
type Collector interface {
	Add(r *Request) error
}

// Missing is a collector that also wants to see the requests of a fleet of which nothing is
// known but that they were planned: those that are lost or unsent. They have no row.
type Missing interface {
	Missing(r *journal.Request) error
}

// Runs is a collector that wants to know whose requests come before the first one does.
type Runs interface {
	Begin(run *journal.Run)
}

// Conversations is a collector that also wants to see how conversations ended.
type Conversations interface {
	Conversation(c *journal.Conversation)
}

// missing shows one to those who want to see it.
func missing(r *journal.Request, to []Collector) error {
	for _, c := range to {
		if m, ok := c.(Missing); ok {
			if err := m.Missing(r); err != nil {
				return err
			}
		}
	}
	return nil
}

// Pass reads requests to io.EOF and shows each to all collectors, in their order.
func Pass(next func() (*journal.Request, error), u Rules, to ...Collector) error {
	var r Request
	for {
		req, err := next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("reading the journal: %w", err)
		}
		if req.Outcome.Missing() {
			if err := missing(req, to); err != nil {
				return err
			}
			continue
		}
		if err := r.Read(u, req); err != nil {
			return err
		}
		for _, c := range to {
			if err := c.Add(&r); err != nil {
				return err
			}
		}
	}
}
