package doctor

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/inferometer/inferometer/internal/memnet"
	"github.com/inferometer/inferometer/internal/send/protocol"
)

// fake is an inference server with a way before it, and whatever is wrong with both.
type fake struct {
	gap        time.Duration // between events
	hold       int           // events that a proxy holds back until it sends them together
	tokens     int           // in the answer; 0: as asked for
	perEvent   int           // tokens in an event; 0: one
	compress   string        // "offered" or "always"
	skew       time.Duration
	close      bool // the connection, behind each answer
	noUsage    bool
	noModels   bool
	noMetrics  bool
	pickyField bool // ignore_eos is refused
	breakOff   bool
	fails      string // an error event
	status     int
	header     map[string]string
	owner      string
	versions   map[string]string // path to body
	tls, h2    bool
}

func (s *fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	for k, v := range s.header {
		w.Header().Set(k, v)
	}
	if s.skew != 0 {
		w.Header().Set("Date", time.Now().Add(s.skew).UTC().Format(http.TimeFormat))
	}
	if s.close {
		w.Header().Set("Connection", "close")
	}
	switch body, ok := s.versions[r.URL.Path]; {
	case ok:
		_, _ = io.WriteString(w, body)
	case r.URL.Path == "/v1/models" && !s.noModels:
		fmt.Fprintf(w, `{"data":[{"id":"m","owned_by":%q,"max_model_len":4096},{"id":"n"}]}`, s.owner)
	case r.URL.Path == "/metrics" && !s.noMetrics:
		_, _ = io.WriteString(w, "requests_total 1\n")
	case strings.HasSuffix(r.URL.Path, "/completions"):
		s.stream(w, r)
	default:
		http.NotFound(w, r)
	}
}

func (s *fake) stream(w http.ResponseWriter, r *http.Request) {
	var body struct {
		MaxTokens int   `json:"max_tokens"`
		IgnoreEOS *bool `json:"ignore_eos"`
	}
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if s.pickyField && body.IgnoreEOS != nil {
		http.Error(w, "unknown field ignore_eos", http.StatusBadRequest)
		return
	}
	if s.status != 0 {
		http.Error(w, "not today", s.status)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	out := io.Writer(w)
	flush := func() { _ = http.NewResponseController(w).Flush() }
	if s.compress == "always" || s.compress == "offered" && strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		defer z.Close()
		out = z
	}
	s.events(r.Context(), out, flush, body.MaxTokens)
}

func (s *fake) events(ctx context.Context, out io.Writer, flush func(), asked int) {
	total := s.tokens
	if total == 0 {
		total = asked
	}
	for sent := 0; sent < total; sent += max(s.perEvent, 1) {
		if ctx.Err() != nil {
			return
		}
		fmt.Fprintf(out, "data: {\"choices\":[{\"text\":\" w%d\"}]}\n\n", sent)
		if s.hold == 0 || (sent+1)%s.hold == 0 {
			flush()
		}
		time.Sleep(s.gap)
	}
	switch {
	case s.breakOff:
		return
	case s.fails != "":
		fmt.Fprintf(out, "data: {\"error\":{\"message\":%q}}\n\n", s.fails)
	}
	fmt.Fprint(out, "data: {\"choices\":[{\"text\":\"\",\"finish_reason\":\"length\"}]}\n\n")
	if !s.noUsage {
		fmt.Fprintf(out, "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":9,\"completion_tokens\":%d}}\n\n", total)
	}
	fmt.Fprint(out, "data: [DONE]\n\n")
}

// examined starts the fake and has it examined, in virtual time: no delay but those that a test asks for.
func (s *fake) examined(t *testing.T, change func(*Remote)) (findings map[string]Finding) {
	t.Helper()
	return s.examinedOn(t, &memnet.Network{}, func(_ *testing.T, r *Remote) {
		if change != nil {
			change(r)
		}
	})
}

// examinedOn is examined on a network where a test has more than the fake.
func (s *fake) examinedOn(t *testing.T, network *memnet.Network, change func(*testing.T, *Remote)) (findings map[string]Finding) {
	t.Helper()
	p, err := protocol.FindBackend("openai")
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		r := NewRemote(listen(t, network, "127.0.0.1:8000", s, s.tls, s.h2), p)
		r.CPUs, r.Timeout = 8, 20*time.Second
		r.Dial = func(ctx context.Context, name, address string) (net.Conn, error) {
			c, err := network.DialContext(ctx, name, address)
			if err != nil {
				return nil, err
			}
			return loopback{c}, nil
		}
		change(t, &r)
		findings = byName(r.Examine(t.Context(), func(string) bool { return false }))
	})
	return findings
}

// loopback is a connection of this machine to itself.
type loopback struct{ net.Conn }

func (c loopback) LocalAddr() net.Addr { return c.RemoteAddr() }

// listen serves on a network within the process until the test ends, and returns the address.
func listen(t *testing.T, network *memnet.Network, address string, h http.Handler, encrypted, h2 bool) string {
	t.Helper()
	l, err := network.Listen(address)
	if err != nil {
		t.Fatal(err)
	}
	srv := &httptest.Server{Listener: l, EnableHTTP2: h2, Config: &http.Server{Handler: h}}
	srv.Config.ErrorLog = quietLog() // handshakes that a client gives up are a part of the test
	if encrypted {
		srv.StartTLS()
	} else {
		srv.Start()
	}
	t.Cleanup(srv.Close)
	return srv.URL
}

func byName(all []Finding) map[string]Finding {
	m := map[string]Finding{}
	for _, f := range all {
		m[f.Name] = f
	}
	return m
}

func quietLog() *log.Logger { return log.New(io.Discard, "", 0) }
