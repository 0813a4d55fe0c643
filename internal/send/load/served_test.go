package load

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/inferometer/inferometer/internal/send/protocol/stream"
	"github.com/inferometer/inferometer/internal/send/wire"
)

// By each engine the journal names the replica that each request had, also of those that failed; HTTP/2 is no other.
func TestRealWhoServedIt(t *testing.T) {
	for _, engine := range []string{"loop", "nethttp", "http2"} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			var mu sync.Mutex
			truth := map[string]string{}
			srv := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body)
				id := r.Header.Get("X-Request-Id")
				n, _ := strconv.Atoi(strings.TrimPrefix(id, "t-"))
				name := fmt.Sprintf("http://10.0.0.%d:8000", n%3)
				mu.Lock()
				truth[id] = name
				mu.Unlock()
				w.Header().Set("X-Smg-Routed-Worker-Id", name)
				if n%5 == 0 {
					http.Error(w, "no", http.StatusServiceUnavailable)
					return
				}
				fmt.Fprintf(w, "data: {\"choices\":[{\"index\":0,\"text\":\"a\",\"finish_reason\":\"length\"}],\"usage\":{\"prompt_tokens\":3,\"completion_tokens\":1}}\n\ndata: [DONE]\n\n")
			}))
			srv.EnableHTTP2 = engine == "http2"
			if srv.EnableHTTP2 {
				srv.StartTLS()
			} else {
				srv.Start()
			}
			defer srv.Close()
			const n = 60
			cfg, read := setup(t, &server{url: srv.URL, noLoop: engine != "loop"}, "vllm", closed(), &prompts{n: n, tokens: 1})
			if srv.EnableHTTP2 {
				tr := wire.NewNetHTTP(wire.NetHTTPConfig{Clock: cfg.Clock, Connections: 10, Insecure: true, HTTP2: true})
				defer tr.Close()
				cfg.Transport = tr
			}
			if _, err := Run(context.Background(), nil, cfg); err != nil {
				t.Fatal(err)
			}
			records, _ := read()
			if len(records) != n {
				t.Fatalf("%d records", len(records))
			}
			for _, r := range records {
				if r.Replica != truth[r.ID] || r.Replica == "" {
					t.Errorf("%s (%s): replica %q, want %q", r.ID, r.Outcome, r.Replica, truth[r.ID])
				}
			}
		})
	}
}

// Names that change with each request fill neither the memory nor the report.
func TestNamesAreBounded(t *testing.T) {
	t.Parallel()
	var all names
	for i := range MaxNames + 7 {
		name := "pod-" + strconv.Itoa(i)
		if got := all.known(name); (got == name) != (i < MaxNames) {
			t.Fatalf("name %d is %q", i, got)
		}
	}
	if all.known("pod-3") != "pod-3" || all.known("") != "" || all.unnamed != 7 {
		t.Errorf("%d are unnamed", all.unnamed)
	}
}

// What Dynamo tells becomes the record's.
func TestWhatDynamoSays(t *testing.T) {
	virtual(t, func(t *testing.T) {
		w := &worker{run: &run{}}
		w.sink.Stream = stream.New(stream.Answers{}, nil)
		w.sink.Trace.Served = stream.Served{Replica: "8", Prefiller: "9", Retries: 2, HitRate: 0.5, HitRateKnown: true, Queue: 1, TTFT: 2, Transfer: 3}
		w.record.UsagePrompt = 64
		w.served(&job{})
		r := &w.record
		if r.Replica != "8" || r.Prefiller != "9" || r.Retries != 2 || r.Believed != 32 || !r.BelievedKnown || r.ServerQueueNs != 1 || r.ServerTTFTNs != 2 || r.ServerTransferNs != 3 {
			t.Errorf("%+v", r)
		}
	})
}
