package selftest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/inferometer/inferometer/internal/bench"
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/send/pace"
	"github.com/inferometer/inferometer/internal/send/workload"
	"github.com/inferometer/inferometer/internal/sim/subprocess"
	"github.com/inferometer/inferometer/internal/spec"
)

// How long a self-test may take. The quick one is promised to end within 20 s.
const (
	quickTime = 18 * time.Second
	fullTime  = 150 * time.Second
)

// Options say how much is tested.
type Options struct {
	Quick      bool
	MinStreams int // steps below are left out
	MaxStreams int // 0: up to where the client fails
	Rounds     int // of each step; 0: the ladder's own
	Engine     string
}

// Progress is told how far a self-test is.
type Progress interface {
	Running(text string) // what runs now
	Note(text string)
	Step(s *Step) // a step is done
}

// Test is one self-test.
type Test struct {
	Options
	Program  string // our own binary: simulator and client are processes of it
	Progress Progress
	// Round runs a load once; nil: by processes of Program.
	Round func(context.Context, Load) (*Errors, error)

	drain  <-chan struct{}
	folder string    // of one round's files; gone at the end
	until  time.Time // no round begins that would end later
	result *Result
	main   int // steps of the first ladder
}

// ErrStopped says that the user wants no more.
var ErrStopped = errors.New("stopped")

// Run goes up each ladder to where the client fails, and adds what that proves to the
// result, which says what was tested. A drain ends it after the round that runs, which
// is left early; the end of ctx cancels that too.
func (t *Test) Run(ctx context.Context, drain <-chan struct{}, result *Result) (err error) {
	t.result, t.drain = result, drain
	if t.folder, err = os.MkdirTemp("", "inferometer-selftest-"); err != nil {
		return err
	}
	defer os.RemoveAll(t.folder)
	if t.Round == nil {
		t.Round = t.round
	}
	work := watchOthers()
	err = t.climb(ctx)
	result.OthersCPU = work.share()
	result.Conclude(t.main)
	return err
}

func (t *Test) climb(ctx context.Context) error {
	ladders, length := Full(t.MaxStreams), fullTime
	if t.Quick {
		ladders, length = Quick(t.MaxStreams), quickTime
	}
	t.until = time.Now().Add(length)
	for i, ladder := range ladders {
		for _, load := range ladder {
			if load.Streams < t.MinStreams {
				continue
			}
			if t.Rounds > 0 {
				load.Rounds = t.Rounds
			}
			if !t.timeFor(load) {
				t.Progress.Note(fmt.Sprintf("no time is left for %d streams", load.Streams))
				break
			}
			step, err := t.step(ctx, load)
			if err != nil {
				return err
			}
			t.result.Steps = append(t.result.Steps, step)
			t.Progress.Step(&step)
			if step.Fails != "" {
				break
			}
		}
		if i == 0 {
			t.main = len(t.result.Steps)
		}
	}
	return nil
}

func (t *Test) timeFor(load Load) bool {
	return time.Until(t.until) >= time.Duration(load.Rounds)*load.Takes()
}

// step runs the rounds of a load, and twice as many if most of them fail: one
// moment in which others had the machine is not to end the ladder.
func (t *Test) step(ctx context.Context, load Load) (Step, error) {
	rounds, err := t.rounds(ctx, load)
	if err == nil && load.Step(rounds).Fails != "" && t.timeFor(load) {
		var more []Round
		more, err = t.rounds(ctx, load)
		rounds = append(rounds, more...)
	}
	return load.Step(rounds), err
}

// rounds runs the rounds of a load. That one can't be run fails it, not the self-test.
func (t *Test) rounds(ctx context.Context, load Load) (rounds []Round, err error) {
	for i := range load.Rounds {
		t.Progress.Running(fmt.Sprintf("%d streams, a token each %v: round %d of %d", load.Streams, load.ITL, i+1, load.Rounds))
		e, err := t.Round(ctx, load)
		switch {
		case t.stopped(ctx):
			return nil, ErrStopped
		case err != nil && len(t.result.Steps) == 0 && !errors.Is(err, errTooLong):
			return nil, err // it will not get better
		case err != nil:
			rounds = append(rounds, Round{Fails: err.Error()})
		default:
			t.result.Stamps = e.Stamps
			rounds = append(rounds, load.Round(e))
		}
	}
	return rounds, nil
}

// errTooLong is a round that was ended by us: the load was too much.
var errTooLong = errors.New("it took more than twice its time")

// round runs a load once, against a fresh simulator.
func (t *Test) round(ctx context.Context, load Load) (*Errors, error) {
	dir, err := os.MkdirTemp(t.folder, "round-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	truth := filepath.Join(dir, "truth.jsonl")
	sim, err := subprocess.Start(t.Program, simulatorFlags(load, truth)...)
	if err != nil {
		return nil, err
	}
	said, err := t.run(ctx, load, sim.URL, dir)
	if stopErr := sim.Stop(); stopErr != nil {
		return nil, stopErr
	}
	found := filepath.Join(dir, "run", journal.FileName)
	if _, statErr := os.Stat(found); statErr != nil || t.stopped(ctx) || errors.Is(err, errTooLong) {
		if said != "" {
			said = ": " + said
		}
		return nil, fmt.Errorf("%w%s", err, said)
	}
	return Join(found, truth)
}

func (t *Test) stopped(ctx context.Context) bool {
	select {
	case <-t.drain:
		return true
	default:
		return ctx.Err() != nil
	}
}

// run runs the client, for no longer than twice the time that the load takes. It has a
// state folder of its own: a self-test is nothing that later runs should know of.
func (t *Test) run(ctx context.Context, load Load, url, dir string) (said string, err error) {
	limit := min(2*load.Takes()+time.Second, time.Until(t.until))
	ctx, cancel := context.WithTimeoutCause(ctx, limit, errTooLong)
	defer cancel()
	child := bench.Child{
		Program: t.Program, Spec: load.spec(url, t.Engine, filepath.Join(dir, "run")), Log: filepath.Join(dir, "bench.log"),
		Env: []string{"XDG_STATE_HOME=" + dir}, Flags: []string{"--quiet"},
	}
	outcome, err := child.Run(ctx, t.drain)
	switch {
	case context.Cause(ctx) != nil:
		return "", context.Cause(ctx)
	case err != nil || outcome.Code == bench.ExitDone:
		return "", err
	}
	return outcome.Said, fmt.Errorf("exit status %d", outcome.Code)
}

// spec is the load as a run.
func (l Load) spec(url, engine, folder string) *spec.Spec {
	s := spec.Default()
	s.URLs, s.Backend, s.Model, s.Engine, s.Proxy, s.SkipTokenizerInit = []string{url}, spec.BackendVLLM, "sim", engine, spec.NoProxy, true
	s.DatasetOptions, s.NumPrompts = &workload.RandomOptions{InputLen: 128, OutputLen: l.Tokens}, l.Requests()
	s.PaceName, s.PaceOptions = pace.Constant, &pace.RateOptions{Rate: l.RequestsPerS()}
	s.RunDir = folder
	return &s
}

// simulatorFlags make a server that decodes in steps: each step brings all streams
// their next token at once, as the engines do. That is harder on a client than
// tokens that come evenly. Work and memory cost it nothing.
func simulatorFlags(load Load, truth string) []string {
	room := strconv.Itoa(1000 * (load.Streams + 1000))
	return []string{
		"--truth", truth, "--engine", "batch", "--step-base", load.ITL.String(), "--step-per-prefill-token", "0s", "--step-per-sequence", "0s",
		"--step-per-cached-token", "0s", "--max-num-seqs", room, "--max-num-batched-tokens", room, "--num-blocks", room, "--no-prefix-cache",
	}
}
