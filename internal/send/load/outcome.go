package load

import (
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"syscall"

	"github.com/inferometer/inferometer/internal/errno"
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/send/protocol/stream"
	"github.com/inferometer/inferometer/internal/send/wire"
)

// asked is what a request asked for, as far as its outcome depends on it.
type asked struct {
	tokens    int
	ignoreEOS bool
	pooling   bool // an answer is one JSON value, and
	inputs    int  // has a vector or a score for each of so many
	whole     bool // an answer is a text in one piece
}

// judge decides how a request ended, and says why in the server's words where
// there are some. err is the transport's, or why we ended the request ourselves.
func judge(t *stream.Trace, err error, a asked) (journal.Outcome, string) {
	words := strings.TrimSpace(strings.ToValidUTF8(string(t.ErrorBody), "\uFFFD"))
	switch {
	case errors.Is(err, wire.ErrTimeout) && t.Done && t.Malformed == nil:
		return journal.Timeout, "[DONE] came, but the server did not end the response within --request-timeout"
	case errors.Is(err, wire.ErrTimeout):
		return journal.Timeout, "no end within --request-timeout" + progressOf(t)
	case errors.Is(err, errDeadline), errors.Is(err, errSignal), errors.Is(err, errOverlong), errors.Is(err, errGrace), errors.As(err, new(*failingError)):
		return journal.Cancelled, fmt.Sprintf("cancelled by us (%v)%s", err, progressOf(t))
	case errors.Is(err, wire.ErrHungUp) && !t.Ended():
		return journal.HungUp, "we hung up on purpose" + progressOf(t)
	case t.Status == 0:
		return noAnswer(err)
	case t.Status >= 500:
		return journal.HTTP5xx, statusWords(t.Status, words)
	case t.Status >= 400:
		return journal.HTTP4xx, statusWords(t.Status, words)
	case t.Status != 200:
		return journal.Protocol, statusWords(t.Status, words)
	case t.ErrorMark:
		return journal.StreamError, words
	case t.Malformed != nil:
		return journal.Protocol, t.Malformed.Error()
	case t.Overlong > 0:
		return journal.Long, fmt.Sprintf("%d tokens, %d were asked for: cut off", t.Overlong, a.tokens)
	}
	if a.pooling {
		return judgeWhole(t, err, a)
	}
	ended := t.Done || t.FinishReason != ""
	switch {
	case err != nil && !ended:
		return broken(t, err)
	case !ended && a.whole:
		return journal.Truncated, "the answer ended before its JSON did"
	case !anyToken(t) && a.whole:
		return journal.Empty, "the answer has no text"
	case !ended:
		return journal.Truncated, "the stream ended without a finish reason or [DONE]" + progressOf(t)
	case !anyToken(t):
		return journal.Empty, "the stream ended in good order without a token"
	case a.ignoreEOS:
		if words := shortBy(t, a.tokens); words != "" {
			return journal.Short, words
		}
	}
	return journal.Complete, ""
}

// judgeWhole is for an answer that is one JSON value. It has no tokens; what was asked
// for are vectors or scores.
func judgeWhole(t *stream.Trace, err error, a asked) (journal.Outcome, string) {
	switch {
	case err != nil && !t.Done:
		return broken(t, err)
	case !t.Done:
		return journal.Truncated, "the answer ended before its JSON did"
	case t.Items == 0:
		return journal.Empty, "the answer has no list of vectors or scores, or an empty one"
	case t.Items > 0 && t.Items < a.inputs:
		return journal.Short, fmt.Sprintf("%d of %d vectors or scores", t.Items, a.inputs)
	}
	return journal.Complete, ""
}

// noAnswer tells a connection that never came about from one that broke.
func noAnswer(err error) (journal.Outcome, string) {
	var op *net.OpError
	switch {
	case err == nil:
		return journal.Protocol, "no answer"
	case errors.As(err, &op) && op.Op == "dial", errno.Is(err, syscall.ECONNREFUSED), isDNS(err):
		return journal.Refused, err.Error()
	case errors.Is(err, io.EOF):
		return journal.Reset, "the server closed the connection before it answered (--no-keep-alive helps if it closes kept ones)"
	case isBreak(err):
		return journal.Reset, err.Error()
	case strings.Contains(err.Error(), "readLoopPeekFailLocked"): // net/http's word for it, which says nothing to anybody
		return journal.Protocol, "the server sent bytes that nobody had asked for on a kept connection (--no-keep-alive helps)"
	}
	return journal.Protocol, err.Error()
}

// broken is a stream that stopped before its end: by a FIN or by a reset.
func broken(t *stream.Trace, err error) (journal.Outcome, string) {
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return journal.Truncated, "the connection was closed before the end of the stream" + progressOf(t)
	}
	if isBreak(err) {
		return journal.Reset, err.Error() + progressOf(t)
	}
	return journal.Protocol, err.Error()
}

func isDNS(err error) bool {
	var dns *net.DNSError
	return errors.As(err, &dns)
}

func isBreak(err error) bool {
	return errno.Is(err, syscall.ECONNRESET, syscall.EPIPE, syscall.ECONNABORTED) ||
		errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed) ||
		errno.Is(err, syscall.ETIMEDOUT) || // the kernel gave up on the peer
		strings.Contains(err.Error(), "server closed idle connection")
}

func statusWords(status int, words string) string {
	if words == "" {
		return fmt.Sprintf("HTTP %d", status)
	}
	return fmt.Sprintf("HTTP %d: %s", status, words)
}

func progressOf(t *stream.Trace) string {
	if t.Status == 0 {
		return ", before an answer"
	}
	return fmt.Sprintf(", after %d events", len(t.Events))
}

// anyToken: some event carried text, or the server counted a token. A token may
// be invisible (a special one), and then only the count tells.
func anyToken(t *stream.Trace) bool {
	if t.Usage.Output > 0 {
		return true
	}
	for i := range t.Events {
		if t.Events[i].Kind&(stream.EventText|stream.EventReasoning|stream.EventTool) != 0 {
			return true
		}
	}
	return false
}

// shortBy says by what a stream that was to ignore its end fell short, or nothing.
// Without the server's count our own tokenizer's is not held against it (it may
// split the text in another way); but a finish reason "stop" speaks for itself.
func shortBy(t *stream.Trace, tokens int) string {
	got, known := t.Usage.Output, t.HasUsage
	if !known && t.TokensBy != stream.TokensUnknown {
		known = true
		for i := range t.Events {
			got += max(t.Events[i].Tokens, 0)
		}
	}
	switch {
	case known && got < tokens:
		return fmt.Sprintf("%d of %d tokens, finish reason %q", got, tokens, t.FinishReason)
	case !known && t.FinishReason == "stop":
		return fmt.Sprintf("stopped by itself before %d tokens", tokens)
	}
	return ""
}

// reached says whether a server may have computed the prompt, and so may keep it in
// its cache: not if there was no connection, nor if it was turned away by a status.
func reached(r *journal.Request) bool {
	switch r.Outcome {
	case journal.Refused, journal.HTTP4xx, journal.HTTP5xx:
		return false
	case journal.Protocol:
		return r.Status == 200 // else no completion: a login page, another protocol
	}
	return true // a broken or a cancelled one may have been computed
}
