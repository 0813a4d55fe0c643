package programs

import (
	"context"
	"errors"
	"fmt"
	"runtime"

	"github.com/inferometer/inferometer/internal/eval/sandbox"
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/observe"
	"github.com/inferometer/inferometer/internal/prepare"
	"github.com/inferometer/inferometer/internal/send/load"
	"github.com/inferometer/inferometer/internal/usage"
)

// pythonVariable names the interpreter of programs. It is no key of a Spec: whoever sends
// one must not choose what is started here.
const pythonVariable = "INFEROMETER_CODE_PYTHON"

// runner runs the programs of a run when its load is over.
type runner struct {
	observe.Base
	sandbox *sandbox.Sandbox
}

// New proves that there is a sandbox that holds, before anything is asked, if --allow-code
// lets programs be run.
func New(ctx context.Context, r *prepare.Ready, h *prepare.Host) (observe.Observer, error) {
	if !r.AllowCode {
		return nil, nil
	}
	s, err := sandbox.Open(ctx, h.Variable(pythonVariable), sandbox.Limits{})
	if errors.Is(err, sandbox.ErrMissing) {
		return nil, usage.Errorf("allow-code", "can't be granted: %v", err)
	}
	if err != nil {
		return nil, fmt.Errorf("try the sandbox for programs: %w", err)
	}
	return &runner{sandbox: s}, nil
}

// stoppedInPrograms is why a run is partial that was stopped after its load.
const stoppedInPrograms = "signal while programs were run"

// Finish runs the programs that are answers and have not been run yet, and writes
// what became of each. A run that was stopped runs none: who stopped it does not want to
// wait, and a resumed run does it.
func (p *runner) Finish(ctx context.Context, drain <-chan struct{}, end *journal.End) error {
	if end.Interrupted != "" {
		return nil
	}
	ctx, stop := load.UntilDrain(ctx, drain, nil)
	defer stop()
	c := &programs{run: p.sandbox.Run, write: p.Run.Journal.Checked, say: p.Run.Say}
	if err := c.look(p.Run.Journal); err != nil {
		return fmt.Errorf("look for programs: %w", err)
	}
	if c.total == 0 {
		return nil
	}
	atOnce := min(runtime.NumCPU(), maxAtOnce)
	p.Run.Say("running %d programs, %d at a time, in a sandbox with %s", c.total, atOnce, p.sandbox.Python())
	err := c.all(ctx, p.Run.Journal, atOnce)
	switch {
	case ctx.Err() != nil:
		end.Interrupted = stoppedInPrograms
		p.Run.Warn("stopped: %d of %d programs were run; a resumed run runs the others", c.done, c.total)
		return nil
	case c.failed > 0:
		p.Run.Warn("warning: %d of %d programs could not be run, and count as not answered: %v", c.failed, c.total, c.why)
	}
	return err
}

// maxAtOnce bounds how many are run at once: each may take its whole memory.
const maxAtOnce = 8
