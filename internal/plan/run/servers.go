package run

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/inferometer/inferometer/internal/send/target"
)

// Target is the servers that a point needs: some that are up, or some to start.
type Target struct {
	Name  string
	Key   string   // equal keys mean the same servers
	URLs  []string // of servers that are up already; none: they are started
	Ready Readiness

	// Servers says what to start. It is asked at each start: ports and logs may
	// be others than before.
	Servers func(ctx context.Context) ([]Server, error)
	// WhenUp is called when the servers are ready, or first used; nil: nothing to do.
	WhenUp func(ctx context.Context, up *Servers)
	// WhenDown is called after servers of ours have ended; nil: nothing to do.
	WhenDown func()
}

// Server is one process of a target, such as a replica.
type Server struct {
	Name    string // for errors; empty: the target's only one
	URL     string
	Command target.Command
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
	URLs  []string
	Fresh bool // started by us, and no point has run on them

	target    *Target
	processes []*target.Process // none: they were up before
	copies    []*logCopy
}

// Logs are the files with the output of the servers that we started.
func (s *Servers) Logs() (files []string) {
	for _, p := range s.processes {
		files = append(files, p.Log())
	}
	return files
}

// serve makes sure that the point's servers are up, and tells how long those took
// that were started for it.
func (r *Runner) serve(ctx context.Context, drain <-chan struct{}, p *Point) ([]Startup, error) {
	if r.up != nil && r.up.died() == nil {
		return nil, nil
	}
	r.takeDown()
	t := p.Target
	if err := r.broken[t.Key]; err != nil {
		return nil, fmt.Errorf("its server did not come up before: %w", err)
	}
	ctx, cancel := cancelOn(ctx, drain)
	defer cancel()
	if t.Servers == nil {
		r.up = &Servers{URLs: t.URLs, target: t}
		if t.WhenUp != nil {
			t.WhenUp(ctx, r.up)
		}
		return nil, nil
	}
	r.emit(Event{Kind: Starting, Point: p})
	r.up = &Servers{Fresh: true, target: t}
	startup, err := r.start(ctx, r.up)
	if err != nil {
		r.takeDown()
		if ctx.Err() == nil {
			r.broken[t.Key] = err
		}
		return nil, err
	}
	if t.WhenUp != nil {
		t.WhenUp(ctx, r.up)
	}
	r.emit(Event{Kind: Up, Point: p, Startup: startup})
	return startup, nil
}

// start starts all servers of a target side by side and waits until each is ready.
func (r *Runner) start(ctx context.Context, s *Servers) ([]Startup, error) {
	list, err := s.target.Servers(ctx)
	if err != nil {
		return nil, err
	}
	for _, one := range list {
		copied, err := r.copyLog(one.Command.Log)
		if err != nil {
			return nil, err
		}
		s.copies = append(s.copies, copied)
		process, err := target.Start(one.Command)
		if err != nil {
			return nil, err
		}
		s.processes, s.URLs = append(s.processes, process), append(s.URLs, one.URL)
	}
	ready := s.target.Ready
	ctx, cancel := context.WithTimeoutCause(ctx, ready.Timeout, ready.Late)
	defer cancel()
	startup, errs := make([]Startup, len(list)), make([]error, len(list))
	var all sync.WaitGroup
	for i, one := range list {
		all.Go(func() { startup[i], errs[i] = r.await(ctx, s.processes[i], one, ready) })
	}
	all.Wait()
	return startup, errors.Join(errs...)
}

func (r *Runner) await(ctx context.Context, process *target.Process, one Server, ready Readiness) (Startup, error) {
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
	for _, p := range s.processes {
		select {
		case <-p.Exited():
			return p.Ended()
		default:
		}
	}
	return nil
}

// takeDown stops the servers that are up, all replicas at once, and tells what it
// could not end. Those that we did not start are left alone.
func (r *Runner) takeDown() {
	s := r.up
	if r.up = nil; s == nil || s.target.Servers == nil {
		return
	}
	var all sync.WaitGroup
	for _, p := range s.processes {
		all.Go(p.Stop)
	}
	all.Wait()
	for _, c := range s.copies {
		c.stop()
	}
	for _, p := range s.processes {
		if left := p.Left(); left != "" {
			r.Note("%s", left)
		}
	}
	if s.target.WhenDown != nil && len(s.processes) > 0 {
		s.target.WhenDown()
	}
	r.emit(Event{Kind: Down})
}
