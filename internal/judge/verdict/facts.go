package verdict

import (
	"strings"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/bounds"
	"github.com/inferometer/inferometer/internal/judge/hardware"
	"github.com/inferometer/inferometer/internal/judge/hist"
	"github.com/inferometer/inferometer/internal/judge/measure"
	"github.com/inferometer/inferometer/internal/judge/recovery"
	"github.com/inferometer/inferometer/internal/judge/row"
)

// facts are what more than one check needs to know of a run.
type facts struct {
	run *journal.Run
	opt Options

	measured, complete int64 // requests, warm-ups not counted
	events             int64
	connections        int64 // opened inside measured requests
	latencies          float64

	firstSent, lastSent, lastEnd int64
	firstDue, lastDue            int64
	paced                        span  // requests that the pace made due: all but the later turns of conversations
	turns                        int64 // requests of conversations
	thinks                       bool  // a turn had a delay after the answers that it waited for
	firstEnd                     int64 // of the request that ended first

	ttft         hist.Histogram // of the complete ones
	gaps         int64          // between token chunks of the complete ones
	lag          hist.Histogram // of all events
	promptTokens int64
	retried      int64 // how often answers say that a router sent a request again
	// Prompt tokens from the server's cache by its complete answers, and how many of them told.
	cached, cachedKnown int64

	open    *track
	prompts *seen
	fleet   *fleet // nil: one client sent all

	// After the last request.
	end      *journal.End
	samples  []journal.Sample
	server   *server
	hardware *hardware.Summary  // nil: nothing was asked
	bounds   *bounds.Bounds     // nil: the numbers were not measured
	jobs     *measure.Jobs      // nil: there were no conversations
	recovery *recovery.Recovery // nil: no fault was made on purpose
	judge    func(name string) *Check
}

// span is when some requests were due and sent.
type span struct {
	n                   int64
	firstDue, lastDue   int64
	firstSent, lastSent int64
}

func (s *span) add(v *view) {
	if s.n == 0 {
		s.firstDue, s.lastDue, s.firstSent, s.lastSent = v.Due, v.Due, v.Sent, v.Sent
	}
	s.n++
	s.firstDue, s.lastDue = min(s.firstDue, v.Due), max(s.lastDue, v.Due)
	s.firstSent, s.lastSent = min(s.firstSent, v.Sent), max(s.lastSent, v.Sent)
}

func newFacts(run *journal.Run, opt Options) *facts {
	return &facts{run: run, opt: opt, open: newTrack(maxSlots), prompts: newSeen(opt.HashLimit), fleet: newFleet(run, opt)}
}

// closed says that a request is due when a slot is free.
func (f *facts) closed() bool { return f.run.Options.Pace == "closed" || f.run.Options.Pace == "" }

// burst says that all requests are due at once.
func (f *facts) burst() bool { return f.run.Options.Pace == "burst" }

// conversing says that requests wait for the answers of others.
func (f *facts) conversing() bool { return f.turns > 0 }

// kernel says that events carry the kernel's times.
func (f *facts) kernel() bool { return f.run.Clock == "kernel" }

func (f *facts) chat() bool {
	return strings.Contains(f.run.Options.Endpoint, "chat") || strings.Contains(f.run.Options.Backend, "chat")
}

// span is the length of the run in nanoseconds.
func (f *facts) span() float64 { return float64(f.lastEnd - f.firstSent) }

func (f *facts) add(v *view) {
	f.promptTokens += int64(max(v.UsagePrompt, v.PromptTokens))
	f.retried += int64(v.Retries)
	if v.prompt != 0 && !v.follows() { // the history before a later turn makes it another prompt
		// Each server has a cache of its own: a prompt is new to one that has not had it.
		_, v.repeated = f.prompts.add(v.prompt+uint64(v.Target)<<48, 0)
	}
	if v.Warmup {
		return
	}
	f.addOwn(v)
	if f.fleet != nil && v.Agent < len(f.fleet.clients) {
		f.fleet.clients[v.Agent].addOwn(v)
	}
	if v.Conversation > 0 {
		f.turns++
	}
	if !v.follows() {
		f.paced.add(v)
	}
	f.thinks = f.thinks || v.Delay > 0
	if !v.complete {
		return
	}
	f.cached += int64(v.UsageCached)
	if v.CachedKnown {
		f.cachedKnown++
	}
	f.gaps += int64(max(len(v.Chunks)-1, 0))
}

// addOwn is what is kept of each client of a fleet too.
func (f *facts) addOwn(v *view) {
	f.moments(v)
	f.measured++
	f.events += int64(len(v.Events.At))
	f.latencies += float64(v.latency())
	if v.NewConn {
		f.connections++
	}
	f.open.add(v.Sent, v.End, v.NewConn)
	for _, lag := range v.Events.Lag {
		f.lag.Add(lag)
	}
	if v.complete {
		f.complete++
		if v.Row.First >= 0 {
			f.ttft.Add(v.Row.First)
		}
	}
}

func (f *facts) moments(v *view) {
	if f.measured == 0 {
		f.firstSent, f.firstDue, f.firstEnd = v.Sent, v.Due, v.End
	}
	f.firstSent, f.lastSent = min(f.firstSent, v.Sent), max(f.lastSent, v.Sent)
	f.firstDue, f.lastDue = min(f.firstDue, v.Due), max(f.lastDue, v.Due)
	f.firstEnd, f.lastEnd = min(f.firstEnd, v.End), max(f.lastEnd, v.End)
}

// change is by how much a counter of the samples grew, and over what time. Not ok:
// the system does not tell, or there are too few samples.
func (f *facts) change(of func(*journal.Sample) int64) (delta, span float64, ok bool) {
	if len(f.samples) < 2 {
		return 0, 0, false
	}
	a, b := &f.samples[0], &f.samples[len(f.samples)-1]
	const shortest = 100e6 // counters of the system tick each 10 ms
	if of(a) < 0 || of(b) < of(a) || b.At-a.At < shortest {
		return 0, 0, false
	}
	return float64(of(b) - of(a)), float64(b.At - a.At), true
}

// flag is the value of a flag of the command line, as far as it was given.
func (f *facts) flag(name string) (string, bool) {
	for i, arg := range f.run.Command {
		if value, ok := strings.CutPrefix(arg, name+"="); ok {
			return value, true
		}
		if arg == name && i+1 < len(f.run.Command) {
			return f.run.Command[i+1], true
		}
	}
	return "", false
}

// view is a request with what several checks need of it besides its row.
type view struct {
	*row.Request
	complete bool
	said     int    // output tokens, as the events say; -1 where one with text does not
	prompt   uint64 // hash; 0: none
	repeated bool   // the same prompt was sent before, in this run
}

func (v *view) read(r *row.Request) {
	*v = view{Request: r, complete: r.Complete(), said: saidTokens(&r.Events), prompt: hashOf(r.PromptHash)}
}

// follows says that it waited for the answer of another: a later turn of a conversation.
func (v *view) follows() bool { return len(v.After) > 0 }

// saidTokens adds up the tokens that the server gave for its events. Our own tokenizer
// is no witness against the server.
func saidTokens(ev *journal.Events) int {
	if len(ev.Tokens) == 0 || ev.TokensBy == "tokenizer" {
		return -1
	}
	sum := 0
	for i, n := range ev.Tokens {
		if n >= 0 {
			sum += n
		} else if ev.Kind[i]&row.CarriesText != 0 {
			return -1
		}
	}
	return sum
}

// got is the number of output tokens, if somebody counted them: the server, or the events.
func (v *view) got() (int, bool) {
	if v.UsageOutput > 0 {
		return v.UsageOutput, true
	}
	return v.said, v.said >= 0
}

// reached says whether the server answered the request to its end by its own
// account: it must have counted it.
func (v *view) reached() bool {
	switch v.Outcome {
	case journal.Complete, journal.Short, journal.Empty:
		return true
	}
	return false
}

// mayHaveReached says whether the server may have counted a request, or a part of it.
func (v *view) mayHaveReached() bool {
	switch v.Outcome {
	case journal.Refused, journal.HTTP4xx:
		return false
	}
	return true
}

// latency is how long the request was open.
func (v *view) latency() int64 { return max(v.End-v.Sent, 0) }

// sameMachine says whether every server is on the client's own machine, by its address.
func (f *facts) sameMachine() bool { return f.fleet == nil && f.run.SameMachine() }
