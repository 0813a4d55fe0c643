package record

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"strings"
	"syscall"
	"time"

	"github.com/inferometer/inferometer/internal/clock"
	"github.com/inferometer/inferometer/internal/errno"
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/outside"
	"github.com/inferometer/inferometer/internal/send/protocol/stream"
	"github.com/inferometer/inferometer/internal/send/trace"
	"github.com/inferometer/inferometer/tokenizer"
)

// Unread: the answer passed whole, and nobody here could read it.
const Unread = "unread"

// mostText bounds the texts of a row.
const mostText = 4 << 20

// mostCounted bounds a text that a tokenizer counts, which takes some 25 bytes of memory for each of the
// text's: two million tokens of four.
const mostCounted = 8 << 20

const textEvents = stream.EventText | stream.EventReasoning | stream.EventTool

// makeRow makes a row of what is known of an exchange.
func (w *writer) makeRow(x *exchange, data []byte) *row {
	at := ms(x.since)
	r := &row{seq: x.seq, ended: clock.Now(), size: 256, Recorded: trace.Recorded{
		Version: trace.RecordedVersion, ID: x.seq + 1, Timestamp: &at, Time: x.at.UTC().Format("2006-01-02T15:04:05.000000Z"),
		Path: x.kind.path, Protocol: x.kind.backend, Stream: x.stream, Status: x.status, Outcome: string(x.outcome()), E2EL: ms(x.took),
	}}
	a, readable := readRequest(data)
	if !readable {
		a = &asked{}
	}
	r.Model, r.Sampling, r.ToolResults = outside.Word(a.model), a.sampling, a.results
	w.answer(r, x)
	w.prompt(r, a)
	w.belongs(r, x, a)
	w.askFor(r, x, a, data)
	if r.chain != nil {
		r.size += 8 * len(r.chain.ids)
	}
	if w.r.opts.Texts {
		w.texts(r, x, data, readable)
	}
	if r.Outcome != string(journal.Complete) {
		w.r.counts.failed.Add(1)
	}
	return r
}

// answer takes over what the answer said, and when.
func (w *writer) answer(r *row, x *exchange) {
	if x.answer == nil || x.status != 200 {
		return
	}
	t := &x.answer.Trace
	r.Finish, r.ToolCalls = outside.Word(t.FinishReason), len(t.Tools)
	events, tokens := 0, 0
	for _, e := range t.Events {
		tokens += max(e.Tokens, 0)
		if e.Kind&textEvents == 0 {
			continue
		}
		if events++; events == 1 && x.stream {
			first := ms(time.Duration(e.At))
			r.TTFT = &first
		}
	}
	if t.HasUsage && t.Usage.Prompt > 0 {
		n := t.Usage.Prompt
		r.Input, r.InputBy = &n, trace.ByUsage
	} else if n, known := t.PromptTokens(); known {
		r.Input, r.InputBy = &n, trace.ByTimings
	}
	over := t.Done || t.FinishReason != ""
	switch {
	case t.HasUsage && (over || t.Usage.Output >= events):
		n := t.Usage.Output
		r.Output, r.OutputBy = &n, trace.ByUsage
	case t.Timings.Output > 0 && (over || t.Timings.Output >= events):
		n := t.Timings.Output
		r.Output, r.OutputBy = &n, trace.ByTimings
	case t.TokensBy >= stream.TokensByLogprobs:
		r.Output, r.OutputBy = &tokens, trace.ByTokenIDs
	case w.r.opts.Tokenizer != nil && events > 0 && len(t.Reasoning)+len(t.Text) <= mostCounted && !x.toolCalls():
		if ids, err := w.r.opts.Tokenizer.Encode(string(t.Reasoning) + string(t.Text)); err == nil {
			n := len(ids)
			r.Output, r.OutputBy = &n, trace.ByTokenizer
		}
	case x.stream && events > 0:
		r.Output, r.OutputBy = &events, trace.ByEvents
	}
}

// belongs finds the session of a request, and the one that it continues.
func (w *writer) belongs(r *row, x *exchange, a *asked) {
	switch {
	case x.session != "":
		r.Session, r.SessionBy = w.hash.name(x.session), trace.ByHeader
	case a.session != "":
		r.Session, r.SessionBy = w.hash.name(a.session), trace.ByBody
	}
	text := a.prompt.text
	if a.prompt.ids != nil {
		text = string(idBytes(a.prompt.ids))
	}
	if text == "" || !x.kind.generates() {
		return
	}
	places := w.lineage.places(a.model, text)
	before := w.lineage.find(places, text, r.Session, x.at)
	if before != nil {
		r.Continues = before.id
	}
	if r.Session == "" {
		r.SessionBy = trace.ByPrefix
		if before != nil {
			r.Session = before.session
		} else {
			r.Session = w.hash.name(fmt.Sprint("request ", r.ID))
		}
	}
	if !trace.IsReplayed(r.Outcome) {
		return
	}
	answer := ""
	if x.answer != nil {
		answer = string(x.answer.Trace.Text)
	}
	w.lineage.add(&earlier{id: r.ID, session: r.Session, ended: x.at.Add(x.heard)}, places, text, answer)
}

// toolCalls says whether the answer holds calls of tools: their tokens are more than those of its text.
func (x *exchange) toolCalls() bool { return len(x.answer.Trace.Tools) > 0 }

// prompt counts and names the blocks of a prompt.
func (w *writer) prompt(r *row, a *asked) {
	p, v := &a.prompt, w.r.opts.Tokenizer
	if p.ids == nil && p.text == "" {
		return
	}
	r.chain = w.hash.chain(a.model)
	switch {
	case p.ids != nil:
		r.exact = true
		r.chain.ofIDs(p.ids)
		if n := len(p.ids); r.Input == nil {
			r.Input, r.InputBy = &n, trace.ByTokenIDs
		}
	case v != nil:
		ids, err := tokensOf(v, p)
		if err != nil {
			r.chain = nil
			return
		}
		r.chain.ofIDs(ids)
		if n := len(ids); r.Input == nil {
			r.Input, r.InputBy = &n, trace.ByTokenizer
		}
	default:
		r.chain.ofText(p.text)
		r.bytes = len(p.text)
		w.learn(r)
	}
}

// learn looks at how many tokens a prompt has in how many bytes, until the first row is written.
func (w *writer) learn(r *row) {
	if r.Input != nil && r.bytes > 0 && w.block == 0 {
		w.sized++
		w.sumTokens += float64(*r.Input)
		w.sumBytes += float64(r.bytes)
	}
}

// tokensOf are those of a prompt: by the model's chat template, where it has one and the
// messages are plain.
func tokensOf(v Tokenizer, p *prompt) ([]int32, error) {
	if len(p.text) > mostCounted {
		return nil, errLong
	}
	if p.messages == nil {
		return v.EncodeWithSpecial(p.text)
	}
	if c, ok := v.(interface {
		ApplyChatTemplate(messages []tokenizer.Message, o tokenizer.ChatOptions) (string, error)
	}); ok {
		if text, err := c.ApplyChatTemplate(p.messages, tokenizer.ChatOptions{AddGenerationPrompt: true}); err == nil {
			return v.Encode(text)
		}
	}
	return v.Encode(p.text)
}

var errLong = fmt.Errorf("it is longer than %d bytes, and not counted", mostCounted)

func (w *writer) texts(r *row, x *exchange, data []byte, readable bool) {
	if readable && len(data) <= mostText {
		r.Request = json.RawMessage(data)
	}
	if x.answer != nil && x.status == 200 && len(x.answer.Trace.Text) <= mostText {
		text := strings.ToValidUTF8(string(x.answer.Trace.Text), "\uFFFD")
		r.Answer = &text
	}
	r.size += len(r.Request) + lengthOf(r.Answer)
}

func lengthOf(s *string) int {
	if s == nil {
		return 0
	}
	return len(*s)
}

// outcome says how an exchange ended, in the words of a run's journal.
func (x *exchange) outcome() journal.Outcome {
	switch {
	case x.status == 0 && x.gone, x.status != 0 && !x.ended && x.gone:
		return journal.Cancelled
	case x.status == 0:
		return noAnswer(x.err)
	case x.status >= 500:
		return journal.HTTP5xx
	case x.status >= 400:
		return journal.HTTP4xx
	case x.status != 200:
		return journal.Protocol
	case x.answer == nil && x.ended:
		return Unread
	case x.answer == nil:
		return broken(x.err)
	}
	t := &x.answer.Trace
	over := t.Done || t.FinishReason != ""
	switch {
	case t.ErrorMark:
		return journal.StreamError
	case x.err != nil && !over:
		return broken(x.err)
	case t.Malformed != nil:
		return Unread
	case !over:
		return journal.Truncated
	case len(t.Events) == 0:
		return journal.Empty
	}
	return journal.Complete
}

// noAnswer tells a connection that never came about from one that broke.
func noAnswer(err error) journal.Outcome {
	var op *net.OpError
	var dns *net.DNSError
	if errors.As(err, &op) && op.Op == "dial" || errors.As(err, &dns) || errno.Is(err, syscall.ECONNREFUSED) {
		return journal.Refused
	}
	return journal.Reset
}

func broken(err error) journal.Outcome {
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return journal.Truncated
	}
	return journal.Reset
}

// ms is a time in milliseconds, to the microsecond.
func ms(d time.Duration) float64 { return math.Round(float64(d)/1e3) / 1e3 }
