package prometheus

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"sync"
	"syscall"
	"time"

	"github.com/inferometer/inferometer/internal/errno"
	"github.com/inferometer/inferometer/internal/outside"
)

// Server answers scrapes of one run.
type Server struct {
	exporter *Exporter
	listener net.Listener
	http     *http.Server
	served   chan struct{}

	mu   sync.Mutex
	over bool          // the values are the last ones
	last chan struct{} // closed when somebody has these
	once sync.Once
}

// CheckAddress says what is wrong with an address to listen on.
func CheckAddress(address string) error {
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		return fmt.Errorf("needs an address such as :9464 or 127.0.0.1:9464, not %q", outside.Word(address))
	}
	if n, err := strconv.Atoi(port); err != nil || n < 0 || n > 65535 {
		return fmt.Errorf("needs a port from 0 (any that is free) to 65535 in %q", outside.Word(address))
	}
	return nil
}

// Listen begins to answer scrapes of http://ADDRESS/metrics.
func Listen(address string, e *Exporter) (*Server, error) {
	if err := CheckAddress(address); err != nil {
		return nil, err
	}
	l, err := net.Listen("tcp", address)
	switch {
	case errno.Is(err, syscall.EADDRINUSE):
		return nil, fmt.Errorf("can't listen on %s, which another program does: choose another port, or 0 for any that is free", outside.Word(address))
	case err != nil:
		return nil, fmt.Errorf("can't listen on %s: %w", outside.Word(address), err)
	}
	s := &Server{exporter: e, listener: l, served: make(chan struct{}), last: make(chan struct{})}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /metrics", s.scrape)
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = fmt.Fprintln(w, "inferometer: the run's metrics are at /metrics")
	})
	s.http = &http.Server{
		Handler: mux, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 10 * time.Second, WriteTimeout: 10 * time.Second,
		IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 16 << 10, ErrorLog: nobody,
	}
	go func() {
		defer close(s.served)
		_ = s.http.Serve(l) // it ends by Close
	}()
	return s, nil
}

// Addr is what it listens on.
func (s *Server) Addr() net.Addr { return s.listener.Addr() }

// URL is where the metrics are.
func (s *Server) URL() string {
	host, port, err := net.SplitHostPort(s.listener.Addr().String())
	if ip := net.ParseIP(host); err == nil && ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return "http://" + net.JoinHostPort(host, port) + "/metrics"
}

func (s *Server) scrape(w http.ResponseWriter, _ *http.Request) {
	s.mu.Lock()
	last := s.over
	s.mu.Unlock()
	var b bytes.Buffer
	if err := s.exporter.Write(&b); err != nil {
		http.Error(w, "the metrics could not be written", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	if _, err := w.Write(b.Bytes()); err == nil && last {
		s.once.Do(func() { close(s.last) })
	}
}

// Finish waits until somebody has the last values, for at most this long, and ends the server.
// seen says that somebody has.
func (s *Server) Finish(ctx context.Context, linger time.Duration) (seen bool) {
	s.mu.Lock()
	s.over = true
	s.mu.Unlock()
	timer := time.NewTimer(linger)
	defer timer.Stop()
	select {
	case <-s.last:
		seen = true
	case <-ctx.Done():
	case <-timer.C:
	}
	s.Close()
	return seen
}

// Close ends it. An answer under way is let go on for a moment.
func (s *Server) Close() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if s.http.Shutdown(ctx) != nil {
		_ = s.http.Close()
	}
	<-s.served
}
