package wire

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

// eachSecure runs a test with each transport, which trusts anybody or nobody.
func eachSecure(t *testing.T, trusting bool, test func(t *testing.T, tr Transport)) {
	t.Helper()
	t.Run("nethttp", func(t *testing.T) {
		tr := NewNetHTTP(NetHTTPConfig{Clock: NewClock(), Connections: 100, KernelStamps: true, Insecure: trusting})
		defer tr.Close()
		test(t, tr)
	})
	t.Run("loop", func(t *testing.T) {
		tr, err := NewLoop(LoopConfig{Clock: NewClock(), Connections: 100, KernelStamps: true, Insecure: trusting})
		if err != nil && runtime.GOOS != "linux" {
			t.Skip(err)
		}
		if err != nil {
			t.Fatal(err)
		}
		defer tr.Close()
		test(t, tr)
	})
}

// What a server is told in the handshake is the same with each transport: the name in
// the URL, no ALPN, which leaves HTTP/1.1, and no ticket of an earlier connection.
func TestHandshake(t *testing.T) {
	for _, version := range []uint16{tls.VersionTLS12, tls.VersionTLS13} {
		t.Run(tls.VersionName(version), func(t *testing.T) {
			eachSecure(t, true, func(t *testing.T, tr Transport) {
				seen := make(chan string, 4)
				srv := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					w.Header().Set("Connection", "close")
					fmt.Fprint(w, r.Proto, r.TLS.DidResume)
				}))
				srv.TLS = &tls.Config{MinVersion: version, MaxVersion: version, GetConfigForClient: func(h *tls.ClientHelloInfo) (*tls.Config, error) {
					seen <- fmt.Sprint(h.ServerName, h.SupportedProtos)
					return nil, nil
				}}
				srv.EnableHTTP2 = true // offered, and not taken
				srv.StartTLS()
				defer srv.Close()
				_, port, _ := net.SplitHostPort(srv.Listener.Addr().String())
				for range 2 {
					var rec recorder
					conn, err := tr.Do(context.Background(), &Request{URL: "https://localhost:" + port + "/x"}, &rec)
					if err != nil || string(rec.body) != "HTTP/1.1false" || !conn.New {
						t.Errorf("%q, new %v, %v", rec.body, conn.New, err)
					}
					if got := <-seen; got != "localhost[]" {
						t.Errorf("the server was told %q", got)
					}
				}
			})
		})
	}
}

func TestHandshakeFails(t *testing.T) {
	accepts := func(then func(net.Conn)) func(*testing.T) string {
		return func(t *testing.T) string {
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			var all sync.WaitGroup
			all.Go(func() {
				for {
					c, err := l.Accept()
					if err != nil {
						return
					}
					all.Go(func() { defer c.Close(); then(c) })
				}
			})
			t.Cleanup(func() { _ = l.Close(); all.Wait() })
			return "https://" + l.Addr().String()
		}
	}
	for _, tt := range []struct {
		name  string
		start func(*testing.T) string
		check func(error) bool
	}{
		{"nobody trusts it", func(t *testing.T) string {
			srv := httptest.NewTLSServer(http.NotFoundHandler())
			t.Cleanup(srv.Close)
			return srv.URL
		}, func(err error) bool {
			var bad *tls.CertificateVerificationError
			return errors.As(err, &bad)
		}},
		{"plain", accepts(func(c net.Conn) { _, _ = io.WriteString(c, "HTTP/1.1 400 Bad Request\r\n\r\n") }), func(err error) bool {
			var bad tls.RecordHeaderError
			return errors.As(err, &bad)
		}},
		{"closes", accepts(func(c net.Conn) { _, _ = c.Read(make([]byte, 4<<10)) }), func(err error) bool { return errors.Is(err, io.EOF) }},
		{"silent", accepts(func(c net.Conn) { _, _ = io.Copy(io.Discard, c) }), func(err error) bool { return errors.Is(err, ErrTimeout) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			eachSecure(t, false, func(t *testing.T, tr Transport) {
				r := &Request{URL: tt.start(t), Timeout: 5 * time.Minute}
				if tt.name == "silent" {
					r.Timeout = 50 * time.Millisecond
				}
				if _, err := tr.Do(context.Background(), r, &recorder{}); !tt.check(err) {
					t.Errorf("%T %v", err, err)
				}
			})
		})
	}
}

// inPieces stands between client and server, and cuts what the server sends into pieces
// of up to most bytes, each in a packet of its own.
func inPieces(t *testing.T, to string, most int) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	carry := func(client net.Conn) {
		defer client.Close()
		server, err := net.Dial("tcp", to)
		if err != nil {
			return
		}
		defer server.Close()
		all.Go(func() { _, _ = io.Copy(server, client); _ = server.Close() })
		buf := make([]byte, most)
		for {
			n, err := server.Read(buf[:1+rand.IntN(most)])
			if _, bad := client.Write(buf[:n]); bad != nil || err != nil {
				return
			}
		}
	}
	all.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			all.Go(func() { carry(c) })
		}
	})
	t.Cleanup(func() { _ = l.Close(); all.Wait() })
	return "https://" + l.Addr().String()
}

// A record may come in any pieces, and a piece may hold the end of one record and the
// beginning of the next.
func TestRecordsInPieces(t *testing.T) {
	var want strings.Builder
	for i := range 40 {
		fmt.Fprintf(&want, "data: %d %s\n\n", i, strings.Repeat("x", i*i*11)) // up to more than one of the largest records
	}
	for _, version := range []uint16{tls.VersionTLS12, tls.VersionTLS13} {
		for _, most := range []int{1, 50, 5000} {
			t.Run(fmt.Sprintf("%s/%d", tls.VersionName(version), most), func(t *testing.T) {
				srv := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					body := want.String()
					if most == 1 {
						body = body[:2000]
					}
					for event := range strings.SplitAfterSeq(body, "\n\n") {
						fmt.Fprint(w, event)
						_ = http.NewResponseController(w).Flush()
					}
				}))
				srv.TLS = &tls.Config{MinVersion: version, MaxVersion: version}
				srv.StartTLS()
				defer srv.Close()
				eachSecure(t, true, func(t *testing.T, tr Transport) {
					url := inPieces(t, srv.Listener.Addr().String(), most)
					for i := range 3 {
						var rec recorder
						conn, err := tr.Do(context.Background(), &Request{URL: url}, &rec)
						if all := want.String(); err != nil || string(rec.body) != all && (most > 1 || string(rec.body) != all[:2000]) {
							t.Errorf("request %d: %d bytes of %d, %v", i, len(rec.body), want.Len(), err)
						}
						if conn.New != (i == 0) {
							t.Errorf("request %d: new connection %v", i, conn.New)
						}
					}
				})
			})
		}
	}
}

// heldConn keeps what is written to it until it is let go.
type heldConn struct {
	net.Conn
	hold bool
	kept []byte
}

func (h *heldConn) Write(b []byte) (int, error) {
	if !h.hold {
		return h.Conn.Write(b)
	}
	h.kept = append(h.kept, b...)
	return len(b), nil
}

// pieces records the body as it comes: each event, and "more" where the read brought something behind it.
type pieces struct {
	got   []string
	first chan struct{} // closed when the first event is there
}

func (*pieces) Head(int, Header, Stamp) {}

func (p *pieces) Body(data []byte, _ Stamp) bool {
	if len(data) == 0 {
		p.got = append(p.got, "more")
		return false
	}
	if p.got = append(p.got, string(data)); len(p.got) == 1 {
		close(p.first)
	}
	return false
}

// A read that holds an event's record and the beginning of the next one has the time of
// the latter: the sink is told.
func TestReadEndsInsideARecord(t *testing.T) {
	certificate := httptest.NewUnstartedServer(nil)
	certificate.StartTLS()
	defer certificate.Close()
	eachSecure(t, true, func(t *testing.T, tr Transport) {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		sink := &pieces{first: make(chan struct{})}
		served := make(chan error, 1)
		go func() { served <- serveHalfARecord(l, certificate.TLS, sink.first) }()
		if _, err := tr.Do(context.Background(), &Request{URL: "https://" + l.Addr().String(), Timeout: 5 * time.Minute}, sink); err != nil {
			t.Error(err)
		}
		if err := <-served; err != nil {
			t.Error(err)
		}
		if len(sink.got) < 3 || sink.got[0] != "one" || sink.got[1] != "more" || sink.got[2] != "two" {
			t.Errorf("%q", sink.got)
		}
	})
}

func serveHalfARecord(l net.Listener, config *tls.Config, goOn <-chan struct{}) error {
	plain, err := l.Accept()
	if err != nil {
		return err
	}
	held := &heldConn{Conn: plain}
	conn := tls.Server(held, config)
	defer conn.Close()
	if _, err := conn.Read(make([]byte, 4<<10)); err != nil {
		return err
	}
	held.hold = true
	fmt.Fprint(conn, "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\none")
	whole := len(held.kept)
	fmt.Fprint(conn, "two")
	cut := whole + (len(held.kept)-whole)/2
	if _, err := plain.Write(held.kept[:cut]); err != nil {
		return err
	}
	<-goOn
	_, err = plain.Write(held.kept[cut:])
	held.hold = false
	return err
}
