package load

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/inferometer/inferometer/internal/send/pace"
	"github.com/inferometer/inferometer/internal/send/protocol"
	"github.com/inferometer/inferometer/internal/send/target"
	"github.com/inferometer/inferometer/internal/send/workload"
)

// prepare turns a request of the workload into bytes.
func (r *run) prepare(w *workload.Request) (*job, error) {
	if w.Talk != nil {
		return r.prepareTalk(w)
	}
	call := r.cfg.Call
	call.Prompt, call.TokenIDs, call.MaxTokens = w.Prompt, w.TokenIDs, w.OutputTokens
	call.Messages, call.Media, call.Inputs = w.Messages, w.Media, w.Inputs
	call.Index, call.NoIndex = w.Index, w.NoID
	if s := w.Sound; s != nil {
		call.Sound = &protocol.File{Name: s.Name, Type: s.Type, Data: s.Data}
	}
	likely, err := r.scored(w)
	if err != nil {
		return nil, fmt.Errorf("request %d: %w", w.Index, err)
	}
	call.Echo = likely != nil
	call.Extra = withFields(call.Extra, w.Fields, r.cfg.Protocol)
	if w.Model != "" {
		call.Model = w.Model
	}
	body, err := r.cfg.Protocol.AppendBody(nil, &call)
	if err != nil {
		return nil, fmt.Errorf("request %d: %w", w.Index, err)
	}
	j := &job{request: *w, body: body, summed: r.summed(&call, body), promptHash: requestHash(w), warmup: w.Unmeasured, inputs: r.inputsOf(w), media: len(w.Media), scored: likely}
	if w.Sound != nil {
		j.soundNs = int64(w.Sound.Length)
	}
	if r.cfg.Balance != nil {
		j.stickyKey = target.StickyKey(w.Prompt)
	}
	if !r.cfg.KeepPrompts {
		j.request.Prompt = "" // it is in the body; a long one need not be kept twice
	}
	j.request.Messages, j.request.Media, j.request.Inputs, j.request.Sound, j.request.Fields = nil, nil, nil, nil, nil // as above
	if !w.NoID {
		j.id = r.cfg.IDPrefix + strconv.Itoa(w.Index)
	}
	return j, nil
}

// summed is what the workload's hash is over. Which of several adapters a request is for is part of the workload.
func (r *run) summed(call *protocol.Call, body []byte) [][]byte {
	own := *call
	if call.Model != r.cfg.Call.Model {
		own.Model = ""
	}
	return protocol.Anonymous(r.cfg.Protocol, &own, body)
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

// prepareAhead starts prepareAll, unless it runs already. stop ends it.
func (r *run) prepareAhead() (stop func()) {
	if r.jobs != nil {
		return func() {}
	}
	n := ahead
	if r.cfg.Timed && r.cfg.Talks == nil {
		n = aheadTimed
	}
	r.jobs = make(chan *job, n)
	enough := make(chan struct{})
	go r.prepareAll(r.jobs, enough)
	return func() {
		close(enough)
		for j := range r.jobs { // until prepareAll has ended: it uses the source
			r.room.take(j.size)
		}
	}
}

// prepareAll runs ahead of the dispatcher. It ends when the source or the pace
// does, or when the dispatcher wants no more.
func (r *run) prepareAll(out chan<- *job, enough <-chan struct{}) {
	defer close(out)
	ramp, _ := pace.AsRamp(r.cfg.Pace)
	for {
		j := r.nextJob(ramp)
		if j == nil {
			return
		}
		j.size = j.bytes()
		if !r.room.put(j.size, enough) {
			return
		}
		select {
		case out <- j:
		case <-enough:
			r.room.take(j.size)
			return
		}
		if j.err != nil {
			return
		}
	}
}

// bytes is how long the bodies are that a job holds before it is sent: those of turns that
// begin with it are made with its own.
func (j *job) bytes() int {
	n := len(j.body)
	for _, other := range j.others {
		n += len(other.body)
	}
	return n
}

func (r *run) nextJob(ramp pace.Ramp) *job {
	due, ok := r.cfg.Pace.Next()
	if !ok {
		return nil
	}
	w, err := r.cfg.Source.Next()
	if err != nil {
		if isEnd(err) {
			return nil
		}
		return &job{err: fmt.Errorf("the workload: %w", err)}
	}
	j, err := r.prepare(w)
	if err != nil {
		return &job{err: err}
	}
	j.due = int64(due)
	if ramp != nil {
		j.rates = slices.Clone(ramp.Reached())
	}
	return j
}
