package load

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/inferometer/inferometer/internal/send/pace"
	"github.com/inferometer/inferometer/internal/send/protocol"
	"github.com/inferometer/inferometer/internal/send/target"
	"github.com/inferometer/inferometer/internal/send/workload"
)

// job is one request, ready to be sent.
type job struct {
	request workload.Request
	id      string
	body    []byte
	summed  [][]byte // of body, what the workload's hash is over
	size    int      // that it took of the budget, which whoever receives it gives back, once
	content
	place

	due      int64 // by the pace's clock, and when it is sent on the run's; in a closed loop it is set when a slot is free
	released int64
	rates    []int // whole rates that the pace first reached with this request
	warmup   bool

	stickyKey uint64 // for Balance; 0 with one server
	target    int
	picked    bool // Balance chose the target, and is to be told of the end
	hangUp    hangUpAt
	err       error // the source or the protocol failed; no job follows
}

// hangUpAt is when a request is to be ended on purpose; the zero value: never.
type hangUpAt struct {
	after  time.Duration
	tokens int
}

// content is what the journal says of the body, which is not kept.
type content struct {
	promptHash string
	inputs     int     // texts in it, where it is no single one
	soundNs    int64   // length of the sound in it
	media      int     // images, videos and sounds in it
	scored     *scored // nil: it asks for no likelihood
}

// place is where in a conversation a job is; the zero value: in none.
type place struct {
	conversation *conversation
	turn         int    // of it, from 0
	at           int64  // when the dispatcher looks at it: when it is due, or before that to make its body
	others       []*job // of a job that begins a conversation and is no turn of it: the turns that wait for no other
	branch       int    // of the conversation
	after        []int  // what it waited for, by index
	follows      int    // the place in after of the one that it is due delay after; -1: after the conversation's begin
	followsSent  bool   // after that one was sent
	delay        int64
	from         moment // what delay counts from
	skipped      int64  // of delay
	freed        int64  // when its conversation could be begun, which had waited for that
	session      string
	// sentBefore of sentOf tokens of its prompt were sent before; no sentOf: not known
	sentBefore, sentOf int
}

// maker makes what is sent of what the workload says.
type maker struct {
	cfg    *Config
	closed bool // a request is due when its slot is free
	// priming: turns are written down as warm-ups.
	priming bool
}

func newMaker(cfg *Config) maker { return maker{cfg: cfg, closed: pace.DueWhenFree(cfg.Pace)} }

// job turns a request of the workload into bytes, or the first turns of a conversation.
func (m *maker) job(w *workload.Request) (*job, error) {
	if w.Talk != nil {
		return m.conversation(w)
	}
	call := m.cfg.Call
	call.Prompt, call.TokenIDs, call.MaxTokens = w.Prompt, w.TokenIDs, w.OutputTokens
	call.Messages, call.Media, call.Inputs = w.Messages, w.Media, w.Inputs
	call.Index, call.NoIndex = w.Index, w.NoID
	if s := w.Sound; s != nil {
		call.Sound = &protocol.File{Name: s.Name, Type: s.Type, Data: s.Data}
	}
	likely, err := m.scored(w)
	if err != nil {
		return nil, fmt.Errorf("request %d: %w", w.Index, err)
	}
	call.Echo = likely != nil
	call.Extra = withFields(call.Extra, w.Fields, m.cfg.Protocol)
	if w.Model != "" {
		call.Model = w.Model
	}
	body, err := m.cfg.Protocol.AppendBody(nil, &call)
	if err != nil {
		return nil, fmt.Errorf("request %d: %w", w.Index, err)
	}
	j := &job{
		request: *w, body: body, summed: m.summed(&call, body), warmup: w.Unmeasured,
		content: content{promptHash: PromptHash(w), inputs: m.inputsOf(w), media: len(w.Media), scored: likely},
	}
	if w.Sound != nil {
		j.soundNs = int64(w.Sound.Length)
	}
	if m.cfg.Balance != nil {
		j.stickyKey = target.StickyKey(w.Prompt)
	}
	if !m.cfg.KeepPrompts {
		j.request.Prompt = "" // it is in the body; a long one need not be kept twice
	}
	j.request.Messages, j.request.Media, j.request.Inputs, j.request.Sound, j.request.Fields = nil, nil, nil, nil, nil // as above
	if !w.NoID {
		j.id = m.cfg.IDPrefix + strconv.Itoa(w.Index)
	}
	return j, nil
}

// summed is what the workload's hash is over. Which of several adapters a request is for is part of the workload.
func (m *maker) summed(call *protocol.Call, body []byte) [][]byte {
	own := *call
	if call.Model != m.cfg.Call.Model {
		own.Model = ""
	}
	return protocol.Anonymous(m.cfg.Protocol, &own, body)
}

// withFields adds the fields of a request to those of the run. Later ones win: those of the run
// over the request's sampling parameters, and its other fields over all. Parameters that the
// protocol has no word for are left out.
func withFields(extra []protocol.Field, own []workload.Field, b *protocol.Backend) []protocol.Field {
	if len(own) == 0 {
		return extra
	}
	var sampling, others []protocol.Field
	for _, f := range own {
		switch {
		case !f.Sampling:
			others = append(others, protocol.Field{Name: f.Name, Value: f.Value})
		case b.TakesSampling(f.Name):
			sampling = append(sampling, protocol.Field{Name: f.Name, Value: f.Value, Sampling: true})
		}
	}
	return slices.Concat(sampling, extra, others)
}

// inputsOf counts the texts of a request with several: without the query, where there is one.
func (m *maker) inputsOf(w *workload.Request) int {
	n := len(w.Inputs)
	if m.cfg.Query && n > 0 {
		n--
	}
	return n
}
