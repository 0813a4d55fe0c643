package sim

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/inferometer/inferometer/internal/clock"
	"github.com/inferometer/inferometer/internal/sim/dialect"
	"github.com/inferometer/inferometer/internal/sim/engine"
	"github.com/inferometer/inferometer/internal/sim/socket"
	"github.com/inferometer/inferometer/internal/sim/vocab"
)

// Server is a simulated inference server. Make one with New and end it with
// Close, or let Serve do that.
type Server struct {
	cfg       Config
	tokenizer vocab.Tokenizer
	model     dialect.Model // as dialects know it
	pieces    []vocab.Piece
	engine    engine.Engine
	changes   *engine.Changes
	metrics   *metrics
	transfers *transfers
	life      life
	answers   answerCounts
	truth     *truthLog // nil: none kept
	http      *http.Server
	returns   *socket.Returns
	base      time.Time
	arrivals  atomic.Uint64
	controls  atomic.Uint64 // requests that changed the server
	unknown   atomic.Uint64 // prompts that the answer key does not have

	mu      sync.Mutex
	conns   map[*socket.Conn]bool // taken out of net/http
	closed  bool
	active  sync.WaitGroup // handlers
	closing chan struct{}
	once    sync.Once
	err     error // of writing the truth
}

// New makes a server. The truth is written to truth, unless that is nil, and is
// complete after Close.
func New(cfg Config, truth io.Writer) (*Server, error) {
	if err := cfg.validate(); err != nil {
		return nil, err
	}
	if cfg.Root == "" {
		cfg.Root = cfg.Model
	}
	s := &Server{
		cfg: cfg, tokenizer: cfg.Tokenizer, returns: socket.NewReturns(), base: clock.Now(),
		conns: map[*socket.Conn]bool{}, closing: make(chan struct{}),
	}
	if s.tokenizer == nil {
		s.tokenizer = vocab.NewWordTokenizer()
	}
	var err error
	if s.pieces, err = vocab.NewPieces(s.tokenizer); err != nil {
		return nil, err
	}
	s.model = dialect.Model{Tokenizer: s.tokenizer, MaxLen: cfg.MaxModelLen, DefaultMaxTokens: cfg.DefaultMaxTokens, Framing: cfg.Framing}
	s.metrics = newMetrics(s.base)
	s.transfers, s.life.adapters = newTransfers(&cfg), slices.Clone(cfg.Adapters)
	if err := s.startEngine(); err != nil {
		return nil, err
	}
	if truth != nil {
		s.truth = newTruthLog(truth, cfg.TruthAtOnce)
	}
	s.http = &http.Server{
		Handler: s.Handler(), ErrorLog: log.New(io.Discard, "", 0), ConnContext: socket.WithArrival,
		ReadHeaderTimeout: min(maxHeaderTime, cfg.ReadTimeout), ReadTimeout: cfg.ReadTimeout, IdleTimeout: idleTime,
	}
	s.active.Go(func() { _ = s.http.Serve(s.returns) })
	return s, nil
}

const (
	maxHeaderTime = 30 * time.Second
	// idleTime is how long a connection is kept without a request: through the pauses between runs.
	idleTime = 10 * time.Minute
)

// requestIsIn takes the time limit of reading a request off its connection: the answer
// may take as long as it likes.
func requestIsIn(w http.ResponseWriter) {
	_ = http.NewResponseController(w).SetReadDeadline(time.Time{}) // a writer of a test may have none
}

func (s *Server) startEngine() (err error) {
	s.changes = engine.NewChanges(s.cfg.Changes)
	clock := engine.Clock{Zero: s.base, GoTimers: s.cfg.GoTimers}
	if s.cfg.Engine == EngineBatch {
		s.engine, err = engine.NewBatch(clock, s.cfg.Batch, s.changes)
	} else {
		s.engine, err = engine.NewFixed(clock, engine.FixedConfig{
			TTFT: s.cfg.TTFT, ITL: s.cfg.ITL,
			PrefixCache: s.cfg.CountPrefixes, BlockSize: s.cfg.Batch.BlockSize, NumBlocks: s.cfg.Batch.NumBlocks,
		}, s.changes)
	}
	return err
}

// Serve answers on l until ctx ends. Requests that run then are cut off, or when they have been let run on as
// long as Config.Drain says; their truth says "abort", and the truth is complete when Serve returns. A server
// serves once.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	if s.cfg.TLS {
		return s.ServeTLS(ctx, l)
	}
	return s.serve(ctx, socket.StampArrivals(l))
}

// ServeTLS is Serve under TLS with a certificate made now.
func (s *Server) ServeTLS(ctx context.Context, l net.Listener) error {
	cert, err := selfSigned(clock.Now())
	if err != nil {
		s.Close()
		return err
	}
	// Only HTTP/1.1: a stream takes its connection over.
	return s.serve(ctx, tls.NewListener(l, &tls.Config{
		Certificates: []tls.Certificate{cert},
		NextProtos:   []string{"http/1.1"},
		MinVersion:   tls.VersionTLS12,
	}))
}

func (s *Server) serve(ctx context.Context, l net.Listener) error {
	ended := make(chan error, 1)
	go func() { ended <- s.http.Serve(l) }()
	var err error
	select {
	case <-ctx.Done():
		if s.cfg.Drain > 0 {
			s.drain()
		}
		s.Close()
		<-ended
	case err = <-ended:
		s.Close()
	}
	if errors.Is(err, http.ErrServerClosed) {
		err = nil
	}
	return errors.Join(err, s.err)
}

// Close ends all connections, stops the engine and completes the truth.
// A second call waits for the first.
func (s *Server) Close() { s.once.Do(s.shut) }

func (s *Server) shut() {
	s.mu.Lock()
	s.closed = true
	close(s.closing)
	for c := range s.conns {
		_ = c.Close()
	}
	s.mu.Unlock()
	_ = s.returns.Close()
	_ = s.http.Close()
	s.active.Wait()
	s.engine.Stop()
	s.transfers.link.Close()
	if s.truth != nil {
		s.err = s.truth.shut()
	}
}

// track keeps a list of the connections that net/http no longer knows.
func (s *Server) track(c *socket.Conn, on bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !on {
		delete(s.conns, c)
		return
	}
	s.conns[c] = true
	if s.closed {
		_ = c.Close()
	}
}

// stopping says that the server has been closed.
func (s *Server) stopping() bool {
	select {
	case <-s.closing:
		return true
	default:
		return false
	}
}

// enter counts a handler; false once the server has been closed.
func (s *Server) enter() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.active.Add(1)
	}
	return !s.closed
}

// endRecord enters a finished request in the metrics and the truth. The job is
// nil for a request that no engine saw.
func (s *Server) endRecord(r *Record, j *engine.Job) {
	if j != nil {
		r.CachedTokens = j.Cached
		if j.Started > 0 {
			r.Started = s.base.UnixNano() + j.Started
		}
		s.metrics.end(r)
		if r.unread {
			r.Finish = "abort" // the engine went to its end
		}
	}
	if r.Ended == 0 {
		r.Ended = clock.Now().UnixNano()
	}
	if r.Question != "" && r.CompletionTokens < r.told {
		r.Answer = "cut"
	}
	if r.TextSHA256 == "" {
		r.setTexts("", "", "", false)
	}
	s.answers.add(r.handler, r.Status)
	if s.truth != nil {
		s.truth.add(r)
	}
	s.life.ends()
}
