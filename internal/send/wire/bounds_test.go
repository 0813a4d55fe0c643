package wire

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// fed runs a body of which so many tokens are asked for through a Stream, and says
// whether it had enough before the end.
func fed(asked int, header http.Header, pieces ...string) (*Trace, bool) {
	s := NewStream(chat{})
	s.Reset(asked)
	s.Head(200, header, Stamp{})
	for i, p := range pieces {
		if s.Body([]byte(p), Stamp{At: int64(i)}) {
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
	s := NewStream(chat{})
	s.Reset(0)
	s.Head(200, http.Header{}, Stamp{})
	s.Body([]byte(`data: {"id":"`+strings.Repeat("i", 5<<20)), Stamp{})
	s.Body([]byte(`","choices":[{"delta":{"content":"\n`+strings.Repeat("a", 5<<20)+`"},"finish_reason":"`+strings.Repeat("f", 5<<20)+"\"}]}\n\n"), Stamp{})
	if n := len(s.Trace.Text); n != 5<<20+1 || len(s.Trace.ServerID) != maxWord || len(s.Trace.FinishReason) != maxWord {
		t.Fatalf("%d bytes of text, id %d, finish reason %d", n, len(s.Trace.ServerID), len(s.Trace.FinishReason))
	}
	s.Reset(0)
	if n := cap(s.sse.line) + cap(s.Trace.Text) + cap(s.decoder.scan.text) + cap(s.decoder.scan.data); n > keepBuffer {
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
		{"many times as long", 48, 630, 0, 48*overTimes + overTokens + 1},
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

// Both transports say the same of the same bytes.
func TestTransportsAgree(t *testing.T) {
	const ok, chunked = "HTTP/1.1 200 OK\r\n", "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"
	for _, tt := range []struct {
		name, answer, body string // no body: an error
	}{
		{"a folded header", ok + "X-A: b\r\n c\r\n" + chunked, "hello"},
		{"a folded length", ok + "Content-Length:\r\n 5\r\n\r\nhello", "hello"},
		{"a length folded in two", ok + "Content-Length: 1\r\n 5\r\n\r\nhello", ""},
		{"nothing to fold", ok + " X-A: b\r\n" + chunked, ""},
		{"NUL in a name", ok + "X-\x00: a\r\n" + chunked, ""},
		{"NUL in a value", ok + "X-A: a\x00b\r\n" + chunked, ""},
		{"a bare CR in a value", ok + "X-A: a\rb\r\n" + chunked, ""},
		{"bare LFs in the head", strings.ReplaceAll(ok+"X-A: b\r\nContent-Length: 5\r\n\r\n", "\r", "") + "hello", "hello"},
		{"bare LFs between chunks", ok + strings.ReplaceAll(chunked, "\r", ""), ""},
		{"chunks in HTTP/1.0", "HTTP/1.0 200 OK\r\n" + chunked, "5\r\nhello\r\n0\r\n\r\n"},
		{"five 1xx", strings.Repeat("HTTP/1.1 100 Continue\r\n\r\n", 5) + ok + chunked, "hello"},
		{"six 1xx", strings.Repeat("HTTP/1.1 100 Continue\r\n\r\n", 6) + ok + chunked, ""},
		{"a chunk of 17 digits", ok + "Transfer-Encoding: chunked\r\n\r\n00000000000000005\r\nhello\r\n0\r\n\r\n", ""},
		{"a chunk of 16 digits", ok + "Transfer-Encoding: chunked\r\n\r\n0000000000000005\r\nhello\r\n0\r\n\r\n", "hello"},
		{"a space before the colon", ok + "X-A : b\r\n" + chunked, "hello"},
		{"half a status", "HTTP/1.1 2", ""},
		{"headers without end", ok + strings.Repeat("X-A: "+strings.Repeat("b", 1000)+"\r\n", 2000) + chunked, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			url := rawServer(t, tt.answer, func(*net.TCPConn) {})
			eachTransport(t, func(t *testing.T, _ *Clock, tr Transport) {
				var rec recorder
				_, err := tr.Do(context.Background(), &Request{URL: url}, &rec)
				if string(rec.body) != tt.body && tt.body != "" || (err == nil) != (tt.body != "") {
					t.Errorf("body %q, %v", rec.body, err)
				}
				if tt.name == "half a status" && errors.Is(err, io.ErrUnexpectedEOF) {
					t.Errorf("%v, not what is wrong with the bytes", err)
				}
			})
		})
	}
}

// The words of an error may be longer than what we keep of them: the connection stays.
func TestAnErrorsBodyCostsNoConnection(t *testing.T) {
	eachTransport(t, func(t *testing.T, _ *Clock, tr Transport) {
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusInternalServerError)
			fmt.Fprint(w, strings.Repeat("words ", 5000))
		}))
		defer srv.Close()
		s := NewStream(chat{})
		for i := range 3 {
			s.Reset(2)
			conn, err := tr.Do(context.Background(), &Request{URL: srv.URL}, s)
			if err != nil || len(s.Trace.ErrorBody) != maxErrorBody || conn.New != (i == 0) {
				t.Errorf("request %d: new connection %v, %d bytes kept, %v", i, conn.New, len(s.Trace.ErrorBody), err)
			}
		}
	})
}

func TestCheckHeader(t *testing.T) {
	for _, tt := range []struct {
		name, value string
		ok          bool
	}{
		{"X-A", "b", true},
		{"X-A", "é\tb", true},
		{"X-A", "a\r\nX-Injected: b", false},
		{"X-A", "a\nb", false},
		{"X A", "b", false},
		{"X-A\r\n", "b", false},
		{"", "b", false},
	} {
		if err := CheckHeader(tt.name, tt.value); (err == nil) != tt.ok {
			t.Errorf("%q: %q: %v", tt.name, tt.value, err)
		}
	}
	if _, err := NewLoop(LoopConfig{Clock: NewClock(), Header: http.Header{"Host": {"a\r\nX-Injected: b"}}}); err == nil {
		t.Error("the event loop takes a header with a line break")
	}
}
