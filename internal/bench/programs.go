package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/inferometer/inferometer/internal/eval/sandbox"
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/usage"
)

// pythonVariable names the interpreter of programs. It is no key of a Spec: whoever sends
// one must not choose what is started here.
const pythonVariable = "INFEROMETER_CODE_PYTHON"

// answerMark is where a task's program has the answer.
const answerMark = "{{answer}}"

// openSandbox proves that there is a sandbox that holds, before anything is asked.
func (r *Run) openSandbox(ctx context.Context) error {
	if !r.AllowCode {
		return nil
	}
	s, err := sandbox.Open(ctx, r.host.variable(pythonVariable), sandbox.Limits{})
	if errors.Is(err, sandbox.ErrMissing) {
		return usage.Errorf("allow-code", "can't be granted: %v", err)
	}
	if err != nil {
		return fmt.Errorf("try the sandbox for programs: %w", err)
	}
	r.sandbox = s
	return nil
}

// stoppedInPrograms is why a run is partial that was stopped after its load.
const stoppedInPrograms = "signal while programs were run"

// runPrograms runs the programs that are answers and have not been run yet, and writes
// what became of each. A run that was stopped runs none: who stopped it does not want to
// wait, and a resumed run does it.
func (r *Run) runPrograms(ctx context.Context, drain <-chan struct{}, end *journal.End) error {
	if r.sandbox == nil || end.Interrupted != "" {
		return nil
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	ready := make(chan struct{})
	defer close(ready)
	go func() {
		select {
		case <-drain:
			cancel()
		case <-ready:
		}
	}()
	c := &programs{run: r.sandbox.Run, write: r.journal.Checked, say: r.say}
	if err := c.look(r.journal); err != nil {
		return fmt.Errorf("look for programs: %w", err)
	}
	if c.total == 0 {
		return nil
	}
	atOnce := min(runtime.NumCPU(), mostPrograms)
	r.say("running %d programs, %d at a time, in a sandbox with %s", c.total, atOnce, r.sandbox.Python())
	err := c.all(ctx, r.journal, atOnce)
	switch {
	case ctx.Err() != nil:
		end.Interrupted = stoppedInPrograms
		r.host.warn("stopped: %d of %d programs were run; a resumed run runs the others", c.done, c.total)
		return nil
	case c.failed > 0:
		r.host.warn("warning: %d of %d programs could not be run, and count as not answered: %v", c.failed, c.total, c.why)
	}
	return err
}

// mostPrograms bounds how many are run at once: each may take its whole memory.
const mostPrograms = 8

// programs are the answers of a journal that are programs. They are read back from it: of
// any number of them only those that are being run are in memory.
type programs struct {
	run   func(ctx context.Context, program string) (sandbox.Result, error)
	write func(*journal.Checked) error
	say   func(format string, args ...any)

	chat    bool
	checked map[int]bool // by the request's index: those that were run before
	total   int          // to be run

	mu                   sync.Mutex // guards what follows
	done, passed, failed int
	why                  error // of the first that failed, or could not be written
	said                 time.Time
}

// snapshots are a journal that is still being written.
type snapshots interface {
	Snapshot() (*journal.Reader, error)
}

// read shows all answers and all lines of programs that were run.
func (c *programs) read(from snapshots, answer func(*journal.Answer), checked func(*journal.Checked), goOn func() bool) error {
	reader, err := from.Snapshot()
	if err != nil {
		return err
	}
	defer reader.Close()
	task := reader.Run().Task
	if task == nil || task.Kind != journal.TaskCode {
		return nil
	}
	c.chat = task.Chat
	reader.OnAnswer(answer)
	reader.OnChecked(checked)
	reader.OnSample(func(*journal.Sample) {})
	reader.OnScrape(func(*journal.Scrape) {})
	for goOn() {
		if _, err := reader.Next(); errors.Is(err, io.EOF) {
			return reader.Damage()
		} else if err != nil {
			return err
		}
	}
	return nil
}

func always() bool { return true }

// look counts what there is to do.
func (c *programs) look(from snapshots) error {
	c.checked = map[int]bool{}
	if err := c.read(from, func(*journal.Answer) {}, func(k *journal.Checked) { c.checked[k.Index] = true }, always); err != nil {
		return err
	}
	return c.read(from, func(a *journal.Answer) {
		if c.toRun(a) {
			c.total++
		}
	}, func(*journal.Checked) {}, always)
}

// toRun: a request that failed is no answer.
func (c *programs) toRun(a *journal.Answer) bool {
	return a.Outcome == journal.Complete && !c.checked[a.Index]
}

// all runs them, so many at once, until ctx ends.
func (c *programs) all(ctx context.Context, from snapshots, atOnce int) error {
	jobs := make(chan *journal.Answer)
	var workers sync.WaitGroup
	for range atOnce {
		workers.Go(func() {
			for a := range jobs {
				c.one(ctx, a)
			}
		})
	}
	err := c.read(from, func(a *journal.Answer) {
		if !c.toRun(a) {
			return
		}
		select {
		case jobs <- a:
		case <-ctx.Done():
		}
	}, func(*journal.Checked) {}, func() bool { return ctx.Err() == nil })
	close(jobs)
	workers.Wait()
	return err
}

// one runs a program and writes what became of it; where the sandbox itself failed,
// nothing is known of the program, and nothing is written.
func (c *programs) one(ctx context.Context, a *journal.Answer) {
	result, err := c.verdict(ctx, a)
	if ctx.Err() != nil {
		return
	}
	if err == nil {
		err = c.write(&journal.Checked{Index: a.Index, Passed: result.Passed, How: result.How, Detail: result.Detail})
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.done++
	if result.Passed {
		c.passed++
	}
	if err != nil {
		c.failed++
		if c.why == nil {
			c.why = err
		}
	}
	if c.said.IsZero() {
		c.said = time.Now()
	}
	if time.Since(c.said) >= sayEvery || c.done == c.total {
		c.said = time.Now()
		c.say("programs: %d of %d run, %d passed", c.done, c.total, c.passed)
	}
}

const sayEvery = 5 * time.Second

func (c *programs) verdict(ctx context.Context, a *journal.Answer) (sandbox.Result, error) {
	before, after, ok := strings.Cut(a.Program, answerMark)
	if !ok {
		return sandbox.Result{}, fmt.Errorf("the program of question %d has no place for the answer (%s)", a.Number, answerMark)
	}
	return c.run(ctx, before+codeOf(a.Text, c.chat)+after)
}
