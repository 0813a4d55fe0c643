package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"time"

	"github.com/inferometer/inferometer/internal/bench"
	"github.com/inferometer/inferometer/internal/check/selftest"
	"github.com/inferometer/inferometer/internal/cli/argv"
	"github.com/inferometer/inferometer/internal/files/atomicfile"
)

// selftestRun is one self-test, from its flags to its result.
type selftestRun struct {
	streams
	program    string // our own binary: simulator and client are processes of it
	folder     string // of one round's files; gone at the end
	engine     string
	minStreams int
	maxStreams int
	rounds     int
	quick      bool
	asJSON     bool
	until      time.Time // no round begins that would end later
	result     selftest.Result
	main       int // steps of the first ladder
}

// How long a self-test may take. The quick one is promised to end within 20 s.
const (
	quickTime = 18 * time.Second
	fullTime  = 150 * time.Second
)

func selfTest(ctx context.Context, s streams, args []string) error {
	r := &selftestRun{streams: s}
	set := r.flags()
	if done, err := parse(s, set, args); done || err != nil {
		return err
	}
	if set.Seen("max-streams") && r.maxStreams < 1 {
		return argv.Errorf("max-streams", "must be at least 1, not %d", r.maxStreams)
	}
	if set.Seen("rounds") && r.rounds < 1 {
		return argv.Errorf("rounds", "must be at least 1, not %d", r.rounds)
	}
	ctx, stop := signal.NotifyContext(ctx, stopSignals()...)
	defer stop()
	return r.run(ctx)
}

func (r *selftestRun) flags() *argv.Set {
	set := argv.New("inferometer selftest",
		"Measure our own error on this machine, against a simulated server that knows the truth, at rising loads up to where the client fails. "+
			"Later runs of bench serve say whether they were inside the range that this proves.")
	set.Example("The whole self-test, some two minutes", "inferometer selftest")
	set.Example("Within 20 seconds", "inferometer selftest --quick")
	set.Example("Up to 100 streams by Go's own HTTP client, for a program to read", "inferometer selftest --quick --engine nethttp --max-streams 100 --json")
	set.Bool(&r.quick, "quick", "End within 20 seconds: fewer steps and rounds, and so a rougher claim.")
	set.Int(&r.minStreams, "min-streams", 1, "The lowest step: leave out those below.", argv.Metavar("N"))
	set.Int(&r.maxStreams, "max-streams", 0, "The highest step.", argv.Metavar("N"), argv.Shown("where the client fails, 10000 at most; 1000 with --quick"))
	set.Int(&r.rounds, "rounds", 0, "How often each step is run.", argv.Metavar("N"), argv.Shown("3, 2 with --quick"))
	set.Choice(&r.engine, "engine", bench.EngineAuto, []string{bench.EngineAuto, bench.EngineLoop, bench.EngineNetHTTP}, "What carries the requests, as in bench serve.")
	set.Bool(&r.asJSON, "json", "Print the result as JSON.")
	return set
}

func (r *selftestRun) run(ctx context.Context) error {
	path, err := selftestPath()
	if err != nil {
		return err
	}
	if r.program, err = os.Executable(); err != nil {
		return fmt.Errorf("find our own program: %w", err)
	}
	if r.folder, err = os.MkdirTemp("", "inferometer-selftest-"); err != nil {
		return err
	}
	defer os.RemoveAll(r.folder)

	r.result = selftest.Result{
		Schema: selftest.Schema, At: time.Now().UTC().Truncate(time.Second), Version: fullVersion(),
		Machine: thisMachine(), Engine: resolvedEngine(r.engine), Quick: r.quick,
	}
	before, began := othersWork(), time.Now()
	err = r.climb(ctx)
	r.result.OthersCPU = sharedOut(othersWork()-before, time.Since(began), before)
	r.result.Conclude(r.main)
	if ctx.Err() != nil {
		return errors.New("stopped: nothing is written")
	}
	if err != nil {
		return err
	}
	// A bad moment does not undo what was proven before.
	if r.result.Claim != nil {
		err = r.save(path)
	}
	if err := errors.Join(err, r.show(path)); err != nil {
		return err
	}
	if r.result.Busy != "" && !r.asJSON {
		r.note("the machine was busy (%s), which makes the claim low and wide: stop what else runs, and try again", r.result.Busy)
	}
	if r.result.Claim == nil {
		return coded{errors.New("not even the lowest load could be measured well enough: stop what else runs on this machine, and try again"), exitNothing}
	}
	return nil
}

// climb goes up each ladder to where the client fails.
func (r *selftestRun) climb(ctx context.Context) error {
	ladders, length := selftest.Full(r.maxStreams), fullTime
	if r.quick {
		ladders, length = selftest.Quick(r.maxStreams), quickTime
	}
	r.until = time.Now().Add(length)
	for i, ladder := range ladders {
		for _, load := range ladder {
			if load.Streams < r.minStreams {
				continue
			}
			if r.rounds > 0 {
				load.Rounds = r.rounds
			}
			if !r.timeFor(load) {
				r.note("no time is left for %d streams", load.Streams)
				break
			}
			step, err := r.step(ctx, load)
			if err != nil {
				return err
			}
			r.result.Steps = append(r.result.Steps, step)
			r.stepDone(&step)
			if step.Fails != "" {
				break
			}
		}
		if i == 0 {
			r.main = len(r.result.Steps)
		}
	}
	return nil
}

func (r *selftestRun) timeFor(load selftest.Load) bool {
	return time.Until(r.until) >= time.Duration(load.Rounds)*load.Takes()
}

// step runs the rounds of a load, and twice as many if most of them fail: one
// moment in which others had the machine is not to end the ladder.
func (r *selftestRun) step(ctx context.Context, load selftest.Load) (selftest.Step, error) {
	rounds, err := r.roundsOf(ctx, load)
	if err == nil && load.Step(rounds).Fails != "" && r.timeFor(load) {
		var more []selftest.Round
		more, err = r.roundsOf(ctx, load)
		rounds = append(rounds, more...)
	}
	return load.Step(rounds), err
}

// roundsOf runs the rounds of a load. That one can't be run fails it, not the self-test.
func (r *selftestRun) roundsOf(ctx context.Context, load selftest.Load) (rounds []selftest.Round, err error) {
	for i := range load.Rounds {
		r.progress("%d streams, a token each %v: round %d of %d", load.Streams, load.ITL, i+1, load.Rounds)
		e, err := r.round(ctx, load)
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err != nil && len(r.result.Steps) == 0 && !errors.Is(err, errTooLong):
			return nil, err // it will not get better
		case err != nil:
			rounds = append(rounds, selftest.Round{Fails: err.Error()})
		default:
			r.result.Stamps = e.Stamps
			rounds = append(rounds, load.Round(e))
		}
	}
	return rounds, nil
}

// selftestPath is where the result is kept.
func selftestPath() (string, error) {
	state, err := (&bench.Host{Lookup: os.LookupEnv}).State()
	if err != nil {
		return "", fmt.Errorf("find the state folder: %w; set XDG_STATE_HOME", err)
	}
	return filepath.Join(state, "inferometer", "selftest.json"), nil
}

// save keeps the result for later runs, whole or not at all.
func (r *selftestRun) save(path string) error {
	b, err := json.MarshalIndent(r.result, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("keep the result: %w", err)
	}
	if err := atomicfile.WriteBytes(path, append(b, '\n')); err != nil {
		return fmt.Errorf("keep the result: %w", err)
	}
	return nil
}
