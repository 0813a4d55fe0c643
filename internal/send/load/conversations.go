package load

import (
	"cmp"
	"container/heap"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"time"

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
	// BranchSessions gives each branch a value of its own in that header; else a conversation has one.
	BranchSessions bool
	// Finished is told of each conversation that is over, with its messages so far as a JSON
	// list: those of its last turn and of all that it continues. May be nil.
	Finished func(c *talk.Conversation, end *journal.Conversation, messages []byte)

	// IdleCap bounds the time in which nothing is in flight: all turns that wait are then due so much earlier that the first
	// of them is due within it. TreeIdleCap is the same for each conversation by itself. 0: no bound.
	IdleCap, TreeIdleCap time.Duration

	// Failed is what becomes of a conversation of which a turn has failed.
	Failed FailedRule
	// EndOnOverflow ends the branch of a prompt that is longer than the server's context, whatever Failed says.
	EndOnOverflow bool
	// AbortRatio ends the run when more than this share of the requests that have ended have failed, once max(MaxOpen, 10)
	// have ended. Prompts longer than the context are not among them. 0: never.
	AbortRatio float64
	// Grace is for how long answers are waited for when no more is sent, as planned; then they are cancelled. 0: until they end.
	Grace time.Duration
}

// FailedRule is what becomes of a conversation of which a turn has failed.
type FailedRule string

// The rules. The zero value is EndConversation.
const (
	EndConversation FailedRule = "end-conversation" // no more of its turns are sent
	// EndBranch sends no more turns of that branch, nor of those that they would have begun. Who waits for them goes on.
	EndBranch FailedRule = "end-branch"
	GoOn      FailedRule = "go-on" // the next turn is sent
)

// conversations are those of a run. Only those that are open are held.
//
// Their turns are timed by a clock of each conversation: the pace's, and what was skipped of the time in which nothing was in
// flight, in all conversations (skipped) and in that one (conversation.skipped).
type conversations struct {
	run *run

	mu      sync.Mutex
	open    map[*conversation]bool
	waiting waiting
	flying  int
	making  int    // bodies that are being made, of turns that are due soon
	idle    int64  // nothing was in flight since then, by the pace's clock
	stopped string // why no more turns are sent; empty: they are
	skipped int64
	skips   []journal.Skip
}

// conversation is one that was begun and is not over.
type conversation struct {
	plan      *talk.Conversation
	model     string
	session   string
	followers followers
	turns     []turn

	// Under conversations.mu:
	start          moment
	begin, end     int64 // by the run's clock
	think          int64
	sent, complete int
	queue          turnQueue // turns that have all that they wait for
	place          int       // in conversations.waiting; -1: it has no such turn
	flying, making int       // as those of conversations
	idle           int64
	skipped        int64
	skips          int
	failed         string // the first turn that failed
	hungUp         string // the first turn that was ended on purpose
	ended          bool   // by it: no more are sent
	cut            string // why a turn was cancelled; empty: none was
}

// turn is the state of one.
type turn struct {
	waits   int  // for so many others still
	used    bool // another turn uses the text of its answer
	sent    bool
	gone    bool // it is not sent: its branch has ended
	instead int  // the turn whose failure ended it
	history *talk.History
	text    string
	begun   moment // it was let go
	end     moment // of the answer
	think   int64  // delays on the way to it
}

// moment is a time by the clock of a conversation, and how much of it had been skipped until then.
type moment struct{ at, skipped int64 }

func newConversations(r *run) *conversations {
	return &conversations{run: r, open: map[*conversation]bool{}}
}

func newConversation(c *talk.Conversation, model, session string) *conversation {
	o := &conversation{plan: c, model: model, session: session, followers: followersOf(c), turns: make([]turn, len(c.Turns)), place: -1}
	for i, t := range c.Turns {
		for _, w := range t.Waits {
			if w.Turn != talk.FromBegin {
				o.turns[i].waits++
			}
		}
		for _, m := range t.Messages {
			for _, a := range m.Answers {
				o.turns[a].used = true
			}
		}
	}
	return o
}

// moment is a time of the run's clock by that of a conversation, in which nothing was skipped since. t.mu is held.
func (t *conversations) moment(o *conversation, at int64) moment {
	skipped := t.skipped + o.skipped
	return moment{at - t.run.cfg.Control.stood(at) + skipped, skipped}
}

// begin opens a conversation: the turns that wait for no other are queued.
func (t *conversations) begin(j *job) {
	t.mu.Lock()
	defer t.mu.Unlock()
	o := j.conversation
	o.begin = j.due + t.run.cfg.Control.stood(t.run.cfg.Clock.Now())
	o.end, o.idle, o.start = o.begin, j.due, moment{j.due + t.skipped, t.skipped}
	t.open[o] = true
	t.run.cfg.Progress.jobs.Store(int64(len(t.open)))
	for _, first := range j.others {
		first.freed = j.freed
		t.fix(first)
		t.push(first)
	}
	t.skipIdle(o)
}

// released takes in that a turn was let go: what has waited for no more than that is queued.
func (t *conversations) released(j *job) {
	o := j.conversation
	t.mu.Lock()
	o.turns[j.turn].begun = t.moment(o, j.released)
	soon := t.pass(o, j.turn, true)
	t.mu.Unlock()
	t.prepareAll(soon)
}

// take gives the first turn that is to be looked at by now; nil: there is none. Without a body it is to be made.
func (t *conversations) take(now int64) *job {
	t.mu.Lock()
	defer t.mu.Unlock()
	if at, _ := t.head(); at < 0 || at > now {
		return nil
	}
	o := t.waiting[0]
	j := heap.Pop(&o.queue).(*job)
	t.moved(o)
	if j.body == nil {
		t.making++
		o.making++
		return j
	}
	t.flying++
	o.flying++
	o.sent++
	o.turns[j.turn].sent = true
	skipped := t.skipped + o.skipped
	j.due, j.skipped = j.due-skipped, skipped-j.from.skipped
	o.turns[j.turn].think += j.delay - j.skipped
	return j
}

// first says when the first turn that waits is to be looked at, by the pace's clock, and whether it is then to be sent;
// -1: there is none.
func (t *conversations) first() (at int64, made bool) {
	if t == nil {
		return -1, false
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.head()
}

// head is first. t.mu is held.
func (t *conversations) head() (at int64, made bool) {
	if len(t.waiting) == 0 {
		return -1, false
	}
	o := t.waiting[0]
	j := o.queue[0]
	return max(j.at-o.skipped-t.skipped, 0), j.body != nil
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
// for it alone is queued. If it has failed the rules say what goes on.
func (t *conversations) answered(j *job, record *journal.Request, trace *stream.Trace) {
	o, n := j.conversation, &j.conversation.turns[j.turn]
	rule := t.rule(record)
	a := answerOf(trace)
	a.Tokens = max(record.UsageOutput, record.TextTokens)
	switch {
	case o.plan.Maker != nil && !ended(record):
		o.plan.Maker.Answered(j.turn, nil)
	case o.plan.Maker != nil:
		o.plan.Maker.Answered(j.turn, a)
	case rule == GoOn: // what has come of an answer that failed is said
		n.history.End(o.plan, j.turn, a)
	}
	if n.used && rule == GoOn {
		n.text = a.Text
	}
	t.mu.Lock()
	o.flying--
	if t.flying--; t.flying == 0 {
		t.idle = record.End - t.run.cfg.Control.stood(record.End)
	}
	o.idle = record.End - t.run.cfg.Control.stood(record.End)
	n.end = t.moment(o, record.End)
	if record.End >= o.end {
		o.end, o.think = record.End, n.think
	}
	switch {
	case record.Outcome == journal.Complete:
		o.complete++
	case record.Outcome == journal.HungUp:
		o.hungUp = cmp.Or(o.hungUp, fmt.Sprintf("turn %d: %s", j.turn+1, record.Error))
	case record.Outcome == journal.Cancelled:
		// The dispatcher may not have seen yet that the run stops, and why.
		o.cut = "cancelled"
		if err := t.run.stopped(); err != nil {
			o.cut = err.Error()
		}
	case o.failed == "":
		o.failed = fmt.Sprintf("turn %d: %s: %s", j.turn+1, record.Outcome, record.Error)
	}
	var soon []*job
	switch rule {
	case EndConversation:
		o.ended = o.ended || record.Outcome != journal.Cancelled
		t.drop(o, func(*job) bool { return true })
	case EndBranch:
		soon = t.endBranch(o, j.branch, j.turn)
	}
	soon = append(soon, t.pass(o, j.turn, false)...)
	t.skipIdle(o)
	over := t.over(o)
	t.mu.Unlock()
	t.prepareAll(soon)
	if over {
		t.finish(o, n.history)
	}
}

// rule is what a turn's end means for its conversation.
func (t *conversations) rule(record *journal.Request) FailedRule {
	c := t.run.cfg.Conversations
	switch {
	case ended(record), record.Outcome == journal.HungUp: // who hangs up asks on, with what has come
		return GoOn
	case record.Outcome == journal.Cancelled:
		return EndConversation
	case record.Overflow() && c.EndOnOverflow:
		return EndBranch
	}
	return cmp.Or(c.Failed, EndConversation)
}

// ended says whether a turn has an answer that a next one can follow. A server that does
// not know ignore_eos ends answers where the model does: that counts as short, and is no
// reason to end each job at its first turn.
func ended(record *journal.Request) bool {
	return record.Outcome == journal.Complete || record.Outcome == journal.Short
}

// over says, once, that nothing of a conversation will come any more. t.mu is held.
func (t *conversations) over(o *conversation) bool {
	if o.flying > 0 || o.making > 0 || len(o.queue) > 0 || !t.open[o] {
		return false
	}
	delete(t.open, o)
	t.run.cfg.Progress.jobs.Store(int64(len(t.open)))
	t.run.cfg.Progress.jobsEnded.Add(1)
	return true
}

// stop ends the sending of turns. Conversations of which nothing is in flight are over.
func (t *conversations) stop(why string) {
	if t == nil {
		return
	}
	t.mu.Lock()
	t.stopped, t.waiting = why, nil
	var over []*conversation
	for o := range t.open {
		o.queue, o.place = nil, -1
		if t.over(o) {
			over = append(over, o)
		}
	}
	t.mu.Unlock()
	for _, o := range over {
		t.finish(o, nil)
	}
}

// finish writes down how a conversation ended.
func (t *conversations) finish(o *conversation, last *talk.History) {
	defer t.run.signal()
	if t.run.keep != nil { // its requests are warm-ups
		return
	}
	c := journal.Conversation{
		Number: o.plan.Number, Turns: len(o.plan.Turns), Sent: o.sent, Skipped: len(o.plan.Turns) - o.sent, Complete: o.complete,
		Begin: o.begin, End: o.end, Think: o.think, IdleSkipped: o.skipped, IdleSkips: o.skips, Outcome: journal.ConversationAbandoned,
		Trace: o.plan.Trace, Play: o.plan.Play, Before: o.plan.Before,
	}
	for _, b := range o.plan.Branches {
		c.Branches = append(c.Branches, journal.Branch{Name: b.Name, Kind: b.Kind})
	}
	t.mu.Lock()
	stopped := t.stopped
	t.mu.Unlock()
	switch {
	case o.complete == len(o.plan.Turns):
		c.Outcome = journal.ConversationComplete
	case o.ended && o.failed != "":
		c.Outcome, c.Error = journal.ConversationFailed, o.failed
	case stopped != "" && !o.done():
		c.Error = stopped
	case o.cut != "":
		c.Error = o.cut
	case o.failed == "" && o.hungUp != "":
		c.Error = o.hungUp
	default:
		c.Outcome, c.Error = journal.ConversationFailed, o.failed
	}
	_ = t.run.cfg.Journal.Conversation(&c) // it always marshals
	if f := t.run.cfg.Conversations.Finished; f != nil {
		var messages []byte
		if last != nil {
			messages = last.AppendJSON(nil)
		}
		f(o.plan, &c, messages)
	}
}

// done says that each turn was sent, or is not to be sent after one that has failed.
func (o *conversation) done() bool {
	return o.cut == "" && !slices.ContainsFunc(o.turns, func(n turn) bool { return !n.sent && !n.gone })
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
