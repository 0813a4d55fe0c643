package sweep

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/inferometer/inferometer/internal/files/atomicfile"
	"github.com/inferometer/inferometer/internal/plan/run"
	"github.com/inferometer/inferometer/internal/send/target"
)

// job is one run of the benchmark's command.
type job struct {
	r *Runner
	comb
	number int
	file   string // of its result
	result Object // when it has ended well
}

// command is the benchmark's command, with where its result goes.
func (j *job) command() []string {
	if j.r.Startup {
		return j.r.program(append(startupCommand(j.r.Bench, j.serve, j.bench), "--output-json", j.file))
	}
	return j.r.program(append(j.bench.Apply(j.r.Bench),
		"--percentile-metrics", "ttft,tpot,itl,e2el",
		"--save-result", "--result-dir", filepath.Dir(j.file), "--result-filename", filepath.Base(j.file)))
}

func (j *job) Begin() error { return makeFolder(filepath.Dir(j.file)) }

// Run runs the benchmark, and what comes after it.
func (j *job) Run(ctx context.Context, drain <-chan struct{}, up *run.Servers) error {
	if err := j.putAside(); err != nil {
		return err
	}
	if err := j.child(ctx, drain, "the benchmark", j.command(), ".log"); err != nil {
		return errors.Join(err, j.putAside())
	}
	if err := j.after(ctx, drain, up); err != nil {
		return err
	}
	return j.keep()
}

// keep adds to the result what it was measured with.
func (j *job) keep() error {
	o, err := readRecord(j.file)
	if err != nil {
		return err
	}
	if o == nil {
		return fmt.Errorf("the benchmark ended well, but wrote no %s; its log is %s", j.file, beside(j.file, ".log"))
	}
	o = j.complete(o, j.number)
	if err := atomicfile.WriteBytes(j.file, pyJSONFile(o)); err != nil {
		return err
	}
	j.result = o
	return nil
}

// Ended ends the sweep if the benchmark has failed.
func (j *job) Ended(o run.Outcome) error { return o.Err }

// putAside keeps a result that was not finished from being taken for one.
func (j *job) putAside() error {
	err := os.Rename(j.file, beside(j.file, ".unfinished.json"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	j.r.Log.say("%s was not finished: it is put aside.", j.file)
	return err
}

// grace is the time between SIGTERM and SIGKILL. vLLM's sweep gives none.
const grace = 3 * time.Second

// command is a process with its log and the note of it beside each other.
func (r *Runner) command(args []string, log string) target.Command {
	return target.Command{Args: args, Log: log, PIDFile: strings.TrimSuffix(log, ".log") + ".pid.json", Grace: grace}
}

// child runs a command to its end.
func (j *job) child(ctx context.Context, drain <-chan struct{}, what string, args []string, ending string) error {
	p, err := j.r.run.Child(ctx, drain, j.r.command(args, beside(j.file, ending)))
	switch {
	case err != nil:
		return fmt.Errorf("run %s: %w", what, err)
	case p.Err() != nil && run.Stopped(ctx, drain):
		return fmt.Errorf("%s was stopped: %w", what, run.ErrInterrupted)
	case p.Err() != nil:
		return fmt.Errorf("%s failed (%w); its log %s ends with\n%s", what, p.Err(), p.Log(), p.Tail(10))
	}
	return nil
}

// after runs the user's command, or empties the server's caches, so that no run
// profits from the one before.
func (j *job) after(ctx context.Context, drain <-chan struct{}, up *run.Servers) error {
	if j.r.Startup {
		return nil
	}
	if len(j.r.After) > 0 {
		return j.child(ctx, drain, "--after-bench-cmd", j.r.program(j.r.After), ".after.log")
	}
	for i, path := range resetPaths {
		err := j.r.run.At(up.URLs[0]).Post(ctx, path)
		var status *target.StatusError
		switch {
		case err == nil:
		case !errors.As(err, &status):
			return fmt.Errorf("reset the server's caches: %w", err)
		case i > 0 && (status.Code == http.StatusNotFound || status.Code == http.StatusMethodNotAllowed):
		default:
			return fmt.Errorf("reset the server's caches: %s answered HTTP %d; "+
				"for a server that can't do that give --after-bench-cmd (\"true\" does nothing)", status.URL, status.Code)
		}
	}
	return nil
}

// resetPaths are vLLM's caches. Not every server has the second and the third.
var resetPaths = []string{"/reset_prefix_cache", "/reset_mm_cache", "/reset_encoder_cache"}
