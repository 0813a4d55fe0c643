package load

import (
	"container/heap"
	"fmt"
	"strconv"
	"sync"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/send/protocol/stream"
	"github.com/inferometer/inferometer/internal/send/workload/talk"
)

// Conversations is how they are sent.
type Conversations struct {
	// MaxOpen is how many conversations may be open at a time; 0: no limit. Requests in
	// flight have a limit of their own, Config.Concurrency.
	MaxOpen int
	// MaxRequests ends the sending of turns after so many; 0: no bound.
	MaxRequests int
	// Header is the name of the header that tells the turns of one conversation; empty: none.
	Header string
	// Finished is told of each conversation that is over, with its messages so far as a JSON
	// list: those of its last turn and of all that it continues. May be nil.
	Finished func(c *talk.Conversation, end *journal.Conversation, messages []byte)
}

// conversations are those of a run. Only those that are open are held.
type conversations struct {
	run *run

	mu      sync.Mutex
	open    map[*conversation]bool
	queue   turnQueue // turns that have all answers that they wait for
	stopped string    // why no more turns are sent; empty: they are
}

// conversation is one that was begun and is not over.
type conversation struct {
	plan      *talk.Conversation
	model     string
	session   string
	followers [][]int
	turns     []turn

	// Under conversations.mu:
	begin, end, think int64
	sent, complete    int
	flying            int // in flight
	waiting           int // in the queue, or on their way there
	failed            string
	cut               string // why a turn was cancelled; empty: none was
}

// turn is the state of one.
type turn struct {
	waits   int // answers that are still to come
	history *talk.History
	text    string // of the answer, if another turn uses it
	used    bool   // it does
	end     int64  // of the answer
	think   int64  // delays on the way to it
}

func newConversations(r *run) *conversations {
	return &conversations{run: r, open: map[*conversation]bool{}}
}

func newConversation(c *talk.Conversation, model, session string) *conversation {
	o := &conversation{plan: c, model: model, session: session, followers: c.Followers(), turns: make([]turn, len(c.Turns))}
	for i, t := range c.Turns {
		o.turns[i].waits = len(t.After)
		for _, m := range t.Messages {
			for _, a := range m.Answers {
				o.turns[a].used = true
			}
		}
	}
	return o
}

// begin opens a conversation with its first turn, which is sent at once. Others that wait
// for nothing are due with it.
func (t *conversations) begin(j *job) {
	t.mu.Lock()
	defer t.mu.Unlock()
	o := j.conversation
	o.begin = j.due + t.run.cfg.Control.stood(t.run.cfg.Clock.Now())
	o.end = o.begin
	o.flying, o.sent, o.waiting = 1, 1, len(j.others)
	t.open[o] = true
	for _, other := range j.others {
		other.due, other.at = j.due, j.due
		heap.Push(&t.queue, other)
	}
	j.others = nil
}

// take gives the first turn that is to be looked at by now; nil: there is none.
func (t *conversations) take(now int64) *job {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.queue) == 0 || t.queue[0].at > now {
		return nil
	}
	j := heap.Pop(&t.queue).(*job)
	if j.body != nil {
		j.conversation.waiting--
		j.conversation.flying++
		j.conversation.sent++
	}
	return j
}

// first says when the first turn of the queue is to be looked at; -1: the queue is empty, or there is none.
func (t *conversations) first() int64 {
	if t == nil {
		return -1
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.queue) == 0 {
		return -1
	}
	return t.queue[0].at
}

// count says how many conversations are open.
func (t *conversations) count() int {
	if t == nil {
		return 0
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.open)
}

// answered takes in the end of a turn: its answer becomes history, and what has waited
// for it alone is queued. Another end than a complete one is the end of the conversation.
func (t *conversations) answered(j *job, record *journal.Request, trace *stream.Trace) {
	o, n := j.conversation, &j.conversation.turns[j.turn]
	complete := record.Outcome == journal.Complete
	if complete {
		a := answerOf(trace)
		a.Tokens = max(record.UsageOutput, record.TextTokens)
		n.history.End(o.plan, j.turn, a)
		if n.used {
			n.text = a.Text
		}
	}
	t.mu.Lock()
	o.flying--
	n.end = record.End
	if record.End >= o.end {
		o.end, o.think = record.End, n.think
	}
	switch {
	case complete:
		o.complete++
	case record.Outcome == journal.Cancelled:
		// The dispatcher may not have seen yet that the run stops, and why.
		o.cut = "cancelled"
		if err := t.run.stopped(); err != nil {
			o.cut = err.Error()
		}
	case o.failed == "":
		o.failed = fmt.Sprintf("turn %d: %s: %s", j.turn+1, record.Outcome, record.Error)
	}
	if !complete {
		t.drop(o)
	}
	ready := t.ready(o, j.turn)
	over := t.over(o)
	t.mu.Unlock()
	for _, i := range ready {
		t.follow(o, i)
	}
	if over {
		t.finish(o, n.history)
	}
}

// ready are the turns that waited for this one alone. t.mu is held.
func (t *conversations) ready(o *conversation, turn int) (list []int) {
	if o.failed != "" || o.cut != "" || t.stopped != "" {
		return nil
	}
	for _, i := range o.followers[turn] {
		if o.turns[i].waits--; o.turns[i].waits == 0 {
			list = append(list, i)
		}
	}
	o.waiting += len(list)
	return list
}

// over says, once, that nothing of a conversation will come any more. t.mu is held.
func (t *conversations) over(o *conversation) bool {
	if o.flying > 0 || o.waiting > 0 || !t.open[o] {
		return false
	}
	delete(t.open, o)
	return true
}

// drop takes the turns of a conversation out of the queue. t.mu is held.
func (t *conversations) drop(o *conversation) {
	kept := t.queue[:0]
	for _, j := range t.queue {
		if j.conversation == o {
			o.waiting--
		} else {
			kept = append(kept, j)
		}
	}
	clear(t.queue[len(kept):])
	t.queue = kept
	heap.Init(&t.queue)
}

// stop ends the sending of turns. Conversations of which nothing is in flight are over.
func (t *conversations) stop(why string) {
	if t == nil {
		return
	}
	t.mu.Lock()
	t.stopped = why
	for _, j := range t.queue {
		j.conversation.waiting--
	}
	t.queue = nil
	var over []*conversation
	for o := range t.open {
		if t.over(o) {
			over = append(over, o)
		}
	}
	t.mu.Unlock()
	for _, o := range over {
		t.finish(o, nil)
	}
}

// fail ends a conversation of which a turn can't be sent.
func (t *conversations) fail(j *job, err error) {
	o := j.conversation
	t.mu.Lock()
	o.waiting--
	if o.failed == "" {
		o.failed = err.Error()
	}
	t.drop(o)
	over := t.over(o)
	t.mu.Unlock()
	if over {
		t.finish(o, nil)
	}
}

// finish writes down how a conversation ended.
func (t *conversations) finish(o *conversation, last *talk.History) {
	c := journal.Conversation{
		Number: o.plan.Number, Turns: len(o.plan.Turns), Sent: o.sent, Skipped: len(o.plan.Turns) - o.sent, Complete: o.complete,
		Begin: o.begin, End: o.end, Think: o.think, Outcome: journal.ConversationAbandoned,
	}
	t.mu.Lock()
	stopped := t.stopped
	t.mu.Unlock()
	switch {
	case o.failed != "":
		c.Outcome, c.Error = journal.ConversationFailed, o.failed
	case o.complete == len(o.plan.Turns):
		c.Outcome = journal.ConversationComplete
	case stopped != "":
		c.Error = stopped
	default:
		c.Error = o.cut
	}
	_ = t.run.cfg.Journal.Conversation(&c) // it always marshals
	if f := t.run.cfg.Conversations.Finished; f != nil {
		var messages []byte
		if last != nil {
			messages = last.AppendJSON(nil)
		}
		f(o.plan, &c, messages)
	}
	t.run.signal()
}

func answerOf(trace *stream.Trace) *talk.Answer {
	a := &talk.Answer{Text: string(trace.Text), Reasoning: string(trace.Reasoning)}
	for i := range trace.Tools {
		call := &trace.Tools[i]
		if call.ID == "" { // some servers leave it out, and none takes an answer without it
			call.ID = "call_" + strconv.Itoa(i)
		}
		a.Tools = append(a.Tools, talk.ToolCall{ID: call.ID, Name: call.Name, Arguments: string(call.Arguments)})
	}
	return a
}

// turnQueue is a heap by the time at which a turn is to be looked at. Among equals the
// order is that of the plan, so that a run is the same each time.
type turnQueue []*job

func (q turnQueue) Len() int      { return len(q) }
func (q turnQueue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q turnQueue) Less(i, j int) bool {
	if q[i].at != q[j].at {
		return q[i].at < q[j].at
	}
	return q[i].request.Index < q[j].request.Index
}
func (q *turnQueue) Push(j any) { *q = append(*q, j.(*job)) }
func (q *turnQueue) Pop() any {
	last := len(*q) - 1
	j := (*q)[last]
	(*q)[last] = nil
	*q = (*q)[:last]
	return j
}
