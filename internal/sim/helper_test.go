package sim

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/inferometer/inferometer/internal/memnet"
	"github.com/inferometer/inferometer/internal/sim/dialect"
	"github.com/inferometer/inferometer/internal/sim/random"
)

// syncBuffer is a truth file in memory.
type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *syncBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

// running is a server under test.
type running struct {
	t      *testing.T
	url    string
	client *http.Client
	buf    *syncBuffer
	stop   func()
}

// fast is a config in which nothing waits long.
func fast() Config {
	cfg := DefaultConfig()
	cfg.TTFT, cfg.ITL = random.Constant(2*time.Millisecond), random.Constant(200*time.Microsecond)
	cfg.Stall, cfg.SlowHeaders = 5*time.Millisecond, 5*time.Millisecond
	cfg.TruthText = true
	return cfg
}

// startPlain serves on a port of its own until stop is called.
func startPlain(t testing.TB, cfg Config, truth io.Writer) (addr string, stop func()) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return l.Addr().String(), serve(t, cfg, truth, l)
}

// serve serves until stop is called.
func serve(t testing.TB, cfg Config, truth io.Writer, l net.Listener) (stop func()) {
	t.Helper()
	s, err := New(cfg, truth)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, l) }()
	return sync.OnceFunc(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("Serve: %v", err)
		}
	})
}

func start(t *testing.T, cfg Config) *running {
	t.Helper()
	r := &running{t: t, buf: &syncBuffer{}}
	addr, stop := startPlain(t, cfg, r.buf)
	tr := &http.Transport{MaxIdleConnsPerHost: 100, TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}
	r.client, r.url = &http.Client{Transport: tr}, "http://"+addr
	if cfg.TLS {
		r.url = "https://" + addr
	}
	r.stop = func() {
		tr.CloseIdleConnections()
		stop()
	}
	t.Cleanup(r.stop)
	return r
}

// virtual runs a test in virtual time, against a server on a network within the process.
func virtual(t *testing.T, cfg Config, test func(t *testing.T, r *running, network *memnet.Network)) {
	t.Helper()
	const address = "10.0.0.1:80"
	synctest.Test(t, func(t *testing.T) {
		cfg.GoTimers = true
		var network memnet.Network
		l, err := network.Listen(address)
		if err != nil {
			t.Fatal(err)
		}
		r := &running{t: t, url: "http://" + address, client: network.Client(), buf: &syncBuffer{}}
		stop := serve(t, cfg, r.buf, l)
		r.stop = func() {
			r.client.CloseIdleConnections()
			stop()
		}
		defer r.stop()
		test(t, r, &network)
	})
}

// truth stops the server and gives its records by id.
func (r *running) truth() map[string]Record {
	r.t.Helper()
	r.stop()
	return parseTruth(r.t, r.buf)
}

func parseTruth(t testing.TB, buf *syncBuffer) map[string]Record {
	t.Helper()
	out := map[string]Record{}
	for line := range bytes.Lines(buf.b.Bytes()) {
		var rec Record
		if err := json.Unmarshal(line, &rec); err != nil {
			t.Fatalf("truth line %q: %v", line, err)
		}
		if _, twice := out[rec.ID]; twice {
			t.Fatalf("two records of %s", rec.ID)
		}
		out[rec.ID] = rec
	}
	return out
}

// post sends a body with a request id.
func (r *running) post(path, id, body string) (*http.Response, error) {
	req, err := http.NewRequest(http.MethodPost, r.url+path, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	if id != "" {
		req.Header.Set("X-Request-Id", id)
	}
	return r.client.Do(req)
}

// call posts and reads a whole JSON answer.
func (r *running) call(path, body string) (int, map[string]any) {
	r.t.Helper()
	resp, err := r.post(path, "", body)
	if err != nil {
		r.t.Fatal(err)
	}
	defer resp.Body.Close()
	out := map[string]any{}
	if err := json.NewDecoder(resp.Body).Decode(&out); err != nil {
		r.t.Fatalf("%s: %v", path, err)
	}
	return resp.StatusCode, out
}

// got is what the tests' own small reader made of a stream.
type got struct {
	status  int
	kinds   []string
	text    string
	letters strings.Builder // becomes text
	reason  string
	tool    string
	finish  string
	usage   map[string]any
	done    bool
	err     error // of the transport or of a message
	bad     error
	comment int
	events  int // "event:" lines
}

// read is a reader of SSE that shares nothing with the sim. It goes by the
// standard: lines end with \n, \r\n or \r, a blank line ends a message.
func read(resp *http.Response, err error) *got {
	if err != nil {
		return &got{err: err}
	}
	defer resp.Body.Close()
	g := &got{status: resp.StatusCode}
	var data []string
	sc := bufio.NewScanner(resp.Body)
	sc.Buffer(nil, 1<<20)
	for sc.Scan() {
		line := strings.TrimSuffix(sc.Text(), "\r")
		field, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		switch {
		case line == "":
			if data != nil {
				g.message(strings.Join(data, "\n"))
			}
			data = nil
		case field == "":
			g.comment++
		case field == "event":
			g.events++
		case field == "data":
			data = append(data, value)
		}
	}
	g.err = errors.Join(g.bad, sc.Err())
	g.text = g.letters.String()
	return g
}

func (g *got) message(data string) {
	if data == "[DONE]" {
		g.done = true
		return
	}
	var m struct {
		Error   map[string]any
		Usage   map[string]any
		Choices []struct {
			Text         *string
			FinishReason string `json:"finish_reason"`
			Delta        struct {
				Role, Content, Reasoning *string
				ReasoningContent         *string `json:"reasoning_content"`
				ToolCalls                []struct {
					Function struct{ Arguments string }
				} `json:"tool_calls"`
			}
		}
	}
	if err := json.Unmarshal([]byte(data), &m); err != nil {
		g.bad = fmt.Errorf("event %q: %w", data, err)
		return
	}
	if m.Usage != nil {
		g.usage = m.Usage
	}
	g.kinds = append(g.kinds, func() string {
		if m.Error != nil {
			return dialect.KindError
		}
		if len(m.Choices) == 0 {
			return dialect.KindUsage
		}
		c := m.Choices[0]
		if c.FinishReason != "" {
			g.finish = c.FinishReason
		}
		d := c.Delta
		switch {
		case len(d.ToolCalls) > 0:
			g.tool += d.ToolCalls[0].Function.Arguments
			return dialect.KindTool
		case d.Reasoning != nil:
			g.reason += *d.Reasoning
			return dialect.KindReasoning
		case d.ReasoningContent != nil:
			g.reason += *d.ReasoningContent
			return dialect.KindReasoning
		case d.Role != nil:
			return dialect.KindRole
		case d.Content != nil:
			g.letters.WriteString(*d.Content)
			return dialect.KindToken
		case c.Text != nil && *c.Text != "":
			g.letters.WriteString(*c.Text)
			return dialect.KindToken
		}
		return dialect.KindFinish
	}())
}

func drain(t *testing.T, resp *http.Response) string {
	t.Helper()
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
