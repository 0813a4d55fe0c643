package scenario

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/inferometer/inferometer/internal/send/target"
)

// The exit codes of bench serve that come with a result.
const (
	exitPartial = 3
	exitInvalid = 4 // with --strict: the result is whole, and says that it can't be trusted
)

// benchGrace is what bench serve gets when nobody waits for it any more.
const benchGrace = time.Second

// bench runs bench serve for a point, in a process of its own that ends with us. cold
// says that the servers' caches are empty.
func (r *Runner) bench(ctx context.Context, drain <-chan struct{}, p *Point, cold bool) error {
	args := append(p.argsFor(r.up.urls), "--run-dir", r.Folder.Run(p.ID), "--progress", "plain")
	if cold {
		args = append(args, "--forget-prompts")
	}
	log := filepath.Join(r.Folder.point(p.ID), benchLog)
	command := r.Bench(args)
	command.Log, command.PIDFile, command.Grace = log, r.Folder.benchPID(p.ID), benchGrace
	process, err := target.Start(command)
	if err != nil {
		return fmt.Errorf("run bench serve: %w", err)
	}
	defer process.Stop()
	select {
	case <-process.Exited():
	case <-ctx.Done():
		process.Stop()
	case <-drain:
		process.Interrupt() // it sends no more and waits for what is in flight
		select {
		case <-process.Exited():
		case <-ctx.Done():
			process.Interrupt() // that is cancelled too
		}
	}
	process.Wait()
	return r.outcome(process, p)
}

// outcome says by an error that the point has no whole result.
func (r *Runner) outcome(process *target.Process, p *Point) error {
	var exit *exec.ExitError
	err := process.Err()
	switch {
	case err == nil:
	case errors.As(err, &exit) && exit.ExitCode() == exitInvalid:
	case errors.As(err, &exit) && exit.ExitCode() == exitPartial:
		return errors.New("stopped early: the result is partial")
	default:
		log := filepath.Join(r.Folder.point(p.ID), benchLog)
		if whole, err := filepath.Abs(log); err == nil {
			log = whole
		}
		return fmt.Errorf("bench serve: %s (%w; its log is %s)", lastWords(process), err, log)
	}
	if _, err := os.Stat(r.Folder.result(p.ID)); err != nil {
		return fmt.Errorf("bench serve left no result: %w", err)
	}
	return nil
}

// lastWords is the error that bench serve ended with.
func lastWords(process *target.Process) string {
	lines := strings.Split(process.Tail(5), "\n")
	for _, line := range lines {
		if text, ok := strings.CutPrefix(line, "inferometer bench serve: "); ok {
			return text
		}
	}
	return lines[len(lines)-1]
}
