package bench

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/inferometer/inferometer/internal/eval/score"
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/spec"
	"github.com/inferometer/inferometer/internal/usage"
)

// takeTask looks at what is asked, and whether it can be asked in this way.
func (r *Run) takeTask(t *journal.Task) error {
	r.task = t
	if err := r.RefuseCode(t); err != nil || t == nil {
		return err
	}
	if err := score.Check(t); err != nil {
		return usage.Errorf("task", "%s can't be scored: %v", t.Name, err)
	}
	switch t.Kind {
	case journal.TaskGenerate, journal.TaskCode: // code was allowed
		return nil
	case journal.TaskChoice:
		return r.askChoices()
	}
	return usage.Errorf("task", "%s is of the kind %q, which this version can't ask", t.Name, t.Kind)
}

// askChoices prepares for requests of which each holds one choice. Its likelihood is in the
// log-probabilities of the prompt, which only completions give, and not as a stream.
func (r *Run) askChoices() error {
	b := r.API()
	if !b.Echoes || r.Protocol != nil {
		return usage.Errorf("backend", "%s gives no log-probabilities of a prompt, by which the task %s is scored", r.Backend, r.task.Name).
			WithHint("use --backend %s or %s", spec.BackendOpenAI, spec.BackendVLLM)
	}
	r.Unstreamed = true
	if err := r.CheckUnstreamed(); err != nil {
		return err
	}
	r.protocol = r.API()
	r.PercentileMetrics = journal.WholeMetrics()
	return nil
}

// holdsRun says what to do about a folder that is taken.
func (r *Run) holdsRun() error {
	if !r.Asks() {
		return fmt.Errorf("%s holds a run already: give another --run-dir", r.folder)
	}
	if _, err := os.Stat(filepath.Join(r.folder, journal.SpecName)); errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("%s holds a run already: give another --run-dir", r.folder)
	}
	return fmt.Errorf("%s holds a run already: give another --run-dir, or go on with that one: inferometer eval --resume %s", r.folder, r.RunDir)
}
