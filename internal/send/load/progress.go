package load

import (
	"sync"
	"sync/atomic"

	"github.com/inferometer/inferometer/internal/journal"
)

// Progress is what a display may ask while a run goes on. The zero value is ready.
type Progress struct {
	sent, inFlight   atomic.Int64
	completed, other atomic.Int64
	hungUp           atomic.Int64
	tokens           atomic.Int64 // beside those of the sinks
	draining         atomic.Bool
	primed, primers  atomic.Int64
	jobs, jobsEnded  atomic.Int64

	mu    sync.Mutex
	sinks []*countingSink
}

// Snapshot is the state of a run at one moment.
type Snapshot struct {
	Sent, InFlight, Completed, Failed int64
	HungUp                            int64 // ended on purpose: neither completed nor failed
	Tokens                            int64 // of requests that have ended and of those in flight
	Finished                          int64 // of those that have ended; 0: not known
	Jobs, JobsEnded                   int64 // conversations that are open, and that were
	Primed, Primers                   int64 // how many of the primers have ended, while they are sent; 0 of 0 before and after
}

// Ended is how many have ended in any way.
func (s *Snapshot) Ended() int64 { return s.Completed + s.Failed + s.HungUp }

// Done is the share of so many requests that is done, those in flight by their tokens: requests
// that are sent together end together, and between two such waves nothing ends.
func (s *Snapshot) Done(total int) float64 {
	all, ended := float64(max(total, 1)), float64(s.Ended())
	share := ended / all
	if s.Finished > 0 && ended > 0 {
		share = float64(s.Tokens) / (float64(s.Finished) / ended * all)
	}
	return min(max(share, ended/all), (ended+float64(s.InFlight))/all, 1)
}

// Snapshot adds up what the workers have counted.
func (p *Progress) Snapshot() Snapshot {
	s := Snapshot{
		Sent: p.sent.Load(), InFlight: p.inFlight.Load(),
		Completed: p.completed.Load(), Failed: p.other.Load(), HungUp: p.hungUp.Load(), Tokens: p.tokens.Load(),
		Primed: p.primed.Load(), Primers: p.primers.Load(), Jobs: p.jobs.Load(), JobsEnded: p.jobsEnded.Load(),
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, k := range p.sinks {
		s.Finished += k.finished.Load()
		s.Tokens += k.tokens.Load()
	}
	return s
}

// Draining says that no more is sent, and what is in flight is waited for.
func (p *Progress) Draining() bool { return p.draining.Load() }

// Set shows what was counted elsewhere: by the clients of a run that is sent by others.
func (p *Progress) Set(s Snapshot) {
	p.sent.Store(s.Sent)
	p.inFlight.Store(s.InFlight)
	p.completed.Store(s.Completed)
	p.other.Store(s.Failed)
	p.hungUp.Store(s.HungUp)
	p.tokens.Store(s.Tokens)
}

func (p *Progress) add(s *countingSink) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.sinks = append(p.sinks, s)
}

func (p *Progress) done(o journal.Outcome) {
	switch o {
	case journal.Complete:
		p.completed.Add(1)
	case journal.HungUp:
		p.hungUp.Add(1)
	default:
		p.other.Add(1)
	}
}
