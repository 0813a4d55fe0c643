package observe

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/inferometer/inferometer/internal/clock"
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/prepare"
	"github.com/inferometer/inferometer/internal/send/load"
	"github.com/inferometer/inferometer/internal/send/target"
	"github.com/inferometer/inferometer/internal/spec/fault"
	"github.com/inferometer/inferometer/internal/usage"
)

// faults decides when something is done to the servers, has it done, and writes down when that was. Commands are run
// here; all else is done by whoever started the servers.
type faults struct {
	Base
	list  fault.List
	do    fault.Doer
	env   []string
	drain <-chan struct{} // closed when the user wants no more

	ctx    context.Context
	cancel context.CancelCauseFunc
	active sync.WaitGroup // what is done, or waits for its moment
	ending sync.Once
	watch  sync.WaitGroup // of the drain

	reach  []chan struct{} // of each of the list that waits for a number of requests: closed when they are sent
	mu     sync.Mutex
	failed error         // of writing
	open   []fault.Fault // what ends those that were not ended
}

// errLoadOver ends what is under way.
var errLoadOver = errors.New("the load was over")

// NewFaults does the faults of a run, if it has any. do, which CheckFaults has seen, does those to servers; drain ends them.
func NewFaults(r *prepare.Ready, drain <-chan struct{}, do fault.Doer) Observer {
	if len(r.Faults) == 0 {
		return nil
	}
	f := &faults{list: r.Faults, do: do, drain: drain}
	var behind []string
	for _, one := range r.Servers.Replicas {
		behind = append(behind, one.URL)
	}
	f.env = []string{"INFEROMETER_TARGET=" + r.URLs[0], "INFEROMETER_BACKENDS=" + strings.Join(behind, " ")}
	return f
}

// CheckFaults refuses what nobody here can do.
func CheckFaults(list fault.List, do fault.Doer) error {
	for _, f := range list {
		if f.Do != fault.Command && do == nil {
			return usage.Errorf("fault", "%s is done to servers that a scenario has started, and nobody has here", f.Do).
				WithHint("put it into a scenario, under faults, or give a command that does it (docs/faults.md)")
		}
	}
	return nil
}

// Configure has it see how many requests were sent.
func (f *faults) Configure(cfg *load.Config) {
	f.reach = make([]chan struct{}, len(f.list))
	var waiting []int // by how many they wait for
	for i, one := range f.list {
		if one.After > 0 {
			f.reach[i] = make(chan struct{})
			waiting = append(waiting, i)
		}
	}
	if len(waiting) == 0 {
		return
	}
	slices.SortStableFunc(waiting, func(a, b int) int { return cmp.Compare(f.list[a].After, f.list[b].After) })
	before := cfg.Sending
	cfg.Sending = func(n int) bool {
		for len(waiting) > 0 && n >= f.list[waiting[0]].After {
			close(f.reach[waiting[0]])
			waiting = waiting[1:]
		}
		return before == nil || before(n)
	}
}

// Start begins to wait for the moments.
func (f *faults) Start() error {
	f.ctx, f.cancel = context.WithCancelCause(context.Background())
	for i, one := range f.list {
		f.active.Go(func() { f.one(one, f.reach[i]) })
	}
	f.watch.Go(func() {
		select {
		case <-f.drain: // what is on its way must be able to end
			f.end(context.Background())
		case <-f.ctx.Done():
		}
	})
	return nil
}

// one does a fault at its moment, and undoes it at the end of its time.
func (f *faults) one(one fault.Fault, reach <-chan struct{}) {
	planned := int64(one.At)
	if reach == nil {
		if !f.sleep(time.Duration(planned - f.Run.Clock.Now())) {
			f.missed(one)
			return
		}
	} else {
		planned = 0
		select {
		case <-reach:
		case <-f.ctx.Done():
			f.missed(one)
			return
		}
	}
	began, ok := f.perform(f.ctx, one, planned)
	undo, has := one.Undo()
	if !ok || !has {
		return
	}
	if one.For > 0 {
		until := began + int64(one.For)
		if f.sleep(time.Duration(until - f.Run.Clock.Now())) {
			f.perform(f.ctx, undo, until)
			return
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.open = append(f.open, undo)
}

// sleep waits; false: the load was over before.
func (f *faults) sleep(span time.Duration) bool {
	return clock.Pause(f.ctx, span) && f.ctx.Err() == nil
}

// perform has a fault done and writes it down; false: it was not done.
func (f *faults) perform(ctx context.Context, one fault.Fault, planned int64) (began int64, ok bool) {
	do := f.do
	if one.Do == fault.Command {
		do = f.command
	}
	done, err := do(ctx, one)
	if done.Began.IsZero() {
		done.Began = time.Now()
	}
	line := journal.Fault{At: f.Run.Clock.At(done.Began), Planned: planned, Do: one.Do, On: one.On, URL: done.URL, Detail: done.What}
	if !done.Ended.IsZero() {
		line.Done = f.Run.Clock.At(done.Ended)
	}
	switch {
	case err == nil:
		f.Run.Say("%s: %s", seconds(line.At), one.String())
	case errors.Is(err, errLoadOver):
		line.Detail = strings.TrimPrefix(line.Detail+"; it was still under way when the load was over", "; ")
		err = nil
	default:
		line.Error = f.Run.Secrets.Sentence(err.Error())
		f.Run.Warn("%s: %s was not done: %s", seconds(line.At), one.String(), line.Error)
	}
	f.write(&line)
	return line.At, err == nil
}

// missed writes down what was not done because the load was over before its moment.
func (f *faults) missed(one fault.Fault) {
	line := journal.Fault{At: f.Run.Clock.Now(), Planned: int64(one.At), Do: one.Do, On: one.On, Error: "not done: " + errLoadOver.Error() + " before"}
	f.Run.Warn("%s was not done: %v before", one.String(), errLoadOver)
	f.write(&line)
}

func (f *faults) write(line *journal.Fault) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.failed = errors.Join(f.failed, f.Run.Journal.Fault(line))
}

func seconds(at int64) string { return fmt.Sprintf("%.1fs", time.Duration(at).Seconds()) }

// undoPatience bounds what is undone when the load is over.
const undoPatience = 10 * time.Second

// Stop ends what is under way.
func (f *faults) Stop(ctx context.Context, _ *journal.End) error {
	if f.cancel == nil {
		return nil // the load never began
	}
	f.end(ctx)
	f.watch.Wait()
	return f.failed
}

// end ends what is under way, and undoes what would keep servers from ending their answers, and from being asked how it
// went: those that were killed stay as they are.
func (f *faults) end(ctx context.Context) {
	f.ending.Do(func() {
		f.cancel(errLoadOver)
		f.active.Wait()
		ctx, cancel := context.WithTimeout(ctx, undoPatience)
		defer cancel()
		for _, undo := range f.open {
			if undo.Do == fault.Continue || undo.Do == fault.Mend {
				f.perform(ctx, undo, 0)
			}
		}
	})
}

// faultLog is where commands of faults write to, in the run's folder.
const faultLog = "faults.log"

// command runs a command of the user's to its end.
func (f *faults) command(ctx context.Context, one fault.Fault) (done fault.Done, err error) {
	c := target.Command{Args: one.Args, Env: f.env, Log: filepath.Join(f.Run.Folder, faultLog), Grace: time.Second}
	done.Began = time.Now()
	p, err := target.Start(c)
	if err != nil {
		return done, err
	}
	defer p.Stop()
	select {
	case <-p.Exited():
	case <-ctx.Done():
		return done, context.Cause(ctx)
	}
	done.Ended, done.What = p.EndedAt(), one.String()
	if err := p.Err(); err != nil {
		return done, fmt.Errorf("%w; its output is in %s", err, filepath.Base(c.Log))
	}
	return done, nil
}
