package sim

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/inferometer/inferometer/internal/clock"
	"github.com/inferometer/inferometer/internal/sim/dialect"
	"github.com/inferometer/inferometer/internal/sim/engine"
	"github.com/inferometer/inferometer/internal/sim/socket"
)

// stream is one streamed answer: it takes tokens from the engine and writes
// events to the connection. Its work happens in the pump's goroutine as long as
// the socket takes the bytes at once, and in a goroutine of its own otherwise.
type stream struct {
	srv    *Server
	job    *engine.Job
	plan   plan
	call   *dialect.Call
	conn   *socket.Conn
	frame  framer
	writer dialect.Writer
	out    dialect.Emit // writes one of its messages
	record *Record
	onPump bool // writes may happen in the caller's goroutine

	mu    sync.Mutex
	queue []ready // from next on
	next  int
	busy  bool // a goroutine is at work on the queue
	held  bool // the fault "stall" is on

	// Touched only by the goroutine that is at work.
	sent      int // tokens
	reasoning int // tokens of the answer that are reasoning
	stalled   bool
	opened    bool // role event and tool head are out
	lastToken time.Time
	ended     bool

	once sync.Once
	done chan struct{} // closed when the record is complete

	over    bool         // it has been aborted, under mu
	left    atomic.Int64 // when it was noticed that the client had gone, in nanoseconds since 1970; 0: it has not
	offered int          // tokens that the engine has made, under mu
	unread  int          // events that were dropped because nobody was left to read them
	dropped int          // tokens in them
}

// ready is a number of tokens that go into one event.
type ready struct {
	tokens int
	last   bool
}

// fetch gets the prompt from another server, and then has the engine begin.
func (st *stream) fetch() {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() {
		select {
		case <-st.done: // the client has left
			cancel()
		case <-ctx.Done():
		}
	}()
	got, err := st.srv.fetch(ctx, st.record.hand)
	st.mu.Lock()
	if st.over {
		st.mu.Unlock()
		return
	}
	got.enter(st.record, st.job, st.srv.base)
	if err != nil {
		st.plan.want, st.plan.finish, st.plan.ending = 0, "", endError
	}
	st.mu.Unlock()
	if err != nil {
		st.Offer(0, true)
		return
	}
	st.srv.engine.Submit(st.job)
	st.mu.Lock()
	over := st.over
	st.mu.Unlock()
	if over {
		st.srv.engine.Cancel(st.job)
	}
}

// Offer implements engine.Sink.
func (st *stream) Offer(tokens int, last bool) {
	st.mu.Lock()
	st.offered += tokens
	st.queue = append(st.queue, ready{tokens, last})
	st.start()
}

// start sets to work on the queue if nobody is and there is reason to. It is
// called with the lock held, and gives it back.
func (st *stream) start() {
	waiting := len(st.queue) - st.next
	wait := st.busy || st.held || waiting == 0
	if !wait && st.frame.style.Has(dialect.FrameMerge) {
		wait = waiting < st.srv.cfg.MergeEvents && !st.queue[len(st.queue)-1].last
	}
	if wait {
		st.mu.Unlock()
		return
	}
	st.busy = true
	onPump := st.onPump
	st.mu.Unlock()
	if onPump {
		st.work(true)
	} else {
		go st.work(false)
	}
}

// work writes what is queued. With onPump it must not block: when the socket is
// full it goes on in a goroutine of its own.
func (st *stream) work(onPump bool) {
	for {
		for st.frame.pending() {
			if st.forNobody() {
				st.drop()
				break
			}
			err := st.frame.write(st.conn, onPump, st.stamp)
			if errors.Is(err, socket.ErrWouldBlock) {
				st.record.Blocked++
				go st.work(false)
				return
			}
			if err != nil {
				if st.notice(); st.forNobody() {
					continue
				}
				st.abort()
				return
			}
		}
		if st.ended {
			st.finish()
			return
		}
		if !st.take() {
			return
		}
	}
}

// take turns the queue's head into events; false when there is nothing to do.
func (st *stream) take() bool {
	st.mu.Lock()
	if st.held || st.next == len(st.queue) {
		st.busy = false
		st.mu.Unlock()
		return false
	}
	batch := 1
	if st.frame.style.Has(dialect.FrameMerge) {
		batch = len(st.queue) - st.next
	}
	stall := !st.stalled && st.plan.stall > 0 && st.sent >= st.plan.stall
	if stall {
		st.stalled, st.held, st.busy = true, true, false
		st.mu.Unlock()
		time.AfterFunc(st.srv.cfg.Stall, st.release)
		return false
	}
	var few [4]ready
	items := append(few[:0], st.queue[st.next:st.next+batch]...)
	if st.next += batch; st.next == len(st.queue) {
		st.queue, st.next = st.queue[:0], 0
	}
	st.mu.Unlock()

	st.frame.begin()
	st.open()
	for _, it := range items {
		st.addTokens(it.tokens, it.last)
	}
	st.frame.shut()
	return true
}

// release ends a stall. What got ready meanwhile goes out now.
func (st *stream) release() {
	st.mu.Lock()
	st.held = false
	st.onPump = false // this is a timer's goroutine: do not write in it
	st.start()
}

// sendRole sends the role-only event before the engine has even begun.
func (st *stream) sendRole() error {
	st.frame.begin()
	st.add(dialect.Event{Kind: dialect.KindRole, First: true, Usage: st.runningUsage()})
	st.frame.shut()
	for st.frame.pending() {
		if err := st.frame.write(st.conn, false, st.stamp); err != nil {
			return err
		}
	}
	return nil
}

// open adds what comes before the first token.
func (st *stream) open() {
	if st.opened {
		return
	}
	st.opened = true
	st.reasoning = st.reasoningTokens()
	if st.call.Chat && !st.frame.style.Has(dialect.FrameNoRole|dialect.FrameRoleFirst) {
		st.add(dialect.Event{Kind: dialect.KindRole, First: true, Usage: st.runningUsage()})
	}
}

// reasoningTokens is how many of the tokens come as reasoning: the first half, or all before an
// answer of the key.
func (st *stream) reasoningTokens() int {
	if st.call.Chat && st.frame.style.Has(dialect.FrameReasoning|dialect.FrameReasoningC) {
		if st.plan.text.Told != nil {
			return min(st.plan.text.Thinking, st.plan.want)
		}
		return st.plan.want / 2
	}
	return 0
}

// addTokens adds the event of n tokens, or two where reasoning ends inside.
func (st *stream) addTokens(n int, last bool) {
	from, to := st.sent, st.sent+n
	if from < st.reasoning && st.reasoning < to {
		st.addTokens(st.reasoning-from, false)
		st.addTokens(to-st.reasoning, last)
		return
	}
	e := dialect.Event{Kind: dialect.KindToken, From: from, To: to, Field: "content", First: len(st.record.Kinds) == 0}
	tools := st.call.Chat && st.frame.style.Has(dialect.FrameTools)
	switch {
	case from < st.reasoning:
		e.Kind, e.Field = dialect.KindReasoning, "reasoning"
		if st.frame.style.Has(dialect.FrameReasoningC) {
			e.Field = "reasoning_content"
		}
	case tools:
		e.Kind = dialect.KindTool
		if from == st.reasoning && n > 0 {
			st.add(dialect.Event{Kind: dialect.KindTool, From: from, To: from, Usage: st.runningUsage()})
		}
	}
	st.sent = to
	e.Usage = st.runningUsage()
	if !last {
		st.add(e)
		return
	}
	st.addEnd(e, tools)
}

// addEnd adds the last tokens' event and what comes after it.
func (st *stream) addEnd(e dialect.Event, tools bool) {
	st.ended = true
	style := st.frame.style
	finish := st.plan.finish
	d := st.call.Dialect
	if finish != "" && tools && st.plan.want > 0 {
		finish = "tool_calls"
		if d.StopsForTools {
			finish = "stop"
		}
	}
	st.record.ends(finish, d)
	if finish != "" && (style.Has(dialect.FrameUsageLast) || d.UsageWithFinish && !style.Has(dialect.FrameNoUsage)) {
		e.Usage = st.usage()
	}
	ownFinish := finish != "" && (d.OwnFinish || style.Has(dialect.FrameFinish) || e.From == e.To)
	if e.From < e.To {
		if !ownFinish {
			e.Finish = finish
		}
		st.add(e)
	}
	if ownFinish {
		st.add(dialect.Event{Kind: dialect.KindFinish, From: e.To, To: e.To, Finish: finish, Usage: e.Usage})
	}
	switch st.plan.ending {
	case endNormal:
		if st.call.Usage && !style.Has(dialect.FrameUsageLast|dialect.FrameNoUsage) {
			st.add(dialect.Event{Kind: dialect.KindUsage, Usage: st.usage()})
		}
		st.writer.Done(st.out, st.doneMark())
	case endError, endErrorDone:
		st.writer.Fail(st.out)
		if st.plan.ending == endErrorDone {
			st.writer.Done(st.out, st.doneMark())
		}
	}
	if !st.plan.ending.closes() {
		st.frame.lastChunk()
	}
}

// doneMark writes [DONE]; nil: the framing has none.
func (st *stream) doneMark() func() {
	if st.frame.style.Has(dialect.FrameNoDone) {
		return nil
	}
	return st.frame.done
}

func (st *stream) add(e dialect.Event) { st.writer.Event(e, st.out) }

// emit enters a message in the record and lays it out.
func (st *stream) emit(name, kind string, tokens int, data []byte) {
	st.note(kind, tokens)
	st.frame.event(name, data)
}

// note enters an event in the record; its time is added when it is written.
func (st *stream) note(kind string, tokens int) {
	st.record.Kinds = append(st.record.Kinds, kind)
	st.record.Tokens = append(st.record.Tokens, tokens)
}

// stamp is called after the write that completes n events; now is when it began.
func (st *stream) stamp(now time.Time, took time.Duration, events int) {
	at := now.UnixNano()
	for range events {
		i := len(st.record.Events)
		st.record.Events = append(st.record.Events, at)
		if took > slowWrite {
			st.record.SlowWrites = append(st.record.SlowWrites, [2]int64{int64(i), int64(took)})
		}
		if n := st.record.Tokens[i]; n > 0 {
			st.srv.metrics.tokens(now, st.lastToken, st.record, n)
			st.lastToken = now
		}
	}
	st.record.Ended = at
}

func (st *stream) usage() *dialect.Usage {
	return &dialect.Usage{Prompt: st.record.PromptTokens, Completion: st.sent, Cached: st.job.Cached}
}

func (st *stream) runningUsage() *dialect.Usage {
	if !st.call.UsageAlways || st.frame.style.Has(dialect.FrameNoUsage) {
		return nil
	}
	return st.usage()
}

// leave is called when the client has closed its side.
func (st *stream) leave() {
	if st.notice(); !st.forNobody() {
		st.end()
	}
}

// notice keeps when it was seen that the client has gone. While the server stops it is the server that goes.
func (st *stream) notice() {
	if !st.srv.stopping() {
		st.left.CompareAndSwap(0, clock.Now().UnixNano())
	}
}

// forNobody says that the answer is generated although its client has gone.
func (st *stream) forNobody() bool {
	return st.srv.cfg.IgnoreDisconnect && st.left.Load() != 0 && !st.srv.stopping()
}

// drop counts what would have been written now.
func (st *stream) drop() {
	now, first := clock.Now(), len(st.record.Events)+st.unread
	n := st.frame.drop()
	for _, tokens := range st.record.Tokens[first : first+n] {
		if tokens > 0 {
			st.srv.metrics.tokens(now, st.lastToken, st.record, tokens)
			st.lastToken = now
			st.dropped += tokens
		}
	}
	st.unread += n
}

// end ends a stream that has no client any more.
func (st *stream) end() {
	_ = st.conn.Close() // a write that is under way fails, and its goroutine cleans up
	st.mu.Lock()
	idle := !st.busy
	st.busy = true
	st.mu.Unlock()
	if idle {
		st.abort()
	}
}

// abort does so in the goroutine that is at work.
func (st *stream) abort() {
	st.record.Finish = "abort"
	st.mu.Lock()
	st.over, st.plan.ending = true, endClose
	st.mu.Unlock()
	st.srv.engine.Cancel(st.job)
	st.finish()
}

// finish completes the record. The connection is kept for the next request
// unless the ending says otherwise.
func (st *stream) finish() {
	st.once.Do(func() {
		r := st.record
		// Events that were made but never written did not happen.
		r.Kinds, r.Tokens = r.Kinds[:len(r.Events)], r.Tokens[:len(r.Events)]
		for _, n := range r.Tokens {
			r.CompletionTokens += n
		}
		st.countUnsent()
		if r.Finish != "abort" {
			st.srv.keepPrompt(r)
		}
		st.setTexts()
		st.srv.endRecord(r, st.job)
		switch {
		case st.plan.ending == endReset:
			st.conn.Reset()
		case st.plan.ending.closes() || !st.conn.KeepAlive || r.Left != 0:
			_ = st.conn.Close()
		}
		close(st.done)
	})
}

// countUnsent enters what was generated and never sent: the client had left.
func (st *stream) countUnsent() {
	r := st.record
	st.mu.Lock()
	made := st.offered
	st.mu.Unlock()
	if r.unread = st.unread > 0 && r.Finish != "abort"; r.unread || r.Finish == "abort" {
		r.Left = st.left.Load()
	}
	if made > r.CompletionTokens {
		r.Generated = made
		st.srv.metrics.generated.Add(uint64(made - r.CompletionTokens - st.dropped))
	}
}

func (st *stream) setTexts() {
	n := st.record.CompletionTokens
	cut := min(st.reasoning, n)
	if n == st.plan.want {
		n -= st.plan.unseen(st.call)
	}
	reasoning, text, tool := st.plan.text.Text(0, cut), st.plan.text.Text(cut, n), ""
	if st.call.Chat && st.frame.style.Has(dialect.FrameTools) {
		text, tool = "", text
	}
	st.record.setTexts(text, reasoning, tool, st.srv.cfg.TruthText)
}
