package serve

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/inferometer/inferometer/internal/cli/argv"
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/verdict"
	"github.com/inferometer/inferometer/internal/observe"
	"github.com/inferometer/inferometer/internal/outside"
	"github.com/inferometer/inferometer/internal/send/live"
)

const flagEvents = "events"

// Bounds of what waits for a reader who is slower than the run.
const (
	maxEvents    = 8192             // that wait; what comes then is dropped, and counted
	eventsEnding = 10 * time.Second // after the run, for what waits
	statesEvery  = 900 * time.Millisecond
)

// defineEvents declares --events. It is no part of a Spec.
func defineEvents(set *argv.Set, o *Options, opts ...argv.Option) {
	set.String(&o.Events, flagEvents, "", "Write what happens as JSON lines while it happens: a state each second, each request that ended, and the end with the verdict (docs/live.md). "+
		"- is standard output; the result is then printed to standard error.", append(opts, argv.WholeName(), argv.Metavar("FILE"))...)
}

// checkEvents: standard output has room for one thing.
func (o *Options) checkEvents() error {
	switch {
	case o.Events == "":
		return nil
	case o.Events == "-" && (o.Format == formatJSON || o.Format == formatVLLM):
		return argv.Errorf(flagEvents, "- can't be used together with --format %s: both write to standard output; give a file", o.Format)
	case o.DryRun || o.PrintSpec:
		return argv.Errorf(flagEvents, "has no effect where nothing is sent")
	}
	return nil
}

// event is one line; one of the three is there.
type event struct {
	State   *live.State   `json:"state,omitempty"`
	Request *eventRequest `json:"request,omitempty"`
	End     *eventEnd     `json:"end,omitempty"`
}

// eventRequest is a measured request that has ended.
type eventRequest struct {
	Index        int             `json:"index"`
	ID           string          `json:"id,omitempty"`
	Target       int             `json:"target,omitempty"`
	Conversation int             `json:"conversation,omitempty"`
	Turn         int             `json:"turn,omitempty"`
	Outcome      journal.Outcome `json:"outcome"`
	Sent         float64         `json:"sent"`           // seconds since the load began
	End          float64         `json:"end"`            // as above
	TTFT         *float64        `json:"ttft,omitempty"` // milliseconds from sent; absent: no token chunk came
	PromptTokens int             `json:"prompt_tokens,omitempty"`
	OutputTokens int             `json:"output_tokens"` // as the server counted, else as we did; 0: not known, or none
	Error        string          `json:"error,omitempty"`
}

// eventEnd is the last line.
type eventEnd struct {
	Verdict verdict.Trust `json:"verdict,omitempty"`
	Reasons []string      `json:"reasons,omitempty"`
	RunDir  string        `json:"run_dir,omitempty"`
	Result  string        `json:"result,omitempty"`
	Error   string        `json:"error,omitempty"` // why there is no result
	Dropped int64         `json:"dropped"`         // lines that the reader was too slow for
}

// events writes the lines of a run. A nil one writes none.
type events struct {
	observe.Base
	queue   chan event
	dropped atomic.Int64
	out     io.Writer
	file    *os.File // to be closed; nil: it is not ours
	last    time.Time
	phase   live.Phase
	end     eventEnd
	failed  error // of writing
	done    chan struct{}
	pipes   chan os.Signal
	forget  func()
}

// startEvents begins to write, if that is asked for.
func (r *serveRun) startEvents() (*events, error) {
	if err := r.checkEvents(); r.Events == "" || err != nil {
		return nil, err
	}
	e := &events{queue: make(chan event, maxEvents), done: make(chan struct{})}
	if r.Events == "-" {
		e.out, r.Out = r.Out, r.Err
		// A reader that has gone is no reason to end the run: writing fails, and is given up.
		e.pipes = make(chan os.Signal, 1)
		signal.Notify(e.pipes, syscall.SIGPIPE)
	} else {
		f, err := os.Create(r.Events)
		if err != nil {
			return nil, argv.Errorf(flagEvents, "%v", err)
		}
		e.out, e.file = f, f
	}
	if r.host.Live == nil {
		r.host.Live = &live.Feed{}
	}
	e.forget = r.host.Live.Listen(e.state)
	r.host.Observers = append(r.host.Observers, e)
	go e.write()
	return e, nil
}

// put queues a line, or drops it: nobody waits for a reader.
func (e *events) put(line event) {
	select {
	case e.queue <- line:
	default:
		e.dropped.Add(1)
	}
}

// state is told twice a second; a change of the phase is told at once.
func (e *events) state(s *live.State) {
	now := time.Unix(0, s.Time)
	if s.Phase == e.phase && now.Sub(e.last) < statesEvery {
		return
	}
	e.phase, e.last = s.Phase, now
	e.put(event{State: s})
}

// Ended implements observe.Watcher. It keeps nothing of the record's columns.
func (e *events) Ended(q *journal.Request) {
	line := &eventRequest{
		Index: q.Index, ID: q.ID, Target: q.Target, Conversation: q.Conversation, Turn: q.Turn, Outcome: q.Outcome,
		Sent: float64(q.Sent) / 1e9, End: float64(q.End) / 1e9,
		PromptTokens: max(q.UsagePrompt, 0), OutputTokens: max(q.UsageOutput, q.TextTokens, 0), Error: q.Error,
	}
	if line.PromptTokens == 0 {
		line.PromptTokens = max(q.PromptTokens, 0)
	}
	at := int64(0)
	for i, gap := range q.Events.At {
		at += gap
		if q.Events.Kind[i]&journal.EventChoices != 0 {
			ms := float64(at) / 1e6
			line.TTFT = &ms
			break
		}
	}
	e.put(event{Request: line})
}

// write writes until the queue is closed, and then the end.
func (e *events) write() {
	defer close(e.done)
	w := bufio.NewWriterSize(e.out, 1<<16)
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	for line := range e.queue {
		if e.failed != nil {
			e.dropped.Add(1)
			continue
		}
		e.failed = encoder.Encode(&line)
		if len(e.queue) == 0 && e.failed == nil { // who reads is to see it now
			e.failed = w.Flush()
		}
	}
	if e.failed == nil {
		e.end.Dropped = e.dropped.Load()
		e.failed = errors.Join(encoder.Encode(&event{End: &e.end}), w.Flush())
	}
}

// judged keeps what the last line says.
func (e *events) judged(folder string, v *verdict.Verdict) {
	if e == nil {
		return
	}
	e.end.RunDir = folder
	if result := filepath.Join(folder, journal.ResultName); isFile(result) {
		e.end.Result = result
	}
	if v != nil {
		e.end.Verdict, e.end.Reasons = v.Level, v.Reasons
	}
}

// finish writes the last line, and waits for a slow reader for a while only. why is the
// error that the run ended with.
func (e *events) finish(why error, warn func(format string, args ...any)) {
	if e == nil {
		return
	}
	e.forget()
	if why != nil && e.end.Result == "" {
		e.end.Error = outside.Sentence(why.Error())
	}
	close(e.queue)
	select {
	case <-e.done:
	case <-time.After(eventsEnding):
		warn("warning: --%s: the reader is too slow: %d lines were not written, among them the last", flagEvents, e.dropped.Load()+int64(len(e.queue)))
		return
	}
	if e.pipes != nil {
		signal.Stop(e.pipes)
	}
	if e.file != nil {
		e.failed = errors.Join(e.failed, e.file.Close())
	}
	if e.failed != nil {
		warn("warning: --%s: %v: %d lines were not written, among them the last", flagEvents, e.failed, e.dropped.Load())
	}
}

func isFile(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
