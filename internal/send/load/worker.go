package load

import (
	"context"
	"errors"
	"sync/atomic"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/send/live"
	"github.com/inferometer/inferometer/internal/send/protocol"
	"github.com/inferometer/inferometer/internal/send/protocol/stream"
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
	w.sink.Look(r.cfg.Signs)
	w.part = r.cfg.Meter.Part()
	r.cfg.Progress.add(&w.sink)
	return w
}

// countingSink tells the progress display of tokens as they come. Each worker
// counts for itself, so that nobody waits for another.
type countingSink struct {
	*stream.Stream
	load     bool         // this request is one of the load: no warm-up, no probe
	tokens   atomic.Int64 // of the load's requests so far
	finished atomic.Int64 // of those that have ended
	open     int64        // of this request

	part *live.Part // nil: the latencies of this request are not counted
	last int64      // its last token chunk, or, before the first, when it was sent
	any  bool       // it had a token chunk

	hangUp int // with so many tokens more it is ended on purpose; 0: it is not
	hung   bool
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
		if s.part != nil && ev.Kind&stream.EventChoices != 0 {
			s.chunk(ev.At)
		}
	}
	if s.part != nil && before < len(s.Trace.Events) && (at.Kernel || at.Lag > 0) {
		s.part.Lag(at.Lag)
	}
	s.count(n)
	return enough || s.hangsUp(int(n))
}

// hangsUp says that so many tokens more were what this request was to be ended with. One that has ended by itself has not waited for that.
func (s *countingSink) hangsUp(tokens int) bool {
	if s.hangUp == 0 {
		return false
	}
	if s.hangUp -= tokens; s.hangUp > 0 || s.Trace.Ended() {
		s.hangUp = max(s.hangUp, 0)
		return false
	}
	s.hangUp, s.hung = 0, true
	return true
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
	j.body, j.summed = nil, nil // the transport lets go of it when it is written
	if j.session != "" {
		w.http.Session = wire.Session{Header: r.cfg.Conversations.Header, Value: j.session}
	}
	if !r.cfg.Trace.IsZero() && !j.warmup && then == nil { // what has no span is no parent of one
		w.http.Trace = r.cfg.Trace.Parent(j.request.Index)
	}
	if j.conversation != nil && j.conversation.plan.Maker != nil {
		j.sentBefore, j.sentOf = j.conversation.plan.Maker.Sent(j.turn)
	}
	w.sink.hangUp, w.sink.hung, j.hangUp = 0, false, hangUpAt{}
	if !j.warmup && then == nil {
		j.hangUp.after, j.hangUp.tokens = r.cfg.HangUp.At(j.request.Index)
		w.http.HangUp, w.sink.hangUp = j.hangUp.after, j.hangUp.tokens
	}
	sent := r.cfg.Clock.Now()
	w.sink.load = !j.warmup && then == nil
	w.measure(j, sent)
	conn, err := r.cfg.Transport.Do(r.ctx, &w.http, &w.sink)
	switch {
	case err == nil && w.sink.hung:
		err = wire.ErrHungUp
	case err == nil:
		w.sink.Finish()
	case errors.Is(err, context.Canceled):
		err = errSignal
	}
	end := r.cfg.Clock.Now()
	w.sink.ended()
	w.sink.Trace.Conn = conn
	w.fill(j, sent, end, err)
	if then != nil {
		then(&w.record)
	} else {
		w.line = journal.AppendRequest(w.line[:0], &w.record)
		w.line = w.appendAnswer(w.line, j)
		r.cfg.Journal.Append(w.line)
		if !j.warmup {
			r.cfg.Progress.done(w.record.Outcome)
			words := w.record.Error
			if w.record.Outcome == journal.HungUp { // no error
				words = ""
			}
			r.cfg.Meter.Ended(string(w.record.Outcome), words)
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
