package load

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/send/live"
	"github.com/inferometer/inferometer/internal/send/protocol"
	"github.com/inferometer/inferometer/internal/send/wire"
)

// worker holds the buffers of one exchange at a time.
type worker struct {
	held   []Hold // while the last record was open
	run    *run
	sink   countingSink
	record journal.Request
	line   []byte
	http   wire.Request
	counts []int       // of countEvents
	choice *likelihood // of this request; nil: none was asked for, or it is not known
	part   *live.Part  // where its latencies are counted; nil: nowhere
}

func newWorker(r *run) *worker {
	w := &worker{run: r}
	w.sink.Stream = protocol.NewStream(r.cfg.Protocol)
	w.sink.KeepAnswer = r.cfg.Conversations != nil
	w.part = r.cfg.Meter.Part()
	r.cfg.Progress.add(&w.sink)
	return w
}

// countingSink tells the progress display of tokens as they come. Each worker
// counts for itself, so that nobody waits for another.
type countingSink struct {
	*protocol.Stream
	load     bool         // this request is one of the load: no warm-up, no probe
	tokens   atomic.Int64 // of the load's requests so far
	finished atomic.Int64 // of those that have ended
	open     int64        // of this request

	part *live.Part // nil: the latencies of this request are not counted
	last int64      // its last token chunk, or, before the first, when it was sent
	any  bool       // it had a token chunk
}

func (s *countingSink) Body(data []byte, at wire.Stamp) bool {
	before := len(s.Trace.Events)
	enough := s.Stream.Body(data, at)
	n := int64(0)
	for i := before; i < len(s.Trace.Events); i++ {
		ev := &s.Trace.Events[i]
		if t := tokensOf(ev); t >= 0 {
			n += int64(t)
		} else {
			n++ // text of unknown length is one token at least; the end knows better
		}
		if s.part != nil && ev.Kind&protocol.EventChoices != 0 {
			s.chunk(ev.At)
		}
	}
	if s.part != nil && before < len(s.Trace.Events) && (at.Kernel || at.Lag > 0) {
		s.part.Lag(at.Lag)
	}
	s.count(n)
	return enough
}

// count adds to the tokens of this request.
func (s *countingSink) count(n int64) {
	if s.load {
		s.open += n
		s.tokens.Add(n)
	}
}

// chunk counts the time to a token chunk.
func (s *countingSink) chunk(at int64) {
	if s.any {
		s.part.Gap(at - s.last)
	} else {
		s.part.First(at - s.last)
		s.any = true
	}
	s.last = at
}

// ended corrects the count by the server's own.
func (s *countingSink) ended() {
	if s.Trace.HasUsage {
		s.count(int64(s.Trace.Usage.Output) - s.open)
	}
	s.finished.Add(s.open)
	s.open = 0
}

// exchange sends one request, waits for its end, and writes its line.
func (w *worker) exchange(j *job, then func(*journal.Request)) {
	r := w.run
	w.sink.Reset(j.request.OutputTokens)
	if j.scored != nil {
		w.sink.KeepEchoed()
	}
	w.http = wire.Request{URL: r.cfg.url(j.target), ID: j.id, Body: j.body, Timeout: r.cfg.Timeout}
	if j.session != "" {
		w.http.Session = wire.Session{Header: r.cfg.Conversations.Header, Value: j.session}
	}
	if !r.cfg.Trace.IsZero() && !j.warmup && then == nil { // what has no span is no parent of one
		w.http.Trace = r.cfg.Trace.Parent(j.request.Index)
	}
	sent := r.cfg.Clock.Now()
	w.sink.load = !j.warmup && then == nil
	w.measure(j, sent)
	conn, err := r.cfg.Transport.Do(r.ctx, &w.http, &w.sink)
	switch {
	case err == nil:
		w.sink.Finish()
	case errors.Is(err, context.Canceled):
		err = errSignal
	}
	end := r.cfg.Clock.Now()
	w.sink.ended()
	j.body = nil
	w.sink.Trace.Conn = conn
	w.fill(j, sent, end, err)
	if then != nil {
		then(&w.record)
	} else {
		w.line = journal.AppendRequest(w.line[:0], &w.record)
		w.line = w.appendAnswer(w.line, j)
		r.cfg.Journal.Append(w.line)
		if !j.warmup {
			r.cfg.Progress.done(w.record.Outcome == journal.Complete)
			r.cfg.Meter.Ended(string(w.record.Outcome), w.record.Error)
			if w.sink.any && w.record.Outcome == journal.Complete {
				w.sink.part.Whole(w.sink.last - sent)
			}
			r.watch.ended(&w.record)
			if r.cfg.Reached != nil && reached(&w.record) {
				r.cfg.Reached(j.promptHash, j.target)
			}
		}
	}
	if j.conversation != nil {
		r.conversations.answered(j, &w.record, &w.sink.Trace)
	}
	r.ended(w, j, end)
}

// measure has the sink count the latencies of a request that is part of the load, unless
// its answer comes in one piece.
func (w *worker) measure(j *job, sent int64) {
	w.sink.part, w.sink.last, w.sink.any = w.part, sent, false
	if j.warmup || w.run.cfg.Call.NoStream || w.run.cfg.Pooling {
		w.sink.part = nil
	}
}

// fill turns the trace into a record.
func (w *worker) fill(j *job, sent, end int64, err error) {
	t, secrets := &w.sink.Trace, w.run.cfg.Secrets
	events := w.record.Events
	w.record = journal.Request{
		Index: j.request.Index, ID: j.id, Warmup: j.warmup, Target: j.target,
		Conversation: j.request.Conversation, Turn: j.request.Turn, Model: j.request.Model, After: j.after, Delay: j.delay,
		Due: j.due, Released: j.released, Sent: sent, Headers: t.Headers, End: end,
		Status: t.Status, ServerID: secrets.Word(t.ServerID), Cut: t.Status != 0 && err != nil,
		NewConn: t.Conn.New, Reconnects: t.Conn.Reconnects, Retransmits: t.Conn.Retransmits, Reordered: t.Conn.Reordered, UnstampedRead: t.Conn.Unstamped,
		Inputs: j.inputs, SoundNs: j.soundNs, Media: j.media, PromptTokens: j.request.PromptTokens, OutputTokens: j.request.OutputTokens,
		UsagePrompt: t.Usage.Prompt, UsageOutput: t.Usage.Output, UsageCached: t.Usage.Cached, CachedKnown: t.Usage.CachedKnown,
		UsageReasoning: t.Usage.Reasoning, ReasoningKnown: t.Usage.ReasoningKnown,
		PlannedKnown: j.request.SharedOf > 0, PlannedPPM: j.request.SharedTokens * 1_000_000 / max(j.request.SharedOf, 1),
		ServerPromptNs: t.Timings.PromptNs, ServerOutputNs: t.Timings.OutputNs,
		FinishReason: secrets.Word(t.FinishReason), SharedReads: t.SharedReads,
		PromptHash: j.promptHash, TextHash: textHash(t.Text),
	}
	if t.Conn.New {
		w.record.RTT, w.record.Connect = int64(t.Conn.RTT), int64(t.Conn.Opened)
	}
	if t.Conn.Written > 0 {
		w.record.Written = max(t.Conn.Written-sent, 0)
	}
	if w.run.cfg.KeepPrompts {
		prompt := j.request.Prompt
		w.record.Prompt = &prompt
	}
	if w.run.cfg.KeepTexts {
		text := secrets.Scrub(string(t.Text))
		w.record.Text = &text
	}
	if !t.HasUsage && w.run.cfg.CountTokens != nil && len(t.Text) > 0 {
		if n, err := w.run.cfg.CountTokens(string(t.Text)); err == nil {
			w.record.TextTokens = n
		}
	}
	w.record.Outcome, w.record.Error = judge(t, err, w.asked(j))
	w.record.Error = secrets.Sentence(w.record.Error)
	w.score(j)
	// After the judgement, which our tokenizer has no part in.
	if w.record.Outcome == journal.Complete {
		w.countEvents(max(t.Usage.Output, w.record.TextTokens))
	}
	w.columns(events, sent)
	if w.record.Outcome == journal.Complete && spread(t, max(t.Usage.Output, w.record.TextTokens)) {
		w.record.Events.Size = sizes(events.Size[:0], t.TextEnds)
	}
}

func (w *worker) asked(j *job) asked {
	return asked{tokens: j.request.OutputTokens, ignoreEOS: w.run.cfg.Call.IgnoreEOS, whole: w.run.cfg.Call.NoStream, pooling: w.run.cfg.Pooling, inputs: max(j.inputs, 1)}
}

// columns turns events into the journal's columns, in the memory of the record before.
func (w *worker) columns(old journal.Events, sent int64) {
	t := &w.sink.Trace
	e := journal.Events{At: old.At[:0], Lag: old.Lag[:0], Tokens: old.Tokens[:0], Kind: old.Kind[:0], Open: append(old.Open[:0], t.Open...)}
	// By its own times the event loop knows at least what it read before an event.
	lags := w.run.cfg.Transport.Stamps() == "kernel" || slices.ContainsFunc(t.Events, func(ev protocol.Event) bool { return ev.Lag > 0 })
	e.Held, e.HeldNs = old.Held[:0], old.HeldNs[:0]
	held := w.holds(sent)
	last := sent
	for i := range t.Events {
		ev := &t.Events[i]
		if ns := held(last, ev.At); ns > 0 {
			e.Held, e.HeldNs = append(e.Held, i), append(e.HeldNs, ns)
		}
		e.At = append(e.At, ev.At-last)
		last = ev.At
		if lags {
			e.Lag = append(e.Lag, ev.Lag)
		}
		e.Kind = append(e.Kind, journal.EventKind(ev.Kind))
		if t.TokensBy != protocol.TokensUnknown {
			e.Tokens = append(e.Tokens, tokensOf(ev))
		}
	}
	e.TokensBy = t.TokensBy.String()
	w.record.Events = e
}

// tokensOf an event that says nothing is 0 where it carries no text either.
func tokensOf(ev *protocol.Event) int {
	if ev.Tokens < 0 && ev.Kind&(protocol.EventText|protocol.EventReasoning|protocol.EventTool) == 0 {
		return 0
	}
	return ev.Tokens
}
