package load

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/send/protocol"
	"github.com/inferometer/inferometer/internal/send/protocol/stream"
	"github.com/inferometer/inferometer/internal/send/wire"
)

// What routers write when the replica of a stream breaks.
const (
	smgError     = `data: {"error":{"code":null,"message":"Stream error: error decoding response body","param":null,"type":"stream_error"}}` + "\n\n"
	liteLLMError = `data: {"error": {"message": "litellm.APIConnectionError: APIConnectionError: OpenAIException - peer closed connection without sending complete message body (incomplete chunked read)", "type": null, "param": null, "code": "500"}}` + "\n\n"
)

// A router's error event makes an answer a failure by every protocol, whatever comes behind it.
func TestErrorEventIsAFailure(t *testing.T) {
	t.Parallel()
	for _, name := range protocol.Backends() {
		b, err := protocol.FindBackend(name)
		if err != nil {
			t.Fatal(err)
		}
		if name == "custom" || b.Framing == stream.Whole {
			continue // its file says what an error is; there are no events
		}
		for _, event := range []string{smgError, liteLLMError, strings.Replace(smgError, "data:", "event: error\ndata:", 1)} {
			for _, ending := range []string{"", "data: [DONE]\n\n"} {
				text := event + ending
				if b.Framing == stream.Lines {
					_, text, _ = strings.Cut(event, "data: ")
				}
				s := protocol.NewStream(b)
				s.Reset(16)
				s.Head(200, http.Header{}, wire.Stamp{At: 1})
				s.Body([]byte(text), wire.Stamp{At: 2})
				s.Finish()
				if got, words := judge(&s.Trace, nil, asked{tokens: 16}); got != journal.StreamError || !strings.Contains(words, "rror") {
					t.Errorf("%s: %s: %q after %q", name, got, words, text)
				}
			}
		}
	}
}

// Over both engines: smg's error event with [DONE] behind it, LiteLLM's without, a body that is cut, and errors that say that they are streams.
func TestRealBrokenBehindARouter(t *testing.T) {
	const chunk = `data: {"id":"a","choices":[{"index":0,"text":"a","finish_reason":null}]}` + "\n\n"
	for _, tt := range []struct {
		name, body string
		status     int
		cut        bool
		want       journal.Outcome
		words      string
	}{
		{"smg", chunk + smgError + "data: [DONE]\n\n", 200, false, journal.StreamError, "error decoding"},
		{"LiteLLM", chunk + liteLLMError, 200, false, journal.StreamError, "peer closed"},
		{"sglang-router", chunk, 200, true, journal.Truncated, "closed"},
		{"an error with the type of a stream", `{"error":{"message":"No available workers","code":"no_available_workers"}}`, 503, false, journal.HTTP5xx, "No available workers"},
		{"a refusal with the type of a stream", "data: {\"error\":{\"message\":\"too long\"}}\n\ndata: [DONE]\n\n", 400, false, journal.HTTP4xx, "too long"},
	} {
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			w.Header().Set("Content-Type", "text/event-stream")
			w.WriteHeader(tt.status)
			fmt.Fprint(w, tt.body)
			_ = http.NewResponseController(w).Flush()
			if tt.cut {
				panic(http.ErrAbortHandler)
			}
		}))
		for _, noLoop := range []bool{false, true} {
			cfg, read := setup(t, &server{url: srv.URL, noLoop: noLoop}, "vllm", closed(), &prompts{n: 3, tokens: 8})
			if _, err := Run(context.Background(), nil, cfg); err != nil {
				t.Fatal(err)
			}
			records, _ := read()
			for _, r := range records {
				if r.Outcome != tt.want || !strings.Contains(r.Error, tt.words) || r.Status != tt.status {
					t.Errorf("%s, net/http %v: %d %s: %q", tt.name, noLoop, r.Status, r.Outcome, r.Error)
				}
			}
		}
		srv.Close()
	}
}

// Comments that keep a connection alive are no events: not the first token, and a silence stays as long as it was.
func TestPingsHideNoSilence(t *testing.T) {
	t.Parallel()
	b, err := protocol.FindBackend("vllm")
	if err != nil {
		t.Fatal(err)
	}
	s := protocol.NewStream(b)
	s.Reset(2)
	s.Head(200, http.Header{}, wire.Stamp{At: 1})
	at, second := int64(0), int64(time.Second)
	feed := func(text string) {
		at += second
		s.Body([]byte(text), wire.Stamp{At: at})
	}
	for range 5 {
		feed(": ping\n\n")
	}
	feed(`data: {"choices":[{"index":0,"text":"a"}]}` + "\n\n")
	for range 30 {
		feed(": ping\n\n")
	}
	feed(`data: {"choices":[{"index":0,"text":"b","finish_reason":"length"}]}` + "\n\ndata: [DONE]\n\n")
	s.Finish()
	ev := s.Trace.Events
	if len(ev) != 2 || ev[0].At != 6*second || ev[1].At-ev[0].At != 31*second {
		t.Errorf("%+v", ev)
	}
	if got, words := judge(&s.Trace, nil, asked{tokens: 2}); got != journal.Complete {
		t.Errorf("%s: %s", got, words)
	}
}
