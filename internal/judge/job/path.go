// Package job looks at a conversation as a whole: which of its turns its time hangs on, and what that time went into;
// how long jobs take of which some were cut off; when nothing was in flight.
package job

import "github.com/inferometer/inferometer/internal/judge/row"

// Turn is what is kept of one request until its job has ended. Times are nanoseconds on the run's clock.
type Turn struct {
	Index   int  // of its request
	Branch  int  // whose turn it is
	Follows int  // the Index of the request that it was due after; -1: it counts from the begin of the job
	OfSent  bool // it was due after that one was let go, not after its answer

	Pause                    int64 // from what it follows to when it was due, as planned: a tool works, a user thinks
	Due, Released, Sent, End int64
	First                    int64 // the first token; -1: none, or the answer came in one piece
	Computed                 int64 // how long the server computed the prompt, as it says; 0: not known

	Input, Output, Cached int32 // tokens; Input and Cached are -1 where the server did not say
	OK                    bool
}

// NewTurn is what is kept of a request.
func NewTurn(r *row.Request) Turn {
	t := Turn{
		Index: r.Index, Branch: r.Branch, Follows: -1, Pause: max(r.Delay-r.Skipped, 0),
		Due: r.Due, Released: max(r.Released, r.Due), Sent: r.Sent, End: r.Row.End, First: r.Row.First, Computed: r.ServerPromptNs,
		Input: r.Row.Counted, Output: r.Row.Output, Cached: r.Row.Cached, OK: r.Row.OK,
	}
	if t.First >= 0 {
		t.First += t.Sent
	}
	if r.Follows >= 0 && r.Follows < len(r.After) { // -1 is the begin of the conversation
		t.Follows, t.OfSent = r.After[r.Follows], r.FollowsSent
	}
	return t
}

// Split is a time along the critical path of a job, by what it went into, in nanoseconds. The parts add up to the time exactly.
type Split struct {
	Pause   int64 // planned waits: tools and pauses
	Held    int64 // the pace was stopped by hand
	Late    int64 // the client was late
	Slot    int64 // requests waited for a slot of --max-concurrency
	Queue   int64 // the server had the request and did not compute its prompt yet, where it says so
	Prefill int64 // from the send to the first token, without Queue
	Decode  int64 // from the first token to the end
	Whole   int64 // answers without a first token: in one piece, or failed

	Turns  int // on the path, with an answer that was waited for
	Queued int // of which the server tells Queue
}

// Time is the sum of the parts.
func (s *Split) Time() int64 { return s.Pause + s.Held + s.Late + s.Slot + s.Model() }

// Model is the time in which the server had a request of the path.
func (s *Split) Model() int64 { return s.Queue + s.Prefill + s.Decode + s.Whole }

// Add adds another one.
func (s *Split) Add(o *Split) {
	s.Pause += o.Pause
	s.Held += o.Held
	s.Late += o.Late
	s.Slot += o.Slot
	s.Queue += o.Queue
	s.Prefill += o.Prefill
	s.Decode += o.Decode
	s.Whole += o.Whole
	s.Turns += o.Turns
	s.Queued += o.Queued
}

// Step is a turn on the critical path and its part of the job's time, which begins with the end of what it follows.
type Step struct {
	Turn *Turn
	Split
}

// Path is the critical path of a job that began at this moment, the last step first: from the answer that ended it back
// through what each turn was due after. It is nil where a turn is missing or the times contradict each other: nothing is
// known then. limited says that requests may have waited for a slot; else all time between due and sent is the client's.
func Path(begin int64, turns []Turn, limited bool) []Step {
	if len(turns) == 0 {
		return nil
	}
	places := make(map[int]int, len(turns))
	at := 0
	for i := range turns {
		places[turns[i].Index] = i
		if turns[i].End > turns[at].End {
			at = i
		}
	}
	var path []Step
	until := turns[at].End
	for len(path) <= len(turns) {
		t := &turns[at]
		from, parent := begin, -1
		if t.Follows >= 0 {
			i, ok := places[t.Follows]
			if !ok {
				return nil
			}
			parent, from = i, turns[i].End
			if t.OfSent {
				from = turns[i].Released
			}
		}
		if from > t.Sent || from > until {
			return nil
		}
		step := Step{t, t.split(from, until, limited)}
		if step.Time() != until-from {
			return nil
		}
		path = append(path, step)
		if parent < 0 {
			return path
		}
		at, until = parent, from
	}
	return nil // they follow each other in a circle
}

// split is the time between two moments by what the turn did in it.
func (t *Turn) split(from, until int64, limited bool) (s Split) {
	at := from
	upTo := func(moment int64, part *int64) {
		if moment = min(moment, until); moment > at {
			*part += moment - at
			at = moment
		}
	}
	slot := &s.Late
	if limited {
		slot = &s.Slot
	}
	upTo(min(from+t.Pause, t.Sent), &s.Pause)
	upTo(min(t.Due, t.Sent), &s.Held)
	upTo(min(t.Released, t.Sent), &s.Late)
	upTo(t.Sent, slot)
	if until <= t.Sent && until < t.End { // another turn began with this one's send: its answer was not waited for
		return s
	}
	s.Turns = 1
	if t.First < 0 {
		upTo(t.End, &s.Whole)
		return s
	}
	if t.Computed > 0 {
		s.Queued = 1
		upTo(t.First-t.Computed, &s.Queue)
	}
	upTo(t.First, &s.Prefill)
	upTo(t.End, &s.Decode)
	return s
}
