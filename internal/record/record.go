// Package record is a reverse proxy in front of an inference server that writes down the
// traffic that passes, as a trace: when each request came, how long prompt and answer were,
// which prompts begin alike, what was asked for and how it ended. Texts are kept only where
// that was asked for; keys and headers never.
//
// Traffic comes first. Nothing of a request or an answer is changed, each read is passed
// on at once, and what can't be recorded is counted and passes all the same. On the path a
// request is only copied, up to a bound; an answer's events are read after they were passed
// on. Hashes, lengths and files are the business of one goroutine behind a bounded queue; where
// neither an answer nor a tokenizer tells a length, the server is asked for it beside the traffic.
package record

import (
	"context"
	"crypto/rand"
	"errors"
	"net"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"github.com/inferometer/inferometer/internal/clock"
)

// Options say what is recorded and where.
type Options struct {
	Target *url.URL
	Files  Files
	// Tokenizer counts tokens and makes blocks of them; nil: blocks are of bytes.
	Tokenizer Tokenizer
	// Counter is asked for lengths that neither traffic nor tokenizer tell; nil: nobody is.
	Counter Counter
	Block   int    // tokens of a block
	Texts   bool   // keep requests and answers
	Session string // a header that names a session, beside the usual ones
	// Say is told what the user must know at once.
	Say func(format string, args ...any)
}

// Tokenizer is what counts tokens. A model's own may also apply a chat template.
type Tokenizer interface {
	Encode(text string) ([]int32, error)
	EncodeWithSpecial(text string) ([]int32, error)
}

// Counts are what has happened so far.
type Counts struct {
	Requests int64 // that were recorded, or are to be
	InFlight int64
	Others   int64 // that passed and are not recorded: other paths
	Failed   int64 // of Requests, those without a whole answer
	Unknown  int64 // of Requests, those that a replay would send if their lengths were known
	Written  int64 // rows in files
	Lost     int64 // rows that are in no file
}

// queued bounds the exchanges that wait to be written down.
const queued = 4096

// Recorder is the proxy.
type Recorder struct {
	opts  Options
	clock time.Time // any moment with a monotonic reading
	proxy http.Handler
	idle  func() // closes idle connections to the server

	mu    sync.Mutex // orders arrivals
	first time.Time  // of the first request
	order order

	queue  chan *exchange
	done   chan struct{}
	kept   budget
	counts struct{ requests, inFlight, others, failed, unknown, written, lost atomic.Int64 }
	told   atomic.Int64 // when the user was told of losses, in seconds
	broken atomic.Bool  // files can't be written any more
	hurry  func()       // nothing more is asked of the server
}

// New makes a recorder and its first file.
func New(o Options) (*Recorder, error) {
	secret := make([]byte, 32)
	if _, err := rand.Read(secret); err != nil {
		return nil, err
	}
	files, err := openFiles(o.Files)
	if err != nil {
		return nil, err
	}
	r := &Recorder{opts: o, clock: clock.Now(), queue: make(chan *exchange, queued), done: make(chan struct{}), kept: budget{left: mostKept}}
	r.order.ended = map[uint64]bool{}
	r.proxy, r.idle = newProxy(o.Target)
	asking, hurry := context.WithCancel(context.Background())
	r.hurry = hurry
	w := &writer{r: r, files: files, hash: hasher{secret: secret, block: o.Block}, lineage: newLineage(), asker: newAsker(asking, o.Counter)}
	go w.run()
	return r, nil
}

// Counts tells what has happened so far.
func (r *Recorder) Counts() Counts {
	c := &r.counts
	return Counts{
		Requests: c.requests.Load(), InFlight: c.inFlight.Load(), Others: c.others.Load(), Failed: c.failed.Load(),
		Unknown: c.unknown.Load(), Written: c.written.Load(), Lost: c.lost.Load(),
	}
}

// Serve takes connections until drain is closed, and then waits for what is in flight, or
// until ctx ends. All rows are in their files when it returns.
func (r *Recorder) Serve(ctx context.Context, drain <-chan struct{}, l net.Listener) error {
	base, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	server := &http.Server{Handler: r, ReadHeaderTimeout: time.Minute, ErrorLog: silent, BaseContext: func(net.Listener) context.Context { return base }}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(l) }()
	var err error
	select {
	case err = <-failed:
	case <-drain:
		err = server.Shutdown(ctx)
	case <-ctx.Done():
	}
	cancel() // what is in flight, upgraded connections too
	_ = server.Close()
	for r.counts.inFlight.Load() > 0 { // their handlers see that at once
		time.Sleep(time.Millisecond)
	}
	r.idle()
	close(r.queue)
	defer context.AfterFunc(ctx, r.hurry)()
	<-r.done
	r.hurry()
	if errors.Is(err, http.ErrServerClosed) || errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// ServeHTTP passes a request on and enters it where its path is one that is known.
func (r *Recorder) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	r.counts.inFlight.Add(1)
	defer r.counts.inFlight.Add(-1)
	// Else net/http closes the request's body when the answer begins, under the hands of the
	// transport, which may be about to look for its end and then gives up the connection.
	_ = http.NewResponseController(w).EnableFullDuplex() // a writer that can't needs none
	k := kindOf(q.Method, q.URL.Path)
	if k == nil {
		r.counts.others.Add(1)
		r.proxy.ServeHTTP(w, q)
		return
	}
	x := r.begin(k, q)
	defer r.end(x) // also where net/http's own panic ends a broken answer
	q = q.WithContext(context.WithValue(q.Context(), exchangeKey{}, x))
	x.left = q.Context().Err
	q.Body = &x.request
	r.proxy.ServeHTTP(w, q)
}

// begin enters the arrival of a request.
func (r *Recorder) begin(k *kind, q *http.Request) *exchange {
	x := &exchange{kind: k, session: sessionHeader(q.Header, r.opts.Session)}
	x.request.ReadCloser, x.request.budget = q.Body, &r.kept
	r.mu.Lock()
	x.at = clock.Now()
	if r.first.IsZero() {
		r.first = x.at
	}
	x.since = x.at.Sub(r.first)
	x.seq = r.order.begin()
	r.mu.Unlock()
	r.counts.requests.Add(1)
	return x
}

// end hands over what is known of an exchange. It never waits.
func (r *Recorder) end(x *exchange) {
	x.finish()
	select {
	case r.queue <- x:
	default:
		x.request.drop()
		r.mu.Lock()
		r.order.end(x.seq)
		r.mu.Unlock()
		r.lose(1, "more requests end than can be written down")
	}
}

// lose counts rows that are in no file, and says so at most every ten seconds.
func (r *Recorder) lose(n int64, why string) {
	lost := r.counts.lost.Add(n)
	now, last := int64(clock.Since(r.clock)/time.Second)+1, r.told.Load()
	if (last == 0 || now-last >= 10) && r.told.CompareAndSwap(last, now) {
		r.opts.Say("%d requests are not in the recording: %s; traffic passes all the same", lost, why)
	}
}

// order says which requests have ended, so that rows can be written in the order of arrival.
type order struct {
	next, low uint64 // all below low have ended
	ended     map[uint64]bool
}

func (o *order) begin() uint64 {
	o.next++
	return o.next - 1
}

func (o *order) end(seq uint64) {
	o.ended[seq] = true
	for o.ended[o.low] {
		delete(o.ended, o.low)
		o.low++
	}
}
