package agent

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/inferometer/inferometer/internal/fleet/message"
)

// keptRuns is how many runs that were handed on are kept, the newest ones.
const keptRuns = 20

// died is what is told of a run whose process ended in its middle.
const died = "the agent died during the run"

// deliverLeftovers hands on what earlier processes left behind: their records must not be
// lost with them. The folder of a process that lives is locked.
func (a *Agent) deliverLeftovers(ctx context.Context) {
	entries, err := os.ReadDir(a.runs())
	if err != nil {
		return
	}
	var old []string
	for _, e := range entries {
		path := filepath.Join(a.runs(), e.Name())
		if _, err := os.Stat(filepath.Join(path, deliveredFile)); err == nil {
			old = append(old, path)
			continue
		}
		f, err := openFolder(path)
		if err != nil {
			continue // it is none, or at work
		}
		if err := a.deliver(ctx, f); err != nil && ctx.Err() == nil {
			a.Say("the run %s of an earlier agent can't be handed on: %v", f.run, err)
		}
		f.close()
	}
	prune(old)
}

// deliver hands on one run.
func (a *Agent) deliver(ctx context.Context, f *folder) error {
	s, known := f.noted()
	if !known { // it died before it told anything
		s = message.Status{Run: f.run, Agent: f.agent}
	}
	over := make(chan struct{})
	close(over)
	if err := f.handOn(ctx, a.Bus, over); err != nil {
		return err
	}
	if s.Phase != message.Ended && s.Phase != message.Failed {
		s.Phase, s.Error, s.InFlight = message.Failed, died, 0
	}
	sum, err := journalSum(f.journal())
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	s.Journal, s.SHA256 = f.size(), sum
	for {
		s.Number++
		s.At = time.Now().UnixNano()
		f.note(&s)
		_ = a.Bus.Tell(&s) // it is told again below
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

// prune removes the oldest of the runs that were handed on and never forgotten.
func prune(folders []string) {
	when := func(path string) time.Time {
		info, err := os.Stat(path)
		if err != nil {
			return time.Time{}
		}
		return info.ModTime()
	}
	slices.SortFunc(folders, func(x, y string) int { return when(x).Compare(when(y)) })
	for _, path := range folders[:max(0, len(folders)-keptRuns)] {
		_ = os.RemoveAll(path) // the next start tries again
	}
}
