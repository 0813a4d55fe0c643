package load

import (
	"container/heap"
	"fmt"
	"strconv"
	"time"

	"github.com/inferometer/inferometer/internal/send/target"
	"github.com/inferometer/inferometer/internal/send/workload"
	"github.com/inferometer/inferometer/internal/send/workload/talk"
)

// makeAhead is how long before it is due the body of a turn is made. Until then only the
// history is held, once, however long the user thinks.
const makeAhead = 20 * time.Millisecond

// conversation makes the first turns of a conversation ready.
func (m *maker) conversation(w *workload.Request) (*job, error) {
	c := w.Talk
	session := ""
	if m.cfg.Conversations.Header != "" {
		session = m.cfg.IDPrefix + "conv-" + strconv.Itoa(c.Number)
	}
	o := newConversation(c, w.Model, session)
	var first *job
	for i := range c.Turns {
		if len(c.Turns[i].After) > 0 {
			continue
		}
		j := m.newTurn(o, i)
		if err := m.makeTurn(j); err != nil {
			return nil, fmt.Errorf("conversation %d: %w", c.Number, err)
		}
		if first == nil {
			first = j
		} else {
			first.others = append(first.others, j)
		}
	}
	return first, nil
}

// newTurn is a turn without its body.
func (m *maker) newTurn(o *conversation, i int) *job {
	t := &o.plan.Turns[i]
	j := &job{
		place: place{conversation: o, turn: i, session: o.session, delay: int64(t.Delay)},
		request: workload.Request{
			Index: o.plan.First + i, Conversation: o.plan.Number, Turn: i + 1, Model: o.model,
			OutputTokens: t.OutputTokens,
		},
	}
	j.id = m.cfg.IDPrefix + strconv.Itoa(j.request.Index)
	for _, a := range t.After {
		j.after = append(j.after, o.plan.First+a)
	}
	if m.cfg.Balance != nil {
		j.stickyKey = target.ConversationKey(o.plan.Number)
	}
	return j
}

// makeTurn makes the body of a turn from the history that it continues.
func (m *maker) makeTurn(j *job) error {
	o, n := j.conversation, &j.conversation.turns[j.turn]
	var before *talk.History
	if i := o.plan.Turns[j.turn].Continues; i >= 0 {
		before = o.turns[i].history
	}
	history, err := o.plan.Begin(j.turn, before, func(turn int) string { return o.turns[turn].text })
	if err != nil {
		return err
	}
	messages := history.AppendJSON(nil)
	call := m.cfg.Call
	call.Messages, call.MaxTokens = messages, j.request.OutputTokens
	if o.model != "" {
		call.Model = o.model
	}
	if j.body, err = m.cfg.Protocol.AppendBody(nil, &call); err != nil {
		return fmt.Errorf("turn %d: %w", j.turn+1, err)
	}
	j.summed = m.summed(&call, j.body)
	n.history, j.promptHash, j.request.PromptTokens = history, hash64(messages), history.Tokens()
	if m.cfg.KeepPrompts {
		j.request.Prompt = string(messages)
	}
	return nil
}

// follow queues a turn whose answers are all there: it is due its delay after the last.
func (t *conversations) follow(o *conversation, i int) {
	j := t.run.maker.newTurn(o, i)
	t.mu.Lock()
	n := &o.turns[i]
	for _, a := range o.plan.Turns[i].After {
		if before := &o.turns[a]; before.end >= j.due {
			j.due, n.think = before.end, before.think
		}
	}
	n.think += j.delay
	t.mu.Unlock()
	j.due -= t.run.cfg.Control.stood(j.due)
	j.due += j.delay
	if j.delay <= 2*int64(makeAhead) {
		t.prepare(j)
		return
	}
	j.at = j.due - int64(makeAhead)
	t.push(j)
}

// prepare makes a turn's body and queues it.
func (t *conversations) prepare(j *job) {
	if err := t.run.maker.makeTurn(j); err != nil {
		t.fail(j, err)
		return
	}
	j.at = j.due
	t.push(j)
}

// push queues a turn, unless its conversation is not to go on.
func (t *conversations) push(j *job) {
	o := j.conversation
	t.mu.Lock()
	if o.failed == "" && o.cut == "" && t.stopped == "" {
		heap.Push(&t.queue, j)
		t.mu.Unlock()
		t.run.signal()
		return
	}
	o.waiting--
	over := t.over(o)
	t.mu.Unlock()
	if over {
		t.finish(o, nil)
	}
}
