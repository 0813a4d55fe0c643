package load

import (
	"slices"
	"sync"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/send/protocol/stream"
)

// fill turns the trace into a record.
func (w *worker) fill(j *job, sent, end int64, err error) {
	t, secrets := &w.sink.Trace, w.run.cfg.Secrets
	events := w.record.Events
	w.record = journal.Request{
		Index: j.request.Index, ID: j.id, Warmup: j.warmup, Target: j.target,
		Conversation: j.request.Conversation, Turn: j.request.Turn, Model: j.request.Model, Branch: j.branch,
		After: j.after, Delay: j.delay, Follows: j.follows, FollowsSent: j.followsSent, Skipped: j.skipped,
		Due: j.due, Released: j.released, Sent: sent, Headers: t.Headers, End: end,
		Status: t.Status, ServerID: secrets.Word(t.ServerID), Cut: t.Status != 0 && err != nil,
		NewConn: t.Conn.New, Reconnects: t.Conn.Reconnects, Retransmits: t.Conn.Retransmits, Reordered: t.Conn.Reordered, UnstampedRead: t.Conn.Unstamped,
		Inputs: j.inputs, SoundNs: j.soundNs, Media: j.media, PromptTokens: j.request.PromptTokens, OutputTokens: j.request.OutputTokens,
		UsagePrompt: t.Usage.Prompt, UsageOutput: t.Usage.Output, UsageCached: t.Usage.Cached, CachedKnown: t.Usage.CachedKnown,
		UsageReasoning: t.Usage.Reasoning, ReasoningKnown: t.Usage.ReasoningKnown,
		Planned: j.request.SharedTokens, PlannedOf: j.request.SharedOf, Prefix: j.request.Prefix, SentBefore: j.sentBefore, SentOf: j.sentOf,
		ServerPromptNs: t.Timings.PromptNs, ServerOutputNs: t.Timings.OutputNs,
		FinishReason: secrets.Word(t.FinishReason), SharedReads: t.SharedReads,
		PromptHash: j.promptHash, TextHash: textHash(t.Text), HangUpNs: int64(j.hangUp.after), HangUpTokens: j.hangUp.tokens,
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
	w.served(j)
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

// served writes down who served the request, as the answer says.
func (w *worker) served(j *job) {
	s, r, names := &w.sink.Trace.Served, &w.record, &w.run.names
	r.Replica, r.Prefiller, r.Retries = names.known(w.run.cfg.Secrets.Scrub(s.Replica)), names.known(w.run.cfg.Secrets.Scrub(s.Prefiller)), s.Retries
	r.ServerQueueNs, r.ServerTTFTNs, r.ServerTransferNs = s.Queue, s.TTFT, s.Transfer
	r.Believed, r.BelievedKnown = s.BelievedTokens(max(r.UsagePrompt, j.request.PromptTokens))
}

// MaxNames is how many servers of a run are known by their names: a router in front of more is not known, and names that change
// with each request are none.
const MaxNames = 10_000

// names are those of the servers that have answered so far.
type names struct {
	mu      sync.Mutex
	list    map[string]string
	unnamed int // requests whose server was one too many
}

// known is the name, in memory that all requests share; empty: there are too many.
func (n *names) known(name string) string {
	if name == "" {
		return ""
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if same, has := n.list[name]; has {
		return same
	}
	if len(n.list) == MaxNames {
		n.unnamed++
		return ""
	}
	if n.list == nil {
		n.list = map[string]string{}
	}
	n.list[name] = name
	return name
}

func (w *worker) asked(j *job) asked {
	return asked{tokens: j.request.OutputTokens, ignoreEOS: w.run.cfg.Call.IgnoreEOS, whole: w.run.cfg.Call.NoStream, pooling: w.run.cfg.Pooling, inputs: max(j.inputs, 1)}
}

// columns turns events into the journal's columns, in the memory of the record before.
func (w *worker) columns(old journal.Events, sent int64) {
	t := &w.sink.Trace
	e := journal.Events{At: old.At[:0], Lag: old.Lag[:0], Tokens: old.Tokens[:0], Kind: old.Kind[:0], Open: append(old.Open[:0], t.Open...)}
	// By its own times the event loop knows at least what it read before an event.
	lags := w.run.cfg.Transport.Stamps() == "kernel" || slices.ContainsFunc(t.Events, func(ev stream.Event) bool { return ev.Lag > 0 })
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
		if t.TokensBy != stream.TokensUnknown {
			e.Tokens = append(e.Tokens, tokensOf(ev))
		}
	}
	e.TokensBy = t.TokensBy.String()
	w.record.Events = e
}

// tokensOf an event that says nothing is 0 where it carries no text either.
func tokensOf(ev *stream.Event) int {
	if ev.Tokens < 0 && ev.Kind&(stream.EventText|stream.EventReasoning|stream.EventTool) == 0 {
		return 0
	}
	return ev.Tokens
}

// shortestHold is what counts before an event: shorter ones are the turns of others, and counted alone.
const shortestHold = 1e6 // ns

// holds gives for how long this process was held up between two moments of a request, each time a later one.
func (w *worker) holds(sent int64) func(from, to int64) int64 {
	events := w.sink.Trace.Events
	if w.run.cfg.Holds == nil || len(events) == 0 {
		return func(int64, int64) int64 { return 0 }
	}
	w.held = w.run.cfg.Holds(w.held[:0], sent, events[len(events)-1].At)
	left := w.held
	return func(from, to int64) (ns int64) {
		for len(left) > 0 && left[0].To <= from {
			left = left[1:]
		}
		for _, h := range left {
			if h.From >= to {
				break
			}
			if h.To-h.From >= shortestHold {
				ns += max(min(h.To, to)-max(h.From, from), 0)
			}
		}
		return ns
	}
}

// appendAnswer adds the line of what a question got, in the same write as its request's:
// a run that is killed has both or neither.
func (w *worker) appendAnswer(line []byte, j *job) []byte {
	if j.request.Question == nil || j.warmup {
		return line
	}
	t, r := &w.sink.Trace, &w.record
	a := journal.Answer{
		Index: r.Index, Question: *j.request.Question, Outcome: r.Outcome, FinishReason: r.FinishReason,
		Prompt: r.UsagePrompt, Output: max(r.UsageOutput, r.TextTokens),
	}
	if j.scored == nil {
		a.Text, a.Hash = w.run.cfg.Secrets.Scrub(string(t.Text)), r.TextHash
	} else if w.choice != nil { // the token that was generated beside it is no answer
		a.Logprob, a.Greedy = &w.choice.logprob, w.choice.greedy
	}
	return journal.AppendAnswer(line, &a)
}
