package find

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/judged"
	"github.com/inferometer/inferometer/internal/judge/measure"
	"github.com/inferometer/inferometer/internal/judge/slo"
	"github.com/inferometer/inferometer/internal/judge/verdict"
	"github.com/inferometer/inferometer/internal/plan/search"
)

// What a probe leaves in its folder.
const (
	LogName = "bench.log" // what bench serve said
	RunName = "run"       // the folder of the run
)

func (f *Finder) probeFolder(n int) string {
	return filepath.Join(f.Folder, "probes", fmt.Sprintf("%03d", n))
}

// probe makes the n-th probe, from 1.
func (f *Finder) probe(ctx context.Context, drain <-chan struct{}, n int, probe search.Probe) (search.Observation, error) {
	began := time.Now()
	folder := f.probeFolder(n)
	if err := os.RemoveAll(folder); err != nil {
		return search.Observation{}, fmt.Errorf("clear a probe's folder: %w", err)
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return search.Observation{}, fmt.Errorf("make a probe's folder: %w", err)
	}
	if err := f.run(ctx, drain, n, probe, folder); err != nil {
		return search.Observation{}, err
	}
	run := filepath.Join(folder, RunName)
	o, err := observe(run, f.SLO)
	if err != nil {
		return o, err
	}
	if f.AnyVerdict {
		o.Spoiled, o.Disturbed = "", ""
	}
	f.waitIdle(ctx)
	o.X, o.Purpose, o.Run, o.At = probe.X, probe.Purpose, run, began
	o.Seconds, o.Cost = probe.Seconds, time.Since(began).Seconds()
	return o, nil
}

// run runs the probe. One that measured something has done its work, whatever its exit
// code: over the edge requests may well fail.
func (f *Finder) run(ctx context.Context, drain <-chan struct{}, n int, probe search.Probe, folder string) error {
	child, asked := f.Child, *f.Child.Spec
	switch f.Vary {
	case Rate:
		asked.SetRate(probe.X)
	case Concurrency:
		asked.MaxConcurrency = new(int(probe.X))
	case Conversations:
		asked.MaxConversations = new(int(probe.X))
	}
	asked.Duration = time.Duration(probe.Seconds * float64(time.Second)).Round(time.Millisecond)
	asked.Seed += n
	asked.RunDir = filepath.Join(folder, RunName)
	child.Spec, child.Log = &asked, filepath.Join(folder, LogName)
	outcome, err := child.Run(ctx, drain)
	switch {
	case interrupted(ctx, drain):
		return ErrInterrupted
	case err != nil:
		return err
	case outcome.Result == "":
		return fmt.Errorf("%s (its log is %s)", outcome.Said, outcome.Log)
	}
	f.said = outcome.Said
	return nil
}

func interrupted(ctx context.Context, drain <-chan struct{}) bool {
	select {
	case <-drain:
		return true
	case <-ctx.Done():
		return true
	default:
		return false
	}
}

// observe reads a probe from its journal: the numbers without its start (see
// measure.SettledFrom), and the verdict on all of it.
func observe(run string, objective slo.SLO) (search.Observation, error) {
	file := filepath.Join(run, journal.FileName)
	from := int64(0)
	err := withJournal(file, func(j *journal.Reader) (err error) {
		from, err = measure.SettledFrom(j)
		return err
	})
	if err != nil {
		return search.Observation{}, err
	}
	var o search.Observation
	err = withJournal(file, func(j *journal.Reader) error {
		r, err := measure.Measure(measure.After(j, from), measure.Options{})
		if err == nil {
			o = search.FromResult(r, objective)
		}
		return err
	})
	if err != nil {
		return o, err
	}
	whole, err := judged.Read(run, measure.Options{})
	if err != nil {
		return o, err
	}
	o.Numbers.Verdict, o.Numbers.Reasons = string(whole.Verdict.Level), reasons(whole.Verdict)
	o.Spoiled, o.Disturbed = spoiled(whole.Verdict, o.Holds()), disturbed(whole.Verdict)
	return o, nil
}

// ofTheLoad are checks that a load over the edge makes bad by itself: there they are what the probe was to show. What
// ramp_drain finds is not in the numbers of a probe, whose start is not counted.
var (
	ofTheLoad = []string{"outcomes", "growing", "drift", "preemptions"}
	notOurs   = []string{"ramp_drain"}

	// ofTheMachine are checks for what slows a client down, and a server beside it.
	ofTheMachine = []string{"lag", "lateness", "cpu", "cpu_wait", "steal", "gc", "retransmits"}
)

// spoiled says why a probe can't be used, and what to change; empty: it can. holds: the SLO did.
func spoiled(v *verdict.Verdict, holds bool) string {
	for i := range v.Checks {
		c := &v.Checks[i]
		switch {
		case c.Level != verdict.Invalid || c.Because != "" || slices.Contains(notOurs, c.Name):
		case !holds && slices.Contains(ofTheLoad, c.Name):
		case c.Hint == "":
			return fmt.Sprintf("it is INVALID because of %s: %s", c.Name, c.Sentence)
		default:
			return fmt.Sprintf("it is INVALID because of %s: %s; hint: %s", c.Name, c.Sentence, c.Hint)
		}
	}
	return ""
}

// disturbed says what on the client's machine may have made a probe slower than the server is; empty: nothing did.
func disturbed(v *verdict.Verdict) string {
	var found []string
	for i := range v.Checks {
		if c := &v.Checks[i]; slices.Contains(ofTheMachine, c.Name) && c.Level != verdict.OK && c.Level != verdict.NotChecked {
			found = append(found, c.Name+": "+c.Sentence)
		}
	}
	return strings.Join(found, "; ")
}

// reasons are the names of the checks that speak against a run, with what they found.
func reasons(v *verdict.Verdict) (list []string) {
	for _, name := range v.Reasons {
		if c := v.Check(name); c != nil {
			name += ": " + c.Sentence
		}
		list = append(list, name)
	}
	return list
}

func withJournal(file string, use func(*journal.Reader) error) error {
	j, err := journal.Open(file)
	if err != nil {
		return err
	}
	return errors.Join(use(j), j.Close())
}

const (
	askEvery = 100 * time.Millisecond
	askMost  = 30 * time.Second
)

// waitIdle waits until the servers say that nothing is under way; where one does not
// say, the cool-down passes.
func (f *Finder) waitIdle(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, askMost)
	defer cancel()
	for _, t := range f.Servers {
		for {
			m, err := t.Metrics(ctx)
			busy, told := m.UnderWay()
			if err == nil && told && busy == 0 {
				break
			}
			pause := askEvery
			if !told {
				pause = f.Cooldown
			}
			select {
			case <-time.After(pause):
			case <-ctx.Done():
				return
			}
			if !told {
				break
			}
		}
	}
}
