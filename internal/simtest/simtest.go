// Package simtest starts a simulator within a test and gives its truth.
package simtest

import (
	"bytes"
	"context"
	"encoding/json"
	"net"
	"net/http"
	"sync"
	"testing"

	"github.com/inferometer/inferometer/internal/memnet"
	"github.com/inferometer/inferometer/internal/sim"
)

// Server is a simulator that listens until its test ends.
type Server struct {
	URL string

	t       testing.TB
	network *memnet.Network
	stop    func()
	mu      sync.Mutex
	log     bytes.Buffer
}

// Start serves on a network within the process, by Go's timers: in a synctest bubble all its times are exact.
// Where network is nil it listens on the loopback interface, and its timers are as the configuration says.
func Start(t testing.TB, network *memnet.Network, cfg sim.Config) *Server {
	t.Helper()
	s := &Server{t: t, network: network}
	var l net.Listener
	var err error
	if network != nil {
		cfg.GoTimers = true
		l, err = network.Listen("10.0.0.1:0")
	} else {
		l, err = net.Listen("tcp", "127.0.0.1:0")
	}
	if err != nil {
		t.Fatal(err)
	}
	srv, err := sim.New(cfg, s)
	if err != nil {
		l.Close()
		t.Fatal(err)
	}
	serve := srv.Serve
	s.URL = "http://" + l.Addr().String()
	if cfg.TLS {
		s.URL, serve = "https://"+l.Addr().String(), srv.ServeTLS
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- serve(ctx, l) }()
	s.stop = sync.OnceFunc(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("sim: %v", err)
		}
		srv.Close()
	})
	t.Cleanup(s.stop)
	return s
}

// Write takes lines of the truth.
func (s *Server) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.log.Write(b)
}

// Client is an HTTP client that reaches the server, until the test ends.
func (s *Server) Client() *http.Client {
	c := &http.Client{Transport: &http.Transport{}}
	if s.network != nil {
		c = s.network.Client()
	}
	s.t.Cleanup(c.CloseIdleConnections)
	return c
}

// Truth stops the server, so that its truth is whole, and gives it by request id.
func (s *Server) Truth() map[string]sim.Record {
	s.t.Helper()
	s.stop()
	s.mu.Lock()
	defer s.mu.Unlock()
	records := map[string]sim.Record{}
	for line := range bytes.Lines(s.log.Bytes()) {
		var r sim.Record
		if err := json.Unmarshal(line, &r); err != nil {
			s.t.Fatalf("%s: %v", line, err)
		}
		records[r.ID] = r
	}
	return records
}
