package scrape

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/inferometer/inferometer/internal/memnet"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// served is a source at a server of the test.
func served(t *testing.T, h http.HandlerFunc, c Config) *Source {
	t.Helper()
	srv := httptest.NewServer(h)
	s := New(srv.URL+"/metrics", c)
	t.Cleanup(func() { s.Close(); srv.CloseClientConnections(); srv.Close() })
	return s
}

func TestRead(t *testing.T) {
	s := served(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer k" || r.Header.Get("Accept-Encoding") != "" || !strings.Contains(r.Header.Get("Accept"), "openmetrics") {
			http.Error(w, "no", http.StatusUnauthorized)
			return
		}
		fmt.Fprint(w, "# TYPE a counter\na 1\nb NaN\n")
	}, Config{Header: http.Header{"Authorization": {"Bearer k"}, "Content-Type": {"application/json"}}})
	text, m, err := s.Read(context.Background())
	if err != nil || len(m.Samples) != 2 || !strings.HasPrefix(string(text), "# TYPE") {
		t.Errorf("%q %+v %v", text, m, err)
	}
}

// What a hostile or a mistaken server may answer: an error in bounded time and memory, and
// whether to ask again.
func TestHostile(t *testing.T) {
	const endless = 64 << 20
	for _, tt := range []struct {
		name   string
		serve  http.HandlerFunc
		words  string
		absent bool
	}{
		{"no such page", http.NotFound, "HTTP 404", true},
		{"llama.cpp without --metrics", code(http.StatusNotImplemented), "HTTP 501", true},
		{"a key is wanted", code(http.StatusForbidden), "HTTP 403", true},
		{"not now", code(http.StatusServiceUnavailable), "HTTP 503", false},
		{"too many", code(http.StatusTooManyRequests), "HTTP 429", false},
		{"a redirect elsewhere", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://169.254.169.254/", http.StatusFound)
		}, "redirects are not followed", true},
		{"a page for people", words("<html><body>hello 1</body></html>"), "no metrics", true},
		{"TensorRT-LLM's /metrics", words(`[{"iterLatencyMS": 1.5, "kvCacheStats": {}}]`), "no metrics", true},
		{"escape sequences", words("\x1b[2J\x1b]0;title\x07{}"), `begins with "{}"`, true},
		{"endless", func(w http.ResponseWriter, _ *http.Request) {
			line := []byte(strings.Repeat("a 1\n", 1000))
			for n := 0; n < endless; n += len(line) {
				if _, err := w.Write(line); err != nil {
					return
				}
			}
		}, "longer than 4 MiB", false},
		{"a bomb", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			_, _ = z.Write(make([]byte, endless))
			_ = z.Close()
		}, "compressed (gzip)", false},
		{"half an answer", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100")
			_, _ = w.Write([]byte("a 1\n"))
		}, "EOF", false},
	} {
		_, _, err := served(t, tt.serve, Config{}).Read(context.Background())
		if err == nil || !strings.Contains(err.Error(), tt.words) || Absent(err) != tt.absent || strings.ContainsRune(err.Error(), 0x1b) {
			t.Errorf("%s: %v, absent %v", tt.name, err, Absent(err))
		}
	}
}

func code(n int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(n) }
}

func words(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(text)) }
}

// A server that gives one byte now and then is left when the time is over.
func TestSlowDrip(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var network memnet.Network
		l, err := network.Listen("10.0.0.1:80")
		if err != nil {
			t.Fatal(err)
		}
		srv := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			for r.Context().Err() == nil {
				_, _ = w.Write([]byte("a"))
				_ = http.NewResponseController(w).Flush()
				select {
				case <-r.Context().Done():
				case <-time.After(10 * time.Millisecond):
				}
			}
		})}
		var serving sync.WaitGroup
		serving.Go(func() { _ = srv.Serve(l) })
		s := New("http://10.0.0.1:80/metrics", Config{})
		s.client.Transport.(*http.Transport).DialContext = network.DialContext
		begin := time.Now()
		if _, _, err := s.Read(t.Context()); err == nil || !strings.Contains(err.Error(), "no whole answer") || time.Since(begin) != Timeout {
			t.Errorf("%v after %v", err, time.Since(begin))
		}
		s.Close()
		srv.Close()
		serving.Wait()
	})
}

// Of a million series so many are read as are allowed, and the text is bounded too.
func TestMillionSeries(t *testing.T) {
	line := "s{i=\"0123456789\"} 1\n"
	s := served(t, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(strings.Repeat(line, MaxText/len(line))))
	}, Config{})
	_, m, err := s.Read(context.Background())
	if err != nil || !m.Cut || len(m.Samples) != 50_000 {
		t.Errorf("%v: cut %v", err, m != nil && m.Cut)
	}
}

// All questions go over one connection.
func TestOneConnection(t *testing.T) {
	var connections atomic.Int32
	srv := httptest.NewUnstartedServer(words("a 1\n"))
	srv.Config.ConnContext = func(ctx context.Context, _ net.Conn) context.Context { connections.Add(1); return ctx }
	srv.Start()
	s := New(srv.URL, Config{})
	defer srv.Close()
	defer s.Close()
	for range 5 {
		if _, _, err := s.Read(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	if n := connections.Load(); n != 1 {
		t.Errorf("%d connections", n)
	}
}

func TestSameOrigin(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want bool
	}{
		{"http://h:8000", "http://h:8000/metrics", true},
		{"http://H", "http://h:80/metrics", true},
		{"https://h", "https://h:443/x", true},
		{"https://h", "http://h/x", false},
		{"http://h:8000", "http://h:8002/metrics", false},
		{"http://h:8000", "http://h:8000@evil/metrics", false},
		{"http://h", "http://h.evil/", false},
		{"", "", false},
	} {
		if got := SameOrigin(tt.a, tt.b); got != tt.want {
			t.Errorf("%s and %s: %v", tt.a, tt.b, got)
		}
	}
}

func TestAddress(t *testing.T) {
	for text, want := range map[string]string{
		"http://h:8002": "http://h:8002/metrics", "http://h:8002/": "http://h:8002/metrics", "https://h/prometheus/metrics?model=x": "https://h/prometheus/metrics?model=x",
		"": "", "h:8002": "", "ftp://h/": "", "http://u:p@h/": "", "http://h/#x": "", "http://": "", "http://h\x1b": "",
	} {
		got, err := Address(text)
		if got != want || (err == nil) != (want != "") || err != nil && strings.Contains(err.Error(), "u:p") {
			t.Errorf("%q: %q, %v", text, got, err)
		}
	}
}

func TestPatience(t *testing.T) {
	p := NewPatience(time.Second)
	bytes := 53_000
	feed := func(took time.Duration, failed bool, times int) (less int) {
		for range times {
			if p.After(took, bytes, failed) {
				less++
			}
		}
		return less
	}
	if feed(200*time.Millisecond, false, 100) != 0 || p.Every() != time.Second {
		t.Errorf("quick answers: each %v", p.Every())
	}
	if feed(300*time.Millisecond, false, 2) != 0 || feed(0, false, 1) != 0 || feed(300*time.Millisecond, false, 2) != 0 {
		t.Errorf("slow ones now and then: each %v", p.Every())
	}
	p = NewPatience(time.Second)
	if feed(600*time.Millisecond, false, 100) != 2 || p.Every() != 4*time.Second {
		t.Errorf("slow ones: each %v", p.Every())
	}
	if feed(0, true, 100) == 0 || p.Every() != time.Minute {
		t.Errorf("failures: each %v", p.Every())
	}
	p, bytes = NewPatience(time.Second), MaxText
	if feed(0, false, 100) != 3 || p.Every() != 8*time.Second {
		t.Errorf("long ones: each %v", p.Every())
	}
}

func TestAbsentIsNoTrouble(t *testing.T) {
	if Absent(errors.New("connection refused")) || Absent(nil) {
		t.Error("a server that is not up yet is asked no more")
	}
}
