package bench

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/inferometer/inferometer/internal/eval/score"
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/send/workload"
	"github.com/inferometer/inferometer/internal/usage"
)

// Asks says that the requests are questions, whose answers are kept and scored.
func (s *Spec) Asks() bool { return s.DatasetName == workload.EvalName }

// checkEval refuses what would change or divide the answers.
func (s *Spec) checkEval() error {
	b := s.backend()
	switch {
	case !s.Asks():
		return nil
	case b.Pooling || b.Query || s.carries().Upload:
		return usage.Errorf("backend", "%s gives no texts, and questions need answers", s.Backend).WithHint("use --backend %s or %s", BackendOpenAI, BackendChat)
	case s.IgnoreEOS:
		return usage.Errorf("ignore-eos", "can't be used with questions: an answer ends where the model ends it")
	case s.InFleet():
		return usage.Errorf("fleet", "can't send questions: their answers are kept by one process").WithHint("leave it out; --max-concurrency bounds what is on its way")
	case !s.Share.Whole():
		return usage.Errorf("client-share", "can't be used with questions: their answers are scored together")
	}
	return nil
}

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
	b := r.backend()
	if !b.Echoes || r.Protocol != nil {
		return usage.Errorf("backend", "%s gives no log-probabilities of a prompt, by which the task %s is scored", r.Backend, r.task.Name).
			WithHint("use --backend %s or %s", BackendOpenAI, BackendVLLM)
	}
	r.Unstreamed = true
	if err := r.checkUnstreamed(); err != nil {
		return err
	}
	r.protocol = r.backend()
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
