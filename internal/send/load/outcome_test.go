package load

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/send/protocol/stream"
	"github.com/inferometer/inferometer/internal/send/wire"
)

func TestJudge(t *testing.T) {
	token := stream.Event{Kind: stream.EventChoices | stream.EventText, Tokens: -1}
	reset := fmt.Errorf("read: %w", os.NewSyscallError("recvmsg", syscall.ECONNRESET))
	dial := &net.OpError{Op: "dial", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
	usage := func(n int) stream.Trace {
		return stream.Trace{Status: 200, Done: true, FinishReason: "length", Events: []stream.Event{token}, HasUsage: true, Usage: stream.Usage{Output: n}}
	}
	tests := []struct {
		name  string
		trace stream.Trace
		err   error
		want  journal.Outcome
		words string // that the error must hold
	}{
		{"complete", usage(4), nil, journal.Complete, ""},
		{"done is enough", stream.Trace{Status: 200, Done: true, Events: []stream.Event{token}}, nil, journal.Complete, ""},
		{"a finish reason is enough", stream.Trace{Status: 200, FinishReason: "length", Events: []stream.Event{token}}, nil, journal.Complete, ""},
		{"a reset after the end hurts nobody", usage(4), reset, journal.Complete, ""},
		{"more tokens than asked for", usage(5), nil, journal.Complete, ""},
		{"an invisible token", stream.Trace{Status: 200, Done: true, HasUsage: true, Usage: stream.Usage{Output: 4}}, nil, journal.Complete, ""},
		{"short", usage(3), nil, journal.Short, "3 of 4"},
		{"short without usage", stream.Trace{Status: 200, FinishReason: "stop", Events: []stream.Event{token}}, nil, journal.Short, "by itself"},
		{"short by logprobs", stream.Trace{Status: 200, Done: true, Events: []stream.Event{{Kind: stream.EventText, Tokens: 2}}, TokensBy: stream.TokensByLogprobs}, nil, journal.Short, "2 of 4"},
		{"empty", stream.Trace{Status: 200, Done: true, FinishReason: "stop"}, nil, journal.Empty, ""},
		{"truncated, in good order", stream.Trace{Status: 200, Events: []stream.Event{token}}, nil, journal.Truncated, "after 1 events"},
		{"truncated, by a FIN", stream.Trace{Status: 200, Events: []stream.Event{token}}, io.ErrUnexpectedEOF, journal.Truncated, "closed"},
		{"no event at all", stream.Trace{Status: 200}, nil, journal.Truncated, ""},
		{"reset", stream.Trace{Status: 200, Events: []stream.Event{token}}, reset, journal.Reset, "reset"},
		{"reset before an answer", stream.Trace{}, reset, journal.Reset, "reset"},
		{"closed before an answer", stream.Trace{}, io.EOF, journal.Reset, ""},
		{"refused", stream.Trace{}, dial, journal.Refused, "refused"},
		{"no such host", stream.Trace{}, &net.DNSError{Err: "no such host", Name: "x"}, journal.Refused, "no such host"},
		{"bad answer", stream.Trace{}, errors.New("malformed HTTP response"), journal.Protocol, "malformed"},
		{"bytes on a kept connection", stream.Trace{}, errors.New("net/http: HTTP/1.x transport connection broken: readLoopPeekFailLocked: %!w(<nil>)"), journal.Protocol, "nobody had asked for"},
		{"error event", stream.Trace{Status: 200, Done: true, ErrorMark: true, ErrorBody: []byte("out of memory")}, nil, journal.StreamError, "out of memory"},
		{"bad event", stream.Trace{Status: 200, Done: true, Malformed: errors.New("not JSON")}, nil, journal.Protocol, "not JSON"},
		{"404", stream.Trace{Status: 404, ErrorBody: []byte("no such model")}, nil, journal.HTTP4xx, "HTTP 404: no such model"},
		{"503 without words", stream.Trace{Status: 503}, nil, journal.HTTP5xx, "HTTP 503"},
		{"a redirect", stream.Trace{Status: 307}, nil, journal.Protocol, "307"},
		{"timeout", stream.Trace{Status: 200, Events: []stream.Event{token}}, wire.ErrTimeout, journal.Timeout, "after 1 events"},
		{"timeout before an answer", stream.Trace{}, wire.ErrTimeout, journal.Timeout, "before an answer"},
		{"deadline", stream.Trace{}, errDeadline, journal.Cancelled, "deadline"},
		{"signal", stream.Trace{Status: 200}, errSignal, journal.Cancelled, "signal"},
		{"bytes that are no text", stream.Trace{Status: 500, ErrorBody: []byte("\xff\xfe")}, nil, journal.HTTP5xx, "\uFFFD"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, words := judge(&tt.trace, tt.err, asked{tokens: 4, ignoreEOS: true})
			if got != tt.want || !strings.Contains(words, tt.words) || (got == journal.Complete) != (words == "") {
				t.Errorf("judge() = %s, %q; want %s with %q", got, words, tt.want, tt.words)
			}
		})
	}
}

func TestAStopIsNotShortUnlessEOSWasToBeIgnored(t *testing.T) {
	tr := stream.Trace{Status: 200, Done: true, FinishReason: "stop", HasUsage: true, Usage: stream.Usage{Output: 1}}
	if got, _ := judge(&tr, nil, asked{tokens: 4}); got != journal.Complete {
		t.Errorf("judge() = %s", got)
	}
}

// The journal keeps wire's bits as they are.
func TestEventKindsAreTheJournals(t *testing.T) {
	for w, j := range map[stream.EventKind]journal.EventKind{
		stream.EventChoices: journal.EventChoices, stream.EventText: journal.EventText, stream.EventReasoning: journal.EventReasoning,
		stream.EventTool: journal.EventTool, stream.EventFinish: journal.EventFinish, stream.EventUsage: journal.EventUsage,
	} {
		if journal.EventKind(w) != j {
			t.Errorf("wire's %b is the journal's %b", w, j)
		}
	}
}

// What no server has computed, none has in its cache.
func TestReached(t *testing.T) {
	for _, c := range []struct {
		outcome journal.Outcome
		status  int
		want    bool
	}{
		{journal.Complete, 200, true},
		{journal.Short, 200, true},
		{journal.Truncated, 200, true},
		{journal.Protocol, 200, true},
		{journal.Protocol, 302, false},
		{journal.Protocol, 0, false},
		{journal.Refused, 0, false},
		{journal.HTTP4xx, 429, false},
		{journal.HTTP5xx, 503, false},
		{journal.Timeout, 0, true},
		{journal.Cancelled, 0, true},
		{journal.Reset, 0, true},
	} {
		if got := reached(&journal.Request{Outcome: c.outcome, Status: c.status}); got != c.want {
			t.Errorf("%s, status %d: %v", c.outcome, c.status, got)
		}
	}
}
