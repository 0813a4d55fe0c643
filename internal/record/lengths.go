package record

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"github.com/inferometer/inferometer/internal/clock"
	"github.com/inferometer/inferometer/internal/send/tokens"
	"github.com/inferometer/inferometer/internal/send/trace"
)

// Counter asks the server for lengths that the traffic did not tell: of a prompt that is a text, of one that is
// messages with the fields beside them, of an answer's text.
type Counter interface {
	Prompt(ctx context.Context, model, text string) (int, error)
	Chat(ctx context.Context, model string, fields map[string]json.RawMessage) (int, error)
	Text(ctx context.Context, model, text string) (int, error)
}

// What is asked of the server beside the traffic has bounds: so many questions at once, so many that wait with so many
// bytes, and for so long. A length that could not be asked stays unknown.
const (
	askersAtOnce = 4
	mostAsked    = 256
	mostAskBytes = 64 << 20
	askTime      = 10 * time.Second
)

// question is what is asked about one exchange, and what came back: 0 where nothing did.
type question struct {
	row          *row
	model        string
	chat         map[string]json.RawMessage // nil: prompt is a text
	prompt, text string                     // empty: not asked
	size         int
	at           time.Time

	input, output int
	err           error
}

// asker asks side by side. Only the writer calls its methods.
type asker struct {
	counter       Counter
	ctx           context.Context
	jobs, answers chan *question // each has room for all that wait
	waiting, size int
	group         sync.WaitGroup
}

// newAsker is nil where nobody can be asked.
func newAsker(ctx context.Context, c Counter) *asker {
	if c == nil {
		return nil
	}
	a := &asker{counter: c, ctx: ctx, jobs: make(chan *question, mostAsked), answers: make(chan *question, mostAsked)}
	for range askersAtOnce {
		a.group.Go(a.work)
	}
	return a
}

func (a *asker) work() {
	for q := range a.jobs {
		a.answer(q)
		a.answers <- q
	}
}

func (a *asker) answer(q *question) {
	ctx, cancel := context.WithDeadline(a.ctx, q.at.Add(askTime))
	defer cancel()
	switch {
	case q.chat != nil:
		q.input, q.err = a.counter.Chat(ctx, q.model, q.chat)
	case q.prompt != "":
		q.input, q.err = a.counter.Prompt(ctx, q.model, q.prompt)
	}
	if q.text != "" && q.err == nil {
		q.output, q.err = a.counter.Text(ctx, q.model, q.text)
	}
}

// ask takes a question; false: too many wait.
func (a *asker) ask(q *question) bool {
	if a.waiting == mostAsked || a.size+q.size > mostAskBytes {
		return false
	}
	a.waiting++
	a.size += q.size
	a.jobs <- q
	return true
}

// take ends a question.
func (a *asker) take(q *question) {
	a.waiting--
	a.size -= q.size
}

// heard is where answers come; nil: none ever does.
func (a *asker) heard() <-chan *question {
	if a == nil {
		return nil
	}
	return a.answers
}

// askFor asks for the lengths that a row lacks. The row waits for them.
func (w *writer) askFor(r *row, x *exchange, a *asked, data []byte) {
	if w.asker == nil || x.status != 200 || !trace.IsReplayed(r.Outcome) {
		return
	}
	q := &question{row: r, model: a.model, at: clock.Now()}
	switch {
	case r.Input != nil || len(data) > mostText:
	case x.kind.path == chatPath:
		q.chat = chatFields(data)
	default:
		q.prompt = a.prompt.text
	}
	if r.OutputBy == trace.ByEvents && !x.toolCalls() { // there is an answer, then
		if t := &x.answer.Trace; len(t.Reasoning)+len(t.Text) <= mostText {
			q.text = string(t.Reasoning) + string(t.Text)
		}
	}
	q.size = len(q.prompt) + len(q.text)
	for _, v := range q.chat {
		q.size += len(v)
	}
	if q.size == 0 {
		return
	}
	if r.waits = w.asker.ask(q); !r.waits {
		w.unasked("more requests end than its /tokenize answers: give --tokenizer")
	}
}

// answered enters what came back.
func (w *writer) answered(q *question) {
	w.asker.take(q)
	r := q.row
	if r.gone {
		return
	}
	r.waits = false
	if q.input > 0 {
		r.Input, r.InputBy = &q.input, trace.ByServer
		w.learn(r)
	}
	if q.output > 0 {
		r.Output, r.OutputBy = &q.output, trace.ByServer
	}
	if q.err != nil {
		w.unasked(q.err.Error())
	}
}

// unasked says once that lengths will be missing.
func (w *writer) unasked(why string) {
	if !w.saidUnasked {
		w.saidUnasked = true
		w.r.opts.Say("the lengths of some requests could not be asked of the server: %s", why)
	}
}

// chatPath is where a prompt is messages in OpenAI's form.
const chatPath = "/chat/completions"

// chatFields are the fields of a chat request that a chat template reads; nil: it holds more than texts. To ask about
// an image would have the server fetch it once more.
func chatFields(data []byte) map[string]json.RawMessage {
	var fields map[string]json.RawMessage
	var list []struct {
		Content json.RawMessage `json:"content"`
	}
	if json.Unmarshal(data, &fields) != nil || json.Unmarshal(fields["messages"], &list) != nil || len(list) == 0 {
		return nil
	}
	for _, m := range list {
		var parts []struct {
			Type string `json:"type"`
		}
		if json.Unmarshal(m.Content, &parts) != nil {
			continue // a text, or nothing
		}
		for _, p := range parts {
			if p.Type != "text" {
				return nil
			}
		}
	}
	kept := map[string]json.RawMessage{}
	for _, name := range tokens.ChatFields {
		if v := fields[name]; len(v) > 0 && string(v) != "null" {
			kept[name] = v
		}
	}
	return kept
}
