package run

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"sync"
	"time"

	"github.com/inferometer/inferometer/internal/relay"
	"github.com/inferometer/inferometer/internal/send/target"
)

// Target is the servers that a point needs: some that are up, or some to start.
type Target struct {
	Name string
	Key  string   // equal keys mean the same servers
	Up   []Server // that are up already; none: they are started

	// Behind are the servers that stand behind these, which are their router then. They are started first, and stay
	// up while the next point needs the same. Nil: none.
	Behind *Target

	// Servers says what to start, given those behind them (nil: none). It is asked at each start: ports and logs may
	// be others than before.
	Servers func(ctx context.Context, behind *Servers) ([]Server, error)
	// WhenUp is called when the servers are ready, or first used; nil: nothing to do.
	WhenUp func(ctx context.Context, up *Servers)
	// WhenDown is called after servers of ours have ended; nil: nothing to do.
	WhenDown func()
}

// Server is one process of a target, such as a replica.
type Server struct {
	Name    string // for errors; empty: the target's only one
	Part    string // what it is called within its target, such as backend-2
	Role    string // prefill or decode; empty: it does both
	URL     string
	Command target.Command
	Ready   Readiness
	Spare   bool // it is not started with the others
	Relayed bool // it is reached through a relay of ours, which is at its URL then
}

// Readiness is how to see that a server has come up.
type Readiness struct {
	Path    string // answers 200 when it is healthy
	Timeout time.Duration
	Late    error // what is wrong when the time is over
	// First sends one real request; nil: being healthy is enough.
	First func(context.Context, *target.Target) error
}

// Startup is how long a server took to start.
type Startup struct {
	Server       string  `json:"server"` // target, and the number of a replica
	HealthyS     float64 `json:"healthy_s"`
	FirstAnswerS float64 `json:"first_answer_s,omitempty"`
}

// Servers is a target that is up: all its replicas.
type Servers struct {
	URLs   []string
	Fresh  bool     // no point has run on them, nor on those behind them
	Behind *Servers // nil: none are

	runner *Runner
	target *Target
	mu     sync.Mutex // of what follows: a fault comes from another goroutine
	slots  []*slot
	hurt   bool // something was done to them on purpose, so the next point needs others
}

// slot is the place of a server.
type slot struct {
	Server
	of      *Servers
	own     string          // its own address, behind the relay if there is one
	relay   *relay.Relay    // nil: none
	process *target.Process // nil: it was up before, or it is a spare one that nobody has started
	copied  *logCopy
	down    bool // on purpose
}

// List are the servers that were started, or found, with the others.
func (s *Servers) List() (list []Server) {
	for _, one := range s.slots {
		if !one.Spare {
			list = append(list, one.Server)
		}
	}
	return list
}

// Logs are the files with the output of the servers that we started.
func (s *Servers) Logs() (files []string) {
	if s.Behind != nil {
		files = s.Behind.Logs()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, one := range s.slots {
		if one.process != nil {
			files = append(files, one.process.Log())
		}
	}
	return files
}

// serve makes sure that the point's servers are up, and tells how long those took
// that were started for it.
func (r *Runner) serve(ctx context.Context, drain <-chan struct{}, p *Point) ([]Startup, error) {
	if r.up != nil && r.up.died() == nil {
		return nil, nil
	}
	ctx, cancel := cancelOn(ctx, drain)
	defer cancel()
	r.takeDown()
	for t := p.Target; t != nil; t = t.Behind {
		if err := r.broken[t.Key]; err != nil {
			return nil, fmt.Errorf("its server did not come up before: %w", err)
		}
	}
	behind := p.Target.Behind != nil && (r.behind == nil || r.behind.died() != nil)
	if p.Target.Servers != nil || behind && p.Target.Behind.Servers != nil {
		r.emit(Event{Kind: Starting, Point: p})
	}
	var before []Startup
	if behind {
		r.takeDownBehind()
		var err error
		if r.behind, before, err = r.bringUp(ctx, p.Target.Behind, nil); err != nil {
			return nil, err
		}
	}
	up, startup, err := r.bringUp(ctx, p.Target, r.behind)
	r.up = up
	startup = append(before, startup...)
	if err == nil && len(startup) > 0 {
		r.emit(Event{Kind: Up, Point: p, Startup: startup})
	}
	return startup, err
}

// bringUp starts the servers of a target, or finds those that are up.
func (r *Runner) bringUp(ctx context.Context, t *Target, behind *Servers) (*Servers, []Startup, error) {
	s := &Servers{Behind: behind, runner: r, target: t}
	var startup []Startup
	if t.Servers == nil {
		for _, one := range t.Up {
			if _, err := s.add(one); err != nil {
				return nil, nil, err
			}
		}
	} else {
		s.Fresh = behind == nil || behind.Fresh
		var err error
		if startup, err = r.start(ctx, s); err != nil {
			r.end(s)
			if ctx.Err() == nil {
				r.broken[t.Key] = err
			}
			return nil, nil, err
		}
	}
	if t.WhenUp != nil {
		t.WhenUp(ctx, s)
	}
	return s, startup, nil
}

// add makes the place of a server, with a relay before it where one is wanted.
func (s *Servers) add(one Server) (*slot, error) {
	added := &slot{Server: one, of: s, own: one.URL, down: one.Spare}
	if one.Relayed {
		u, err := url.Parse(one.URL)
		if err != nil {
			return nil, err
		}
		if added.relay, err = relay.Open(u.Host, 0); err != nil {
			return nil, fmt.Errorf("open a relay before %s: %w", one.Part, err)
		}
		u.Host = added.relay.Addr()
		added.URL = u.String()
	}
	s.slots = append(s.slots, added)
	if !one.Spare {
		s.URLs = append(s.URLs, added.URL)
	}
	return added, nil
}

// start starts all servers of a target side by side and waits until each is ready.
func (r *Runner) start(ctx context.Context, s *Servers) ([]Startup, error) {
	list, err := s.target.Servers(ctx, s.Behind)
	if err != nil {
		return nil, err
	}
	var begun []*slot
	for _, one := range list {
		added, err := s.add(one)
		if err != nil {
			return nil, err
		}
		if one.Spare {
			continue
		}
		if err := r.launch(added); err != nil {
			return nil, err
		}
		begun = append(begun, added)
	}
	startup, errs := make([]Startup, len(begun)), make([]error, len(begun))
	var all sync.WaitGroup
	for i, one := range begun {
		all.Go(func() { startup[i], errs[i] = r.await(ctx, one.process, one.Server) })
	}
	all.Wait()
	return startup, errors.Join(errs...)
}

// launch starts the process of a server.
func (r *Runner) launch(one *slot) (err error) {
	if one.copied == nil {
		if one.copied, err = r.copyLog(one.Command.Log); err != nil {
			return err
		}
	}
	one.process, err = target.Start(one.Command)
	return err
}

func (r *Runner) await(ctx context.Context, process *target.Process, one Server) (Startup, error) {
	ready := one.Ready
	ctx, cancel := context.WithTimeoutCause(ctx, ready.Timeout, ready.Late)
	defer cancel()
	t := r.At(one.URL)
	first := func(ctx context.Context) error {
		if ready.First == nil {
			return nil
		}
		return ready.First(ctx, t)
	}
	up, err := process.Ready(ctx, func(ctx context.Context) error { return t.Healthy(ctx, ready.Path) }, first)
	switch {
	case err == nil:
	case one.Name == "":
		return Startup{}, err
	default:
		return Startup{}, fmt.Errorf("%s: %w", one.Name, err)
	}
	return Startup{Server: one.Name, HealthyS: up.Healthy.Seconds(), FirstAnswerS: up.FirstAnswer.Seconds()}, nil
}

// died says how a server ended that should be up; nil: all are.
func (s *Servers) died() error {
	if s.Behind != nil {
		if err := s.Behind.died(); err != nil {
			return err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, one := range s.slots {
		if one.process == nil || one.down {
			continue
		}
		select {
		case <-one.process.Exited():
			return one.process.Ended()
		default:
		}
	}
	return nil
}

// spoiled says that the next point needs other servers: one died, or something was done to them.
func (s *Servers) spoiled() bool {
	if s == nil {
		return false
	}
	s.mu.Lock()
	hurt := s.hurt
	s.mu.Unlock()
	return hurt || s.died() != nil || s.Behind.spoiled()
}

// takeDown stops the servers that are up, and leaves those behind them.
func (r *Runner) takeDown() {
	if r.up != nil {
		r.end(r.up)
	}
	r.up = nil
}

// takeDownBehind stops those behind, and with them who stands before them.
func (r *Runner) takeDownBehind() {
	r.takeDown()
	if r.behind != nil {
		r.end(r.behind)
	}
	r.behind = nil
}

// end stops servers, all replicas at once, and tells what it could not end. Those that we did not start are left alone.
func (r *Runner) end(s *Servers) {
	if s.target.Servers == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var all sync.WaitGroup
	ours := 0
	for _, one := range s.slots {
		one.down = true
		if one.process != nil {
			ours++
			all.Go(one.process.Stop)
		}
	}
	all.Wait()
	for _, one := range s.slots {
		if one.relay != nil {
			_ = one.relay.Close() // its connections are gone
		}
		one.copied.stop()
		if one.process == nil {
			continue
		}
		if left := one.process.Left(); left != "" {
			r.Note("%s", left)
		}
	}
	if s.target.WhenDown != nil && ours > 0 {
		s.target.WhenDown()
	}
	r.emit(Event{Kind: Down})
}
