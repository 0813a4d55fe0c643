package protocol

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/inferometer/inferometer/internal/send/protocol/stream"
	"github.com/inferometer/inferometer/internal/send/wire"
)

// fed runs a body of which so many tokens are asked for through a Stream, and says
// whether it had enough before the end.
func fed(asked int, header http.Header, pieces ...string) (*stream.Trace, bool) {
	s := NewStream(openAIChat)
	s.Reset(asked)
	s.Head(200, header, wire.Stamp{})
	for i, p := range pieces {
		if s.Body([]byte(p), wire.Stamp{At: int64(i)}) {
			return &s.Trace, true
		}
	}
	s.Finish()
	return &s.Trace, false
}

// Whatever a stream does, it takes a bounded amount of memory, and what it did is named.
func TestStreamIsBounded(t *testing.T) {
	const word = `data: {"choices":[{"delta":{"content":"a"}}]}` + "\n\n"
	megabyte := strings.Repeat("a", 1<<20)
	lines := func(first, piece string) []string {
		return append([]string{first}, strings.Split(strings.Repeat(piece+"|", 40), "|")...)
	}
	for _, tt := range []struct {
		name   string
		asked  int
		pieces []string
		want   string
	}{
		{"a line", 2, lines(`data: {"x":"`, megabyte), "a line of the stream is longer than 16 MiB"},
		{"data lines", 2, lines("", "data: "+megabyte+"\n"), "an event of the stream is longer than 16 MiB"},
		{"an event's name", 2, lines("event: ", megabyte), "a line of the stream is longer"},
		{"a text", 0, lines("", `data: {"choices":[{"delta":{"content":"`+megabyte+`"}}]}`+"\n\n"), "its text is longer than 16 MiB"},
		{"empty events", 2, lines("", strings.Repeat("data:{}\n\n", 1000)), "it has more than 10072 events"},
		{"after the end", 2, []string{word + ending, word}, "an event came after [DONE]"},
		{"going down", 2, []string{
			`data: {"choices":[{"delta":{"content":"a"}}],"usage":{"completion_tokens":3}}` + "\n\n",
			`data: {"choices":[{"delta":{"content":"a"}}],"usage":{"completion_tokens":1}}` + "\n\n",
		}, "1 after 3"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, enough := fed(tt.asked, http.Header{}, tt.pieces...)
			if !enough || got.Malformed == nil || !strings.Contains(got.Malformed.Error(), tt.want) {
				t.Errorf("enough %v, %v; want %q", enough, got.Malformed, tt.want)
			}
		})
	}
}

func TestStreamKeepsNoHugeBuffers(t *testing.T) {
	events := chat.Events().(*describedEvents)
	s := stream.New(stream.Answers{}, events)
	s.Reset(0)
	s.Head(200, http.Header{}, wire.Stamp{})
	s.Body([]byte(`data: {"id":"`+strings.Repeat("i", 5<<20)), wire.Stamp{})
	s.Body([]byte(`","choices":[{"delta":{"content":"\n`+strings.Repeat("a", 5<<20)+`"},"finish_reason":"`+strings.Repeat("f", 5<<20)+"\"}]}\n\n"), wire.Stamp{})
	if n := len(s.Trace.Text); n != 5<<20+1 || len(s.Trace.ServerID) != 200 || len(s.Trace.FinishReason) != 200 {
		t.Fatalf("%d bytes of text, id %d, finish reason %d", n, len(s.Trace.ServerID), len(s.Trace.FinishReason))
	}
	s.Reset(0)
	if n := cap(s.Trace.Text) + events.scan.Held(); n > 1<<20 {
		t.Errorf("%d bytes are kept", n)
	}
}

func TestFarLongerThanAsked(t *testing.T) {
	word := `data: {"choices":[{"delta":{"content":"a"}}]}` + "\n\n"
	for _, tt := range []struct {
		name          string
		asked, events int
		usage         int
		want          int
	}{
		{"as asked", 48, 48, 48, 0},
		{"a bit more", 48, 100, 100, 0},
		{"cut into pieces", 100, 450, 100, 0},
		{"many times as long", 48, 630, 0, 48*4 + 64 + 1},
		{"by the usage alone", 48, 10, 630, 630},
		{"nothing was asked", 0, 5000, 5000, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			end := fmt.Sprintf(`data: {"choices":[],"usage":{"completion_tokens":%d}}`+"\n\n", tt.usage)
			got, enough := fed(tt.asked, http.Header{}, strings.Repeat(word, tt.events), end, ending)
			if got.Overlong != tt.want || enough != (tt.want > 0) || got.Malformed != nil {
				t.Errorf("%d tokens too many, enough %v, %v", got.Overlong, enough, got.Malformed)
			}
		})
	}
}

func TestUsageForms(t *testing.T) {
	for _, tt := range []struct{ value, want string }{
		{"5", ""},
		{"5.0", ""},
		{"0.5e1", ""},
		{"100000000", "100000000"},
		{"null", "0"},
		{`"5"`, `completion_tokens is the string "5", not a number`},
		{"-5", "not a number of tokens"},
		{"2.5", "not a number of tokens"},
		{"1e308", "more than any model has"},
		{"1e999", "more than any model has"},
		{"100000001", "more than any model has"},
		{"9223372036854775808", "more than any model has"},
		{"true", "not a number of tokens"},
		{"{}", "not a number of tokens"},
		{"NaN", "not JSON"},
	} {
		t.Run(tt.value, func(t *testing.T) {
			got, _ := fed(0, http.Header{}, `data: {"choices":[],"usage":{"completion_tokens":`+tt.value+`,"prompt_tokens":3}}`+"\n\n"+ending)
			words := ""
			switch {
			case got.Malformed != nil:
				words = got.Malformed.Error()
			case got.Usage.Output != 5:
				words = fmt.Sprint(got.Usage.Output)
			}
			if !strings.Contains(words, tt.want) || (tt.want == "") != (words == "") {
				t.Errorf("%q, want %q", words, tt.want)
			}
		})
	}
}

func TestNotAStream(t *testing.T) {
	html := http.Header{"Content-Type": {"text/html; charset=utf-8"}}
	for _, tt := range []struct {
		name   string
		header http.Header
		body   string
		want   string
	}{
		{"a page", html, "<html>Login</html>", "the answer is an HTML page"},
		{"a long page", html, strings.Repeat("<p>hello</p>\n", 1000), "the answer is an HTML page"},
		{"a page that does not say so", http.Header{}, "<!DOCTYPE html>", "not a stream of events but: <!DOCTYPE"},
		{"a list", http.Header{}, "[1]", "not a stream of events but: [1]"},
		{"compressed", http.Header{"Content-Encoding": {"gzip"}}, "\x1f\x8b", "the answer is compressed"},
		{"compressed, empty", http.Header{"Content-Encoding": {"br"}}, "", "the answer is compressed"},
		{"not compressed", http.Header{"Content-Encoding": {"identity"}}, ending, ""},
		{"a page that is a stream", html, ending, ""},
		{"a page that is a stream of long events", html, `data: {"id":"` + strings.Repeat("i", 1000) + `","choices":[]}` + "\n\n" + ending, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, _ := fed(2, tt.header, tt.body)
			if (got.Malformed == nil) != (tt.want == "") || got.Malformed != nil && !strings.Contains(got.Malformed.Error(), tt.want) {
				t.Errorf("%v, want %q", got.Malformed, tt.want)
			}
		})
	}
}

// The words of an error may be longer than what we keep of them: the connection stays.
func TestAnErrorsBodyCostsNoConnection(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusInternalServerError)
		fmt.Fprint(w, strings.Repeat("words ", 5000))
	}))
	defer srv.Close()
	transports := map[string]wire.Transport{"nethttp": wire.NewNetHTTP(wire.NetHTTPConfig{Clock: wire.NewClock(), Connections: 2})}
	if loop, err := wire.NewLoop(wire.LoopConfig{Clock: wire.NewClock(), Connections: 2, Loops: 1}); err == nil {
		transports["loop"] = loop
	}
	for name, tr := range transports {
		t.Run(name, func(t *testing.T) {
			defer tr.Close()
			s := NewStream(openAIChat)
			for i := range 3 {
				s.Reset(2)
				conn, err := tr.Do(context.Background(), &wire.Request{URL: srv.URL}, s)
				if err != nil || len(s.Trace.ErrorBody) != 500 || conn.New != (i == 0) {
					t.Errorf("request %d: new connection %v, %d bytes kept, %v", i, conn.New, len(s.Trace.ErrorBody), err)
				}
			}
		})
	}
}
