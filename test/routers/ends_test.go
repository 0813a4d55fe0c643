//go:build linux

package routers

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/inferometer/inferometer/internal/sim"
)

// ending is how a replica treats every request.
type ending struct {
	name   string
	status int                                      // instead of a stream; 0: see end
	before bool                                     // it ends before the headers
	end    func(http.ResponseWriter, *http.Request) // of a stream that has begun
}

var (
	silence = ending{name: "silence in the middle of the stream", end: func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }}
	endings = []ending{
		{name: "HTTP 500", status: 500},
		{name: "HTTP 502", status: 502},
		{name: "HTTP 503", status: 503},
		{name: "HTTP 504", status: 504},
		{name: "HTTP 429", status: 429},
		{name: "HTTP 400", status: 400},
		{name: "reset before the headers", before: true, end: reset},
		{name: "reset in the middle of the stream", end: func(w http.ResponseWriter, r *http.Request) {
			time.Sleep(500 * time.Millisecond) // what lay in one read with the first events would be their end for some
			reset(w, r)
		}},
		{name: "an error event, then `[DONE]`", end: func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprint(w, "data: {\"error\":{\"message\":\"the engine died\",\"type\":\"internal_error\"}}\n\ndata: [DONE]\n\n")
		}},
		silence,
	}
)

// reset ends the connection without a goodbye.
func reset(w http.ResponseWriter, _ *http.Request) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(err)
	}
	_ = conn.(*net.TCPConn).SetLinger(0)
	_ = conn.Close()
}

// failing are replicas that treat every streamed request so, and are well otherwise.
type failing struct {
	ending
	well    http.Handler
	streams atomic.Int64 // such requests so far
}

func (f *failing) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	var compact bytes.Buffer
	for field := range bytes.FieldsSeq(body) {
		compact.Write(field)
	}
	if r.Method != http.MethodPost || !bytes.Contains(compact.Bytes(), []byte(`"stream":true`)) {
		r.Body = io.NopCloser(bytes.NewReader(body))
		f.well.ServeHTTP(w, r)
		return
	}
	f.streams.Add(1)
	switch {
	case f.status != 0:
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(f.status)
		fmt.Fprintf(w, `{"error":{"message":"on purpose","type":"test","code":%d}}`, f.status)
	case f.before:
		f.end(w, r)
	default:
		w.Header().Set("Content-Type", "text/event-stream")
		for range 3 {
			fmt.Fprint(w, `data: {"id":"x","object":"chat.completion.chunk","created":1,"model":"sim","choices":[{"index":0,"delta":{"content":"word "},"finish_reason":null}]}`+"\n\n")
			_ = http.NewResponseController(w).Flush()
		}
		f.end(w, r)
	}
}

// startFailing starts two of them behind one counter, and gives their addresses.
func startFailing(t testing.TB, e ending) (f *failing, urls []string) {
	t.Helper()
	cfg := sim.DefaultConfig()
	cfg.Model = model
	well, err := sim.New(cfg, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(well.Close)
	f = &failing{ending: e, well: well.Handler()}
	for range 2 {
		server := httptest.NewServer(f)
		t.Cleanup(func() {
			server.CloseClientConnections() // a silent stream would hold it
			server.Close()
		})
		urls = append(urls, server.URL)
	}
	return f, urls
}

// What a client sees where every replica fails in the same way, with each router's defaults, is what docs/targets.md says.
func TestEndings(t *testing.T) {
	page := readTable(t)
	t.Run("with", func(t *testing.T) {
		for _, r := range routers {
			t.Run(r.name, func(t *testing.T) {
				t.Parallel()
				page.play(t, r)
			})
		}
	})
	if *update && !t.Failed() {
		page.write(t)
	}
}

// play plays every ending behind the router. LiteLLM starts for so long that one has to do for all, with a model for each; where a router
// knows one model it is new for each, for it remembers who has failed.
func (p *table) play(t *testing.T, r router) {
	var every []served
	replicas := make([]*failing, len(endings))
	for i, e := range endings {
		var urls []string
		replicas[i], urls = startFailing(t, e)
		every = append(every, served{fmt.Sprintf("sim-%d", i), urls})
	}
	var one *front
	if r.many {
		one = r.startModels(t, every...)
	}
	for i, e := range endings {
		t.Run(e.name, func(t *testing.T) {
			through := one
			if one == nil {
				every[i].model = model
				through = r.startModels(t, every[i])
			}
			got := bench(t, through.Base, 1, 1, "--model", every[i].model, "--request-timeout", "10s")
			if len(got.requests) != 1 {
				t.Fatalf("%d requests", len(got.requests))
			}
			q := got.requests[0]
			cell := fmt.Sprintf("%d after %d, `%s`", q.Status, replicas[i].streams.Load(), q.Outcome)
			t.Logf("%s: %s", cell, q.Error)
			p.hold(t, e.name, r.name, cell)
		})
	}
}

// Comments keep a connection open, not a request alive: behind smg a silent replica's stream has one each second, and still ends by our timeout.
func TestPings(t *testing.T) {
	t.Parallel()
	_, urls := startFailing(t, silence)
	through := smg.with("--sse-keepalive-secs", "1").start(t, urls...)
	resp, err := http.Post(through.Base+"/v1/chat/completions", "application/json", strings.NewReader(`{"model":"sim","stream":true,"messages":[{"role":"user","content":"hi"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var seen strings.Builder
	for buffer := make([]byte, 4096); strings.Count(seen.String(), ": ping") < 2; {
		n, err := resp.Body.Read(buffer)
		seen.Write(buffer[:n])
		if err != nil {
			t.Fatalf("%v after %q", err, seen.String())
		}
	}
	const limit = 6 * time.Second
	got := bench(t, through.Base, 1, 1, "--request-timeout", limit.String())
	q := got.requests[0]
	if took := time.Duration(q.End - q.Sent); q.Outcome != "timeout" || took < limit || len(q.Events.At) != 3 {
		t.Errorf("%s after %v with %d events, want a timeout after %v with 3", q.Outcome, took, len(q.Events.At), limit)
	}
}
