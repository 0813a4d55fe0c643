package agent

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/inferometer/inferometer/internal/fleet/bus"
	"github.com/inferometer/inferometer/internal/fleet/message"
)

// keptRuns is how many runs that were handed on are kept at least, the newest ones.
const keptRuns = 20

// died is what is told of a run whose process ended in its middle.
const died = "the agent died during the run"

// deliverLeftovers hands on what earlier processes left behind: their records must not be
// lost with them. The folder of a process that lives is locked. Until this process ends it
// answers in their place.
func (a *Agent) deliverLeftovers(ctx context.Context) {
	entries, err := os.ReadDir(a.runs())
	if err != nil {
		return
	}
	var left, old []*folder
	for _, e := range entries {
		path := filepath.Join(a.runs(), e.Name())
		f, err := openFolder(path)
		if err != nil {
			continue // it is none, or at work
		}
		if _, err := os.Stat(filepath.Join(path, deliveredFile)); err == nil {
			old = append(old, f)
		} else {
			left = append(left, f)
		}
	}
	old = prune(old)
	a.mu.Lock()
	a.folders = append(a.folders, slices.Concat(left, old)...)
	a.mu.Unlock()
	answered := map[string]bool{}
	for _, f := range slices.Concat(left, old) {
		if answered[f.agent] {
			continue
		}
		answered[f.agent] = true
		stop, err := a.Bus.Answer(f.agent, func(ask *message.Ask, _ time.Time) *message.Answer { return a.standIn(f.agent, ask) })
		if err != nil {
			a.Say("nobody answers for the earlier agent %s: %v", f.agent, err)
			continue
		}
		defer stop()
	}
	for _, f := range left {
		if err := a.deliver(ctx, f); err != nil && ctx.Err() == nil {
			a.Say("the run %s of an earlier agent can't be handed on, and is in %s until a leader fetches it: %v", f.run, f.path, err)
		}
	}
	<-ctx.Done()
}

// deliver hands on one run.
func (a *Agent) deliver(ctx context.Context, f *folder) error {
	over := make(chan struct{})
	close(over)
	if err := f.handOn(ctx, a.Bus, over, func(error) {}); err != nil {
		return err
	}
	s, err := lastOf(f.path, f.run, f.agent)
	if err != nil {
		return err
	}
	for {
		s.Number++
		s.At = time.Now().UnixNano()
		f.note(s)
		_ = a.Bus.Tell(s) // it is told again below
		some, cancel := context.WithTimeout(ctx, confirmTime)
		err := a.Bus.Confirm(some)
		cancel()
		if err == nil {
			break
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(retryAfter):
		}
	}
	f.delivered(true)
	a.Say("handed on what an earlier agent left of the run %s: %d bytes of its journal", f.run, s.Journal)
	return nil
}

// prune removes the oldest of the runs that were handed on and never forgotten, when NATS
// does not keep them any more either. It gives the others.
func prune(folders []*folder) []*folder {
	when := func(f *folder) time.Time {
		info, err := os.Stat(f.path)
		if err != nil {
			return time.Time{}
		}
		return info.ModTime()
	}
	slices.SortFunc(folders, func(x, y *folder) int { return when(x).Compare(when(y)) })
	for len(folders) > keptRuns && time.Since(when(folders[0])) > bus.KeptFor {
		_ = os.RemoveAll(folders[0].path) // the next start tries again
		folders[0].Close()
		folders = folders[1:]
	}
	return folders
}
