// Package wire moves bytes: it sends a request and says when each piece of the answer
// arrived, by the kernel's clock where it can. What the bytes mean is package
// protocol's business, and whether a request was a success is load's.
package wire

import (
	"context"
	"errors"
	"io"
	"time"
)

// Request is one HTTP POST, ready to be sent. Do takes its Body, and lets go of it when it is written: an answer may take
// much longer, and thousands may be waited for.
type Request struct {
	URL     string
	ID      string // x-request-id; empty for none
	Session Session
	Trace   string // traceparent; empty for none
	Body    []byte
	Timeout time.Duration // for the whole exchange; 0: none
	// HangUp is how long after all of it was written the exchange is ended on purpose, with ErrHungUp; 0: it is not.
	HangUp time.Duration
}

// Session is a header that the requests of one conversation share, by which a router
// finds the server that knows it. Without a value none is sent.
type Session struct{ Header, Value string }

// ErrTimeout: a request was not over within its timeout.
var ErrTimeout = errors.New("timeout")

// ErrHungUp: a request was ended on purpose. See Request.HangUp.
var ErrHungUp = errors.New("hung up")

// errEarlyEnd: the connection closed before the response was whole.
var errEarlyEnd = io.ErrUnexpectedEOF

// Header gives a header's value by its canonical name, as http.Header does.
type Header interface{ Get(name string) string }

// Sink receives an answer as it arrives. Its methods are called in order, by
// one goroutine at a time.
type Sink interface {
	// Head is called once, when the status and the headers are there.
	Head(status int, header Header, at Stamp)
	// Body is called for each read of the body; data is valid only during the
	// call. True means that no more is wanted. Without data it says that the read of
	// this stamp brought something else behind the data: a part of what comes next, or
	// the body's end. Its answer does not count then.
	Body(data []byte, at Stamp) (enough bool)
}

// Conn is what a transport knows about the connection that it used.
type Conn struct {
	New        bool // opened inside this request
	Reconnects int  // kept connections that turned out to be closed before a byte was sent
	Unstamped  int  // reads for which the kernel gave no time
	// Retransmits counts segments of this request that the kernel had to send again; -1: not known.
	Retransmits int
	// Reordered counts segments of the answer that came before an earlier one: that
	// was lost on its way to us, or overtaken; -1: not known.
	Reordered int
	// Opened is how long opening the connection took, TLS with it; 0: it was kept.
	Opened time.Duration
	// Written is when the kernel had taken all of the request, by the run's clock; 0: not known.
	Written int64
	// RTT is the shortest round trip that the kernel saw on the connection; 0: not known.
	RTT time.Duration
}

// segments is what the kernel counts of a connection since it was opened; -1: not told.
type segments struct {
	resent, reordered int
	rtt               time.Duration // the shortest; 0: not known
}

var unknownSegments = segments{resent: -1, reordered: -1}

// since is what came in between; not known if one of the two isn't.
func (s segments) since(before segments) segments {
	if s == unknownSegments || before == unknownSegments {
		return unknownSegments
	}
	return segments{s.resent - before.resent, s.reordered - before.reordered, s.rtt}
}

// Transport sends requests. Do returns when the exchange is over: nil when the
// answer was read to its end or the sink had enough, ErrTimeout, or the cause of
// ctx when that ended it. It may be called by many goroutines at once. There is
// no retry of anything that was sent.
type Transport interface {
	Do(ctx context.Context, r *Request, sink Sink) (Conn, error)
	// Stamps is "kernel" or "user": whose clock the stamps are read from.
	Stamps() string
	Close()
}
