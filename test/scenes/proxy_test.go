//go:build linux

package scenes

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"time"
)

// bufferingProxy starts a proxy that gathers what a stream brings and hands it on
// once in so long, as one does that was not told of streams.
func bufferingProxy(s *stage, to string, every time.Duration) string {
	s.Helper()
	target, err := url.Parse(to)
	if err != nil {
		s.Fatal(err)
	}
	plain := httputil.NewSingleHostReverseProxy(target)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasSuffix(r.URL.Path, "/completions") {
			plain.ServeHTTP(w, r)
			return
		}
		resp, err := http.Post(to+r.URL.Path, r.Header.Get("Content-Type"), r.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		defer resp.Body.Close()
		w.Header().Set("Content-Type", resp.Header.Get("Content-Type"))
		w.WriteHeader(resp.StatusCode)
		gather(w, resp.Body, every)
	}))
	s.Cleanup(server.Close)
	return server.URL
}

// gather copies a stream in bunches.
func gather(w http.ResponseWriter, from io.Reader, every time.Duration) {
	chunks := make(chan []byte)
	go func() {
		defer close(chunks)
		for {
			b := make([]byte, 4096)
			n, err := from.Read(b)
			if n > 0 {
				chunks <- b[:n]
			}
			if err != nil {
				return
			}
		}
	}()
	tick := time.NewTicker(every)
	defer tick.Stop()
	var held []byte
	for {
		select {
		case b, ok := <-chunks:
			if !ok {
				_, _ = w.Write(held) // a client that has gone has its own words for it
				return
			}
			held = append(held, b...)
		case <-tick.C:
			_, _ = w.Write(held)
			_ = http.NewResponseController(w).Flush()
			held = held[:0]
		}
	}
}
