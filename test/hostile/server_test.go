package hostile

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"
)

// server answers by the first part of a request's path, which names a mode. It
// speaks raw TCP: no HTTP library would send most of this.
type server struct {
	base string // http://127.0.0.1:port
	quit chan struct{}

	mu   sync.Mutex
	seen map[string]int // by path
}

// client is a connection to the program under test, as a mode sees it.
type client struct {
	net.Conn
	tcp  *net.TCPConn // below TLS, if there is one
	quit <-chan struct{}
	last bool // nothing more is to be said on this connection
}

// underTLS says whether all is to be done under TLS.
func underTLS() bool { return os.Getenv("INFEROMETER_HOSTILE_TLS") != "" }

func startServer(t *testing.T) *server {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	scheme := "http://"
	var secure *tls.Config
	if underTLS() {
		h := httptest.NewTLSServer(http.NotFoundHandler())
		scheme, secure = "https://", &tls.Config{Certificates: h.TLS.Certificates}
		h.Close()
	}
	s := &server{base: scheme + l.Addr().String(), quit: make(chan struct{}), seen: map[string]int{}}
	var all sync.WaitGroup
	all.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			hostile := &client{Conn: c, tcp: c.(*net.TCPConn), quit: s.quit}
			if secure != nil {
				hostile.Conn = tls.Server(c, secure)
			}
			all.Go(func() { s.serve(hostile) })
		}
	})
	t.Cleanup(func() {
		close(s.quit)
		_ = l.Close()
		all.Wait()
	})
	return s
}

func (s *server) serve(c *client) {
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(2 * time.Minute)) // whatever goes wrong
	in := bufio.NewReader(c)
	for !c.last {
		req, err := http.ReadRequest(in)
		if err != nil {
			return
		}
		if _, err := io.Copy(io.Discard, req.Body); err != nil {
			return
		}
		s.mu.Lock()
		s.seen[req.URL.Path]++
		s.mu.Unlock()
		s.answer(c, req)
	}
}

// answer finds the mode. Whatever is no measured request gets a good answer, and so
// does the measured request 1: it must complete whatever happens to the others.
func (s *server) answer(c *client, req *http.Request) {
	name, path, _ := strings.Cut(strings.TrimPrefix(req.URL.Path, "/"), "/")
	if q, ok := questions[name]; ok && "/"+path == q.path {
		q.answer(c)
		return
	}
	switch {
	case strings.HasSuffix(path, "v1/models"):
		c.send(page(`{"object":"list","data":[{"id":"m","object":"model","owned_by":"x","root":"m","max_model_len":4096}]}`))
	case !strings.HasSuffix(path, "completions"):
		c.send("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
	default:
		id := req.Header.Get("X-Request-Id")
		index := id[strings.LastIndexByte(id, '-')+1:]
		if m, ok := modes[name]; ok && index != "1" && strings.Trim(index, "0123456789") == "" && index != "" {
			m.answer(c)
			return
		}
		good(c)
	}
}

// asked is how often a path was asked for.
func (s *server) asked(path string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.seen[path]
}

func (c *client) send(parts ...string) {
	for _, p := range parts {
		if _, err := io.WriteString(c, p); err != nil {
			c.last = true
			return
		}
	}
}

// flood sends a piece until the client has had enough of it.
func (c *client) flood(piece string) {
	b := bytes.Repeat([]byte(piece), max(1, 32<<10/len(piece)))
	for {
		select {
		case <-c.quit:
			c.last = true
			return
		default:
		}
		if _, err := c.Write(b); err != nil {
			c.last = true
			return
		}
	}
}

// hang says nothing until the client goes.
func (c *client) hang() {
	c.last = true
	gone := make(chan struct{})
	go func() {
		_, _ = io.Copy(io.Discard, c)
		close(gone)
	}()
	select {
	case <-gone:
	case <-c.quit:
		_ = c.Close()
		<-gone
	}
}

// fin ends our side; the client's stays open until it goes.
func (c *client) fin() {
	_ = c.Conn.(interface{ CloseWrite() error }).CloseWrite()
	c.hang()
}

// reset ends the connection with a RST, after what was sent has had time to arrive:
// a RST that overtakes it would take it away.
func (c *client) reset() {
	time.Sleep(100 * time.Millisecond)
	_, _ = c.tcp.SetLinger(0), c.tcp.Close() // below TLS: no farewell
	c.last = true
}

// drip sends a text byte by byte.
func (c *client) drip(text string, every time.Duration) {
	for i := range len(text) {
		select {
		case <-c.quit:
			c.last = true
			return
		case <-time.After(every):
		}
		c.send(text[i : i+1])
		if c.last {
			return
		}
	}
}

// The words of an answer in good order.
const (
	plainHead = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
	head      = plainHead + "Transfer-Encoding: chunked\r\n\r\n"
	lastChunk = "0\r\n\r\n"
	done      = "data: [DONE]\n\n"
	usage     = `data: {"id":"x","choices":[],"usage":{"prompt_tokens":5,"completion_tokens":2,"total_tokens":7}}` + "\n\n"
)

var goodBody = token("hi") + finish("yo", "stop") + usage + done

func good(c *client) { c.send(head, chunk(goodBody), lastChunk) }

func token(text string) string {
	return event(`{"id":"x","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":` + quoted(text) + `},"finish_reason":null}]}`)
}

func finish(text, reason string, more ...string) string {
	return event(`{"id":"x","choices":[{"index":0,"delta":{"content":` + quoted(text) + `},"finish_reason":` + quoted(reason) + `}]` + strings.Join(more, "") + `}`)
}

func event(data string) string { return "data: " + data + "\n\n" }

func chunk(data string) string { return fmt.Sprintf("%x\r\n%s\r\n", len(data), data) }

// page is a whole answer of JSON.
func page(body string) string {
	return fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
}

func quoted(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err) // a string always marshals
	}
	return string(b)
}
