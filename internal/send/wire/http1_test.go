package wire

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
)

// answer is a response as a reader of HTTP/1.1 sees it.
type answer struct {
	status int
	body   string
	header Header
	rest   string // what follows the response
	err    error
}

type answerSink struct{ answer }

func (a *answerSink) Head(status int, h Header, _ Stamp) {
	a.status, a.header = status, rawHeader(bytes.Clone(h.(rawHeader)))
}

func (a *answerSink) Body(data []byte, _ Stamp) bool {
	a.body += string(data)
	return false
}

// ours reads a response in pieces of size bytes, and then the end of the connection.
func ours(stream string, size int) answer {
	var h http1
	var sink answerSink
	for len(stream) > 0 {
		piece := stream[:min(size, len(stream))]
		taken, done, err := h.feed([]byte(piece), Stamp{}, &sink)
		if err != nil {
			sink.err = err
			return sink.answer
		}
		stream = stream[taken:]
		if done {
			sink.rest = stream
			return sink.answer
		}
	}
	sink.err = h.closed()
	return sink.answer
}

// theirs reads it with net/http.
func theirs(stream string) answer {
	r := bufio.NewReader(strings.NewReader(stream))
	for {
		resp, err := http.ReadResponse(r, &http.Request{Method: http.MethodPost})
		if err != nil {
			return answer{err: err}
		}
		if resp.StatusCode >= 100 && resp.StatusCode < 200 && resp.StatusCode != 101 {
			continue // net/http's client passes over these too
		}
		body, err := io.ReadAll(resp.Body)
		return answer{status: resp.StatusCode, body: string(body), header: resp.Header, err: err}
	}
}

func TestHTTP1(t *testing.T) {
	tests := []struct {
		name, stream string
		want         answer
	}{
		{"by length", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX-A: b\r\n\r\nhelloNEXT", answer{status: 200, body: "hello", rest: "NEXT"}},
		{"by chunks", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n6;x=y\r\n world\r\n0\r\n\r\nNEXT", answer{status: 200, body: "hello world", rest: "NEXT"}},
		{"with trailers", "HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\nA\r\n0123456789\r\n0\r\nX-T: 1\r\n\r\n", answer{status: 200, body: "0123456789"}},
		{"up to the close", "HTTP/1.0 200 OK\r\n\r\nall of it", answer{status: 200, body: "all of it"}},
		{"no body by length", "HTTP/1.1 500 Internal Server Error\r\nContent-Length: 0\r\n\r\n", answer{status: 500}},
		{"no body by status", "HTTP/1.1 204 No Content\r\n\r\nNEXT", answer{status: 204, rest: "NEXT"}},
		{"after a 100", "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", answer{status: 200, body: "ok"}},
		{"without a reason", "HTTP/1.1 200\r\nContent-Length: 2\r\n\r\nok", answer{status: 200, body: "ok"}},
		{"bare newlines", "HTTP/1.1 200 OK\nContent-Length: 2\n\nok", answer{status: 200, body: "ok"}},
		{"cut in the headers", "HTTP/1.1 200 OK\r\nContent-Le", answer{err: io.ErrUnexpectedEOF}},
		{"cut in the body", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhel", answer{status: 200, body: "hel", err: io.ErrUnexpectedEOF}},
		{"cut in a chunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel", answer{status: 200, body: "hel", err: io.ErrUnexpectedEOF}},
		{"cut before the last chunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n", answer{status: 200, body: "hello", err: io.ErrUnexpectedEOF}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, size := range []int{1, 2, 3, 7, 1 << 20} {
				got := ours(tt.stream, size)
				if got.status != tt.want.status || got.body != tt.want.body || got.rest != tt.want.rest || !errors.Is(got.err, tt.want.err) {
					t.Errorf("in pieces of %d: %+v", size, got)
				}
			}
		})
	}
}

func TestHTTP1Refuses(t *testing.T) {
	for _, stream := range []string{
		"hello\r\n\r\n",
		"HTTP/2 200 OK\r\n\r\n",
		"HTTP/1.1 2x0 OK\r\n\r\n",
		"HTTP/1.1 200 OK\r\nno colon\r\n\r\n",
		"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
		"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nabc\r\n",
		"HTTP/1.1 200 OK\r\nX: " + strings.Repeat("x", maxHead) + "\r\n\r\n",
	} {
		if got := ours(stream, 1<<30); got.err == nil || errors.Is(got.err, io.ErrUnexpectedEOF) {
			t.Errorf("%.60q: %+v", stream, got)
		}
	}
}

// What both accept, both read alike; what we accept, net/http accepts.
func FuzzHTTP1(f *testing.F) {
	f.Add("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nServer: x\r\n\r\n5\r\nhello\r\n0\r\n\r\n", uint8(3))
	f.Add("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello", uint8(1))
	f.Add("HTTP/1.0 404 Not Found\r\n\r\nno", uint8(9))
	f.Add("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 No\r\n\r\n", uint8(4))
	f.Fuzz(func(t *testing.T, stream string, size uint8) {
		want := theirs(stream)
		got := ours(stream, 1<<30)
		pieces := ours(stream, int(size)+1)
		if pieces.status != got.status || pieces.body != got.body || (pieces.err == nil) != (got.err == nil) {
			t.Fatalf("in pieces of %d it reads %+v, whole %+v", size+1, pieces, got)
		}
		if got.err != nil || want.err != nil {
			return // strictness differs in detail: folded lines, names with odd bytes, old encodings
		}
		if got.status != want.status || got.body != want.body {
			t.Fatalf("ours %+v, net/http's %+v", got, want)
		}
		for _, name := range []string{"Server", "X-Request-Id", "Connection"} {
			if w := want.header.Get(name); w != "" && got.header.Get(name) != w {
				t.Errorf("header %s: ours %q, net/http's %q", name, got.header.Get(name), w)
			}
		}
	})
}

func BenchmarkHTTP1(b *testing.B) {
	var h http1
	sink := &nothing{}
	if _, _, err := h.feed([]byte("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"), Stamp{}, sink); err != nil {
		b.Fatal(err)
	}
	chunk := []byte("55\r\n" + strings.Repeat("d", 0x55) + "\r\n")
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := h.feed(chunk, Stamp{}, sink); err != nil {
			b.Fatal(err)
		}
	}
}

type nothing struct{}

func (*nothing) Head(int, Header, Stamp) {}
func (*nothing) Body([]byte, Stamp) bool { return false }
