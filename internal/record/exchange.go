package record

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/inferometer/inferometer/internal/clock"
	"github.com/inferometer/inferometer/internal/send/protocol"
	"github.com/inferometer/inferometer/internal/send/protocol/stream"
	"github.com/inferometer/inferometer/internal/send/wire"
)

// What is kept of requests that have not been written down; what passes has no bound.
const (
	mostBody = 32 << 20  // of one
	mostKept = 512 << 20 // of all together
)

// exchange is a request and its answer, on the way.
type exchange struct {
	kind    *kind
	seq     uint64
	at      time.Time
	since   time.Duration // the recording's first request
	session string
	request body
	left    func() error // not nil: the client has left

	status  int
	stream  bool           // the answer came in events
	answer  *stream.Stream // nil: it can't be read
	piece   []byte         // heard and not understood yet
	pieceAt int64
	heard   time.Duration // when the last of the answer came, since at
	ended   bool          // the answer came to its end
	err     error         // of the server's side
	took    time.Duration
	gone    bool // the client left before the end
}

// head hears the beginning of an answer.
func (x *exchange) head(status int, h http.Header) {
	x.status = status
	b, stream := x.kind.backendOf(h.Get("Content-Type"))
	x.stream = stream
	if b == nil {
		return
	}
	x.answer = protocol.NewStream(b)
	x.answer.KeepAnswer = true
	x.answer.Head(status, h, wire.Stamp{At: int64(clock.Since(x.at))})
}

// hear takes a copy of what is being passed on.
func (x *exchange) hear(p []byte, err error) {
	if len(p) > 0 {
		x.heard = clock.Since(x.at)
	}
	if x.answer != nil {
		x.piece, x.pieceAt = append(x.piece[:0], p...), int64(x.heard)
	}
	switch {
	case err == nil:
	case errors.Is(err, io.EOF):
		x.ended = true
	default:
		x.broke(err)
	}
}

// understand reads what was heard. What can't be read passes all the same.
func (x *exchange) understand() {
	if x.answer == nil || len(x.piece) == 0 {
		return
	}
	defer func() {
		if recover() != nil { // a reader's error must not become the traffic's
			x.answer = nil
		}
	}()
	x.answer.Body(x.piece, wire.Stamp{At: x.pieceAt})
	x.piece = x.piece[:0]
}

// broke notes that the server's side failed, unless that is because the client left.
func (x *exchange) broke(err error) {
	if x.left() != nil || errors.Is(err, context.Canceled) {
		x.gone = true
		return
	}
	if x.err == nil {
		x.err = err
	}
}

// finish is called when the exchange is over.
func (x *exchange) finish() {
	x.took = clock.Since(x.at)
	if x.ended && x.heard > 0 {
		x.took = x.heard // the client may have gone on before we saw that nothing more comes
	}
	x.understand()
	if x.answer != nil && x.ended {
		func() {
			defer func() {
				if recover() != nil {
					x.answer = nil
				}
			}()
			x.answer.Finish()
		}()
	}
	if !x.ended && x.err == nil {
		x.gone = true
	}
	x.piece = nil
}

// body is a request's body, of which a copy is kept. The transport reads it, maybe still
// when the answer is there.
type body struct {
	io.ReadCloser
	budget *budget

	mu     sync.Mutex
	kept   []byte
	closed bool // nothing more is kept
}

func (b *body) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.mu.Lock()
	if n > 0 && !b.closed {
		if len(b.kept)+n > mostBody || !b.budget.take(n) {
			b.budget.give(len(b.kept))
			b.kept, b.closed = nil, true
		} else {
			b.kept = append(b.kept, p[:n]...)
		}
	}
	b.mu.Unlock()
	return n, err
}

// take gives the copy away; nil: it was too large.
func (b *body) take() []byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	kept := b.kept
	b.budget.give(len(kept))
	b.kept, b.closed = nil, true
	return kept
}

func (b *body) drop() { b.take() }

// budget bounds the bytes of all bodies together.
type budget struct{ left int64 }

func (b *budget) take(n int) bool {
	if atomic.AddInt64(&b.left, -int64(n)) < 0 {
		b.give(n)
		return false
	}
	return true
}

func (b *budget) give(n int) { atomic.AddInt64(&b.left, int64(n)) }

// sessionHeaders name a session in the words of gateways and clients.
var sessionHeaders = []string{"X-Session-Id", "X-Conversation-Id", "X-Chat-Id", "X-Openwebui-Chat-Id", "Session-Id", "Session_id", "X-Dynamo-Session-Id", "X-Session-Affinity"}

// sessionHeader is what a request's headers say of its session. It is hashed before it is kept.
func sessionHeader(h http.Header, own string) string {
	if own != "" {
		if v := h.Get(own); v != "" {
			return strings.ToLower(own) + ":" + v
		}
	}
	for _, name := range sessionHeaders {
		if v := h.Get(name); v != "" {
			return name + ":" + v
		}
	}
	return ""
}
