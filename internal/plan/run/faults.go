package run

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/inferometer/inferometer/internal/send/target"
	"github.com/inferometer/inferometer/internal/spec/fault"
)

// Do does a fault to the servers, or to those behind them. It may be called by several goroutines.
func (s *Servers) Do(ctx context.Context, f fault.Fault) (fault.Done, error) {
	switch f.Do {
	case fault.Scale:
		return s.scale(ctx, f)
	case fault.ResetCache, fault.LoadAdapter, fault.UnloadAdapter:
		return s.post(ctx, f)
	}
	one := s.find(f.On)
	if one == nil {
		return fault.Done{}, fmt.Errorf("there is no server %s", f.On)
	}
	done, err := one.do(ctx, f)
	done.URL = one.URL
	return done, err
}

// find is the server of a name, with the servers that it is one of; nil: there is none.
func (s *Servers) find(part string) *slot {
	for at := s; at != nil; at = at.Behind {
		if i := slices.IndexFunc(at.slots, func(one *slot) bool { return one.Part == part }); i >= 0 {
			return at.slots[i]
		}
	}
	return nil
}

// do does a fault to one server.
func (one *slot) do(ctx context.Context, f fault.Fault) (fault.Done, error) {
	one.of.hurtNow()
	if fault.Relayed(f.Do) {
		return one.bend(f)
	}
	if f.Do == fault.Start {
		return one.again(ctx)
	}
	p, err := one.take(f.Do == fault.Kill || f.Do == fault.Drain)
	if err != nil {
		return fault.Done{}, err
	}
	done := fault.Done{Began: time.Now()}
	switch f.Do {
	case fault.Kill:
		p.Kill()
		done.Ended = p.EndedAt()
	case fault.Drain:
		if err = p.Ask(ctx); err == nil {
			done.Ended = p.EndedAt()
		}
	case fault.Stop:
		err = p.Halt()
		done.Ended = time.Now()
	case fault.Continue:
		err = p.Continue()
		done.Ended = time.Now()
	default:
		err = fmt.Errorf("%s can't be done here", f.Do)
	}
	return done, err
}

// take gives the process of a server that is up. ends says that it will not be, from now on.
func (one *slot) take(ends bool) (*target.Process, error) {
	one.of.mu.Lock()
	defer one.of.mu.Unlock()
	switch {
	case one.process == nil && one.of.target.Servers == nil:
		return nil, errors.New("it was not started by us: use a command that does it")
	case one.process == nil || one.down:
		return nil, errors.New("it is not up")
	}
	one.down = ends
	return one.process, nil
}

// hurtNow notes that something was done: the next point needs other servers.
func (s *Servers) hurtNow() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hurt = true
}

// again starts a server that is down, at its port and with its log, and waits until it is healthy. It is sent no request:
// that would be one more in its counters.
func (one *slot) again(ctx context.Context) (done fault.Done, err error) {
	p, err := one.relaunch(&done)
	if err != nil {
		return done, err
	}
	ready := one.Server
	ready.Ready.First = nil
	ready.URL = one.own
	up, err := one.of.runner.await(ctx, p, ready)
	if err != nil {
		if cause := context.Cause(ctx); cause != nil {
			err = cause
		}
		return done, err
	}
	one.of.mu.Lock()
	defer one.of.mu.Unlock()
	one.down = false
	done.Ended, done.What = time.Now(), fmt.Sprintf("healthy after %.2fs", up.HealthyS)
	return done, nil
}

func (one *slot) relaunch(done *fault.Done) (*target.Process, error) {
	one.of.mu.Lock()
	defer one.of.mu.Unlock()
	if one.of.target.Servers == nil {
		return nil, errors.New("it was not started by us: use a command that does it")
	}
	if p := one.process; p != nil {
		select {
		case <-p.Exited():
			p.Kill() // what is left of it
		default:
			return nil, errors.New("it is up, or not down yet")
		}
	}
	done.Began = time.Now()
	if err := one.of.runner.launch(one); err != nil {
		return nil, err
	}
	return one.process, nil
}

// bend does something to the network before a server.
func (one *slot) bend(f fault.Fault) (fault.Done, error) {
	if one.relay == nil {
		return fault.Done{}, errors.New("there is no relay of ours before it")
	}
	done := fault.Done{Began: time.Now()}
	switch {
	case f.Do == fault.Slow:
		one.relay.Slow(f.By)
		done.What = "by " + f.By.String()
	case f.Do == fault.Mend:
		one.relay.Mend()
	case f.How == fault.Silent:
		one.relay.Hold()
		done.What = fault.Silent
	default:
		one.relay.Cut()
		done.What = fault.Reset
	}
	done.Ended = time.Now()
	return done, nil
}

// replicas are the servers that do the work: those behind a router, where there is one.
func (s *Servers) replicas() *Servers {
	if s.Behind != nil {
		return s.Behind
	}
	return s
}

// scale starts servers, or asks some to end, the last first, until there are so many.
func (s *Servers) scale(ctx context.Context, f fault.Fault) (fault.Done, error) {
	s = s.replicas()
	s.hurtNow()
	var up, down []*slot
	s.mu.Lock()
	for _, one := range s.slots {
		if one.down {
			down = append(down, one)
		} else {
			up = append(up, one)
		}
	}
	s.mu.Unlock()
	done := fault.Done{Began: time.Now(), What: fmt.Sprintf("from %d to %d", len(up), f.To)}
	change := fault.Fault{Do: fault.Drain}
	var these []*slot
	switch {
	case f.To <= len(up):
		these = up[f.To:]
	case f.To-len(up) > len(down):
		return done, fmt.Errorf("there are places for %d servers, not for %d", len(up)+len(down), f.To)
	default:
		change.Do, these = fault.Start, down[:f.To-len(up)]
	}
	errs := make([]error, len(these))
	var all sync.WaitGroup
	for i, one := range these {
		all.Go(func() { _, errs[i] = one.do(ctx, change) })
	}
	all.Wait()
	var names []string
	for i, one := range these {
		names = append(names, one.Part)
		if errs[i] != nil {
			errs[i] = fmt.Errorf("%s: %w", one.Part, errs[i])
		}
	}
	if len(names) > 0 {
		done.What += ": " + change.Do + " " + strings.Join(names, ", ")
	}
	err := errors.Join(errs...)
	if err == nil {
		done.Ended = time.Now()
	}
	return done, err
}

// What is posted to, vLLM's path first and then SGLang's.
var (
	resetPaths  = []string{"/reset_prefix_cache", "/flush_cache"}
	loadPaths   = []string{"/v1/load_lora_adapter", "/load_lora_adapter"}
	unloadPaths = []string{"/v1/unload_lora_adapter", "/unload_lora_adapter"}
)

// post asks servers for something by their API, all at a time.
func (s *Servers) post(ctx context.Context, f fault.Fault) (fault.Done, error) {
	s = s.replicas()
	paths, body := resetPaths, any(nil)
	switch {
	case f.Do == fault.LoadAdapter:
		paths, body = loadPaths, map[string]string{"lora_name": f.Name, "lora_path": f.Path}
	case f.Do == fault.UnloadAdapter:
		paths, body = unloadPaths, map[string]string{"lora_name": f.Name}
	case f.Path != "":
		paths = []string{f.Path}
	}
	var to []*slot
	s.mu.Lock()
	for _, one := range s.slots {
		if !one.down && (f.On == "" || one.Part == f.On) {
			to = append(to, one)
		}
	}
	s.mu.Unlock()
	if len(to) == 0 {
		return fault.Done{}, errors.New("there is no such server that is up")
	}
	s.hurtNow()
	done := fault.Done{Began: time.Now(), What: fmt.Sprintf("%d servers", len(to))}
	if len(to) == 1 {
		done.URL, done.What = to[0].URL, to[0].Part
	}
	if f.Name != "" {
		done.What = f.Name + ": " + done.What
	}
	errs := make([]error, len(to))
	var all sync.WaitGroup
	for i, one := range to {
		all.Go(func() { errs[i] = postFirst(ctx, s.runner.At(one.own), paths, body) })
	}
	all.Wait()
	err := errors.Join(errs...)
	if err == nil {
		done.Ended = time.Now()
	}
	return done, err
}

// postFirst posts to the first path that the server has.
func postFirst(ctx context.Context, t *target.Target, paths []string, body any) (err error) {
	for _, path := range paths {
		err = t.PostJSON(ctx, path, body)
		var status *target.StatusError
		if !errors.As(err, &status) || status.Code != http.StatusNotFound && status.Code != http.StatusMethodNotAllowed {
			return err
		}
	}
	return err
}
