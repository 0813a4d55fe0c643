package load

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/inferometer/inferometer/internal/send/target"
	"github.com/inferometer/inferometer/internal/send/workload"
	"github.com/inferometer/inferometer/internal/send/workload/talk"
)

// makeAhead is how long before it is due the body of a turn is made. Until then only the
// history is held, once, however long the user thinks.
const makeAhead = 20 * time.Millisecond

// conversation makes the first turns of a conversation: those that begin with it have their bodies.
func (m *maker) conversation(w *workload.Request) (*job, error) {
	c := w.Talk
	session := ""
	if m.cfg.Conversations.Header != "" {
		session = m.cfg.IDPrefix + "conv-" + strconv.Itoa(c.Number)
	}
	begin := &job{
		request: workload.Request{Index: c.First}, place: place{conversation: newConversation(c, w.Model, session)},
		summed: [][]byte{c.AppendPlan(nil)},
	}
	o := begin.conversation
	for i := range c.Turns {
		if o.turns[i].waits > 0 {
			continue
		}
		j := m.newTurn(o, i)
		if !slices.ContainsFunc(c.Turns[i].Waits, func(w talk.Wait) bool { return w.Delay > makeAhead }) {
			if _, err := m.makeTurn(j); err != nil {
				return nil, fmt.Errorf("conversation %d: %w", c.Number, err)
			}
		}
		begin.others = append(begin.others, j)
	}
	return begin, nil
}

// newTurn is a turn without its body.
func (m *maker) newTurn(o *conversation, i int) *job {
	t := &o.plan.Turns[i]
	j := &job{
		place: place{conversation: o, turn: i, branch: t.Branch, session: o.session},
		request: workload.Request{
			Index: o.plan.First + i, Conversation: o.plan.Number, Turn: i + 1, Model: cmp.Or(t.Model, o.model),
			OutputTokens: t.OutputTokens,
		},
	}
	j.id = m.cfg.IDPrefix + strconv.Itoa(j.request.Index)
	if m.priming {
		j.warmup, j.id = true, fmt.Sprintf("%sprimer-%d-%d", m.cfg.IDPrefix, o.plan.Number, i+1)
	}
	if j.session != "" && m.cfg.Conversations.BranchSessions && t.Branch > 0 {
		j.session += "-" + strconv.Itoa(t.Branch)
	}
	if m.cfg.Balance != nil {
		j.stickyKey = target.ConversationKey(o.plan.Number)
	}
	return j
}

// makeTurn makes the body of a turn: of what its maker gives, or of the history that it continues. It gives the messages.
func (m *maker) makeTurn(j *job) (messages []byte, err error) {
	o, n := j.conversation, &j.conversation.turns[j.turn]
	call := m.cfg.Call
	call.MaxTokens = j.request.OutputTokens
	if j.request.Model != "" {
		call.Model = j.request.Model
	}
	if own := o.plan.Turns[j.turn].Fields; len(own) > 0 {
		fields := make([]workload.Field, len(own))
		for i, f := range own {
			fields[i] = workload.Field{Name: f.Name, Value: f.Value, Sampling: f.Sampling}
		}
		call.Extra = withFields(call.Extra, fields, m.cfg.Protocol)
	}
	if own := o.plan.Maker; own != nil {
		made, err := own.Make(j.turn)
		if err != nil {
			return nil, fmt.Errorf("turn %d: %w", j.turn+1, err)
		}
		call.Messages, j.request.PromptTokens = made.Messages, made.Tokens
		j.request.SharedTokens, j.request.SharedOf = made.Planned, made.PlannedOf
	} else {
		var before *talk.History
		if i := o.plan.Turns[j.turn].Continues; i >= 0 {
			before = o.turns[i].history
		}
		history, err := o.plan.Begin(j.turn, before, func(turn int) string { return o.turns[turn].text })
		if err != nil {
			return nil, err
		}
		call.Messages, n.history, j.request.PromptTokens = history.AppendJSON(nil), history, history.Tokens()
	}
	const others = 1024 // bytes of the other fields, as a rule: a long body is copied once
	if j.body, err = m.cfg.Protocol.AppendBody(make([]byte, 0, len(call.Messages)+others), &call); err != nil {
		return nil, fmt.Errorf("turn %d: %w", j.turn+1, err)
	}
	j.promptHash = hash64([]byte(call.Messages))
	if m.cfg.KeepPrompts {
		j.request.Prompt = string(call.Messages)
	}
	return call.Messages, nil
}

// fix says when a turn is due for which all is there that it waits for: when the last of its delays is over. t.mu is held.
func (t *conversations) fix(j *job) {
	o := j.conversation
	n := &o.turns[j.turn]
	j.due, j.from = o.start.at, o.start
	for i, w := range o.plan.Turns[j.turn].Waits {
		from, think, place, sent := o.start, int64(0), -1, false
		if w.Turn != talk.FromBegin {
			before := &o.turns[w.Turn]
			from, think, place, sent = before.end, before.think, len(j.after), w.Sent && !before.gone
			if sent {
				from = before.begun
			}
			last := w.Turn
			if before.gone {
				last = before.instead
			}
			j.after = append(j.after, o.plan.First+last)
		}
		delay := int64(w.Delay)
		if w.IfLast && from.at < o.lastEnd(j.turn) {
			delay = 0
		}
		if due := from.at + delay; i == 0 || due >= j.due {
			j.due, j.delay, j.from, j.follows, j.followsSent = due, delay, from, place, sent
			n.think = think
		}
	}
}

// lastEnd is when the last of those turns ended that one waits for.
func (o *conversation) lastEnd(turn int) (at int64) {
	for _, w := range o.plan.Turns[turn].Waits {
		if w.Turn != talk.FromBegin && !w.Sent {
			at = max(at, o.turns[w.Turn].end.at)
		}
	}
	return at
}

// pass tells those that wait for a turn that it was sent, or else that it is over. What waits for nothing more is queued;
// what is due soon is to be made by the caller. t.mu is held.
func (t *conversations) pass(o *conversation, turn int, sent bool) (soon []*job) {
	if o.ended || o.cut != "" || t.stopped != "" {
		return nil
	}
	for _, f := range o.followers.of(turn) {
		i, w := int(f.turn), &o.plan.Turns[f.turn].Waits[f.wait]
		if w.Sent != sent {
			continue
		}
		n := &o.turns[i]
		n.waits--
		switch {
		case n.gone:
		case w.Spawn && o.turns[turn].gone:
			soon = append(soon, t.endBranch(o, o.plan.Turns[i].Branch, o.turns[turn].instead)...)
		case n.waits == 0:
			j := t.run.maker.newTurn(o, i)
			t.fix(j)
			if j.due-t.skipped-o.skipped-t.run.paceNow() > 2*int64(makeAhead) {
				t.push(j)
				break
			}
			t.making++
			o.making++
			soon = append(soon, j)
		}
	}
	return soon
}

// endBranch leaves out what is left of a branch after a turn has failed. Who waits for it goes on. t.mu is held.
func (t *conversations) endBranch(o *conversation, branch, failed int) (soon []*job) {
	var gone []int
	for i := range o.turns {
		if n := &o.turns[i]; o.plan.Turns[i].Branch == branch && !n.sent && !n.gone {
			n.gone, n.instead = true, failed
			n.begun, n.end, n.think = o.turns[failed].end, o.turns[failed].end, o.turns[failed].think
			gone = append(gone, i)
		}
	}
	t.drop(o, func(j *job) bool { return o.turns[j.turn].gone })
	for _, i := range gone {
		soon = append(soon, t.pass(o, i, true)...)
		soon = append(soon, t.pass(o, i, false)...)
	}
	return soon
}

// prepareAll makes the bodies of turns and queues them.
func (t *conversations) prepareAll(list []*job) {
	for _, j := range list {
		t.run.flight.wait.Go(func() { t.prepare(j) })
	}
}

// prepare makes a turn's body and queues it, unless its conversation is not to go on.
func (t *conversations) prepare(j *job) {
	_, err := t.run.maker.makeTurn(j)
	o := j.conversation
	t.mu.Lock()
	t.making--
	o.making--
	over := false
	switch {
	case o.ended || o.cut != "" || t.stopped != "" || o.turns[j.turn].gone:
		over = t.over(o)
	case err != nil:
		o.failed, o.ended = cmp.Or(o.failed, err.Error()), true
		t.drop(o, func(*job) bool { return true })
		over = t.over(o)
	default:
		t.push(j)
		t.skipIdle(o)
	}
	t.mu.Unlock()
	if over {
		t.finish(o, nil)
	}
	t.run.signal()
}

// followers are the turns that wait for each turn, as one list: a recording has thousands.
type followers struct {
	list []follower
	from []int32 // where those of each turn begin
}

type follower struct{ turn, wait int32 }

func followersOf(c *talk.Conversation) followers {
	f := followers{from: make([]int32, len(c.Turns)+1)}
	each := func(see func(before int, f follower)) {
		for i, t := range c.Turns {
			for k, w := range t.Waits {
				if w.Turn != talk.FromBegin {
					see(w.Turn, follower{int32(i), int32(k)})
				}
			}
		}
	}
	each(func(before int, _ follower) { f.from[before+1]++ })
	for i := range c.Turns {
		f.from[i+1] += f.from[i]
	}
	f.list = make([]follower, f.from[len(c.Turns)])
	next := slices.Clone(f.from)
	each(func(before int, one follower) {
		f.list[next[before]] = one
		next[before]++
	})
	return f
}

func (f *followers) of(turn int) []follower { return f.list[f.from[turn]:f.from[turn+1]] }
